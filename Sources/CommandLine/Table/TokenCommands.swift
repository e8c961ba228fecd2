/// The commands that print tokens, or run another command with them.
enum TokenCommands {
  static let token = Command(
    .token,
    summary: "Print a valid access token",
    details: """
      Prints a token at once when a good one is at hand, and gets a new one from the server otherwise.

      With `--json` prints `{"account", "issuer", "access_token", "token_type", "scope", "expires_at"}`, without the
      members that the server left out. `"offline": true` is added to a token that should have been renewed when the
      server could not be reached; it is good until it expires.

      With `--id-token` prints the verified ID Token that came with the access token, or before it when the server gave
      none since; with `--json` it is a member `"id_token"` of the object. It has a lifetime of its own. Where there is
      none the command fails with exit status 1.

      `--scope`, `--resource`, `--audience` and `--authorization-details` ask for another token than the account's own:
      one that may do less, or one that is good elsewhere. Each is kept in memory and renewed by itself, and none takes the place of the
      account's own. With `--exchange` it is got by trading the account's own token (RFC 8693), for servers that want it
      so. Where the server withholds a part of the scope that was asked for, no token is printed, and the exit status is
      6.
      """,
    options: [Option.minValid.declaration] + Options.tokenTarget + [
      Option.wait.declaration, Option.forceRefresh.declaration, Option.header.declaration, Option.idToken.declaration,
    ],
    everyday: ["min-valid", "force-refresh", "header", "id-token", "scope", "resource", "audience", "wait"],
    operands: .account,
    examples: [
      Example(
        "Call an API without the token on the command line, where other users could see it",
        "agent token --header | curl -H @- https://api.example.com/me"),
      Example("Have a script stop where nobody is signed in", "token=$(agent token) || exit"),
      Example("Get a token that lasts for what takes long", "agent token work --min-valid 10m"),
    ])

  static let env = Command(
    .env,
    summary: "Print shell statements that set a token's variables",
    details: """
      Prints statements that a shell evaluates, which set and export the variable `AGENT_ACCESS_TOKEN` and some
      others. The variables that are set can be chosen with `--var`.

      Sets and exports `AGENT_ACCESS_TOKEN`, `AGENT_TOKEN_TYPE`, `AGENT_TOKEN_EXPIRES_AT` (unix seconds),
      `AGENT_ACCOUNT`, `AGENT_ISSUER` and `AGENT_SUBJECT`; one that has no value is unset. Every value is quoted
      so that the shell takes it for nothing but text, also where the quotes around `$(agent env)` were forgotten.
      A value with a line break is refused.

      When the command fails, it prints one statement that only sets the exit status, so that `eval "$(agent env)" ||
      exit` stops; where nothing is evaluated it prints nothing.

      The shell is `sh` unless another one is named, whatever `SHELL` says: `sh`, `bash` and `zsh` are the same and suit
      dash and ksh too, and `csh` suits tcsh; csh itself takes no value of 4 KiB or more. `dotenv` writes `NAME="VALUE"`
      lines with a backslash before each `"`, `\\`, `$` and backquote, and `json`, or `--json`, one object of texts;
      both leave out what has no value. With `--unset`, `dotenv` gives empty values and `json` gives `null`.

      `powershell` is for `agent env --shell powershell | Out-String | Invoke-Expression`, and sets `$LASTEXITCODE` on
      failure. `nu` is the object of `json`, for `agent env --shell nu | from json | load-env`. `systemd` is the form of
      `dotenv`, for a file that `EnvironmentFile=` names. `github-actions`, alone on a line of a workflow's step, sets the
      variables for the steps after it: they are appended to the file that `GITHUB_ENV` names, and printed is only the
      command that has the runner hide the tokens in its log (`::add-mask::`). Without `GITHUB_ENV` all of it is printed.

      \(variableDetails)

      Since a server chooses the values, `--var` refuses names that shells use themselves, and those that decide what
      programs run, which proxy they use or whom they trust, in small letters too:
      \(VariableName.shellList), every name that begins with one of \(VariableName.firmPrefixList);
      \(VariableName.refusedList); and, unless it ends with one of \(VariableName.allowedSuffixList), every name
      that begins with one of \(VariableName.refusedPrefixList) or ends with one of \(VariableName.refusedSuffixList).

      With `--hook` prints a function for the start file of an interactive shell, which keeps the variables fresh:
      before each prompt it compares two numbers and reads a line of the daemon's, and about once a minute, when the
      token is near its end, or when somebody signed in or out, locked, unlocked or chose another account, it asks
      the daemon, for half a second at most. It says nothing. A daemon that is slow to start or to answer is asked at a
      later prompt.
      When nobody is signed in, or the account is locked, it unsets the variables. It takes `--var`, `--min-valid` and
      an account. `AGENT_ACCOUNT` is neither set nor
      unset, unless `--var` names it: without an account the variables are those of the active one. bash from 4.2 on,
      zsh and fish from 3.2 on are supported; the output must stand between quotes.

      In bash the function stands first in `PROMPT_COMMAND`, whether that is a text or a list, and what is there goes on
      to see the status of the last command. To show the account in the prompt, have the hook set it, with
      `--var AGENT_ACCOUNT=account` beside the other variables: then `PS1='${AGENT_ACCOUNT:+[$AGENT_ACCOUNT] }'"$PS1"`
      shows it in bash, and the module `env_var.AGENT_ACCOUNT` in starship. With direnv, `.envrc` has
      `eval "$(agent env work)"`: direnv then sets the variables in that directory and takes them away elsewhere; it
      evaluates the file when it changes and at each entry, not when a token ends, so `agent exec` or the hook serves
      longer work better.
      """,
    options: [
      Option.shell.declaration, Option.variable.declaration, Option.unset.declaration, Option.hook.declaration,
      Option.minValid.declaration, Option.wait.declaration,
    ],
    operands: .account,
    examples: [
      Example("Set the variables in this shell", #"eval "$(agent env)""#),
      Example("The same in fish", "agent env --shell fish | source"),
      Example("The same in csh and tcsh", #"eval "`agent env --shell csh`""#),
      Example("The same for the next steps of a GitHub workflow", "agent env --shell github-actions"),
      Example("Set the one variable that a program wants", #"eval "$(agent env --var GITHUB_TOKEN=access_token)""#),
      Example("Keep it fresh, in ~/.bashrc", #"eval "$(agent env --hook bash --var GITHUB_TOKEN=access_token)""#),
    ])

  static let exec = Command(
    .exec,
    summary: "Run a command with a token in its environment",
    details: """
      Sets the variables that `agent env` names and becomes the command. The exit status is the command's own, 126 when
      it cannot be run and 127 when it is not found.

      \(variableDetails)

      The names that `agent env` refuses are refused here too.

      With `--lease` the command gets no token. `AGENT_SOCKET` names a socket by which it, and what it starts, may have
      `agent request` made with the account's token, as the options of the lease permit and until the command ends;
      its environment has no variable that an account's settings name (`agent account set --var`), that begins with
      `AGENT_`, or whose value is or contains a token of any account, also in a URL or in JSON. Values of less than 16
      bytes, tokens in base64, those from before the daemon's start, all but the last five of an account, and those of
      locked accounts are not recognized. If the daemon cannot check the environment, the command is not started.
      agent-serve(1) tells which requests are refused, what a lease promises, and what it does not: a command that can
      reach the daemon's own socket is not held by it, and one of the same user can read the environment of that user's
      other processes, such as the shell's, though not that of `agent`.

      With `--url-as` and `--token-as` a command needs to know nothing of leases. For each `--only`, in their order,
      `--url-as` names a variable that gets the URL of a port on this machine, and `--token-as` one that gets a token. The
      token is no token of the account: it stands for the lease, and is good at these ports alone, as `Bearer`, as the
      password of Basic, or in `X-Api-Key`, `Api-Key`, `Private-Token` and `X-Goog-Api-Key`. `agent-lease` answers there as
      the place would, by plain HTTP/1.1 with streams and bodies of any size; URLs of the place in `Location`,
      `Content-Location` and `Link` become those of the port, while bodies stay as they are. A request without the token
      gets 401, one that is not permitted 403, one for which the account needs a sign-in 503, each with the error as JSON.
      Other protocols (websockets, HTTP/2) get 501. A command that can reach the daemon's own socket is not held by it:
      then the token protects from accidents alone. Where the ports are not, see agent-lease-port(1).

      With `--token-file` the token is in a file, for a command that runs for longer than a token lives:
      `AGENT_TOKEN_FILE` has its path, and so has any variable that `--var` gives the field `token_file`. The file holds
      the token and nothing else, no line feed either; it is in the runtime directory and only the user may read it. It
      is replaced in one step at each renewal, of which there is one in time as long as the command runs, and it is gone
      when the command ends, however it ends. With `--id-token` it holds the ID Token, and is gone where that has ended
      and the server gives no new one. `AGENT_ACCESS_TOKEN` and `AGENT_TOKEN_EXPIRES_AT` are not set unless
      `--var` names them.

      `agent` then waits for the command and stays out of the way: signals are passed on, job control is as without it.
      With `--signal` the command gets that signal each time the file has changed, and with `--on-renewal` a program is
      run then, with the same variables, one at a time. When the account is signed out the file is removed, which is a
      change too, and the next sign-in brings it back. The same happens when the daemon is stopped, until one runs
      again; one that crashed is started anew.
      """,
    options: [
      Option.variable.declaration, Option.tokenFile.declaration, Option.idToken.declaration,
      Option.signal.declaration, Option.onRenewal.declaration, Option.minValid.declaration, Option.wait.declaration,
      Option.lease.declaration, Option.urlVariables.declaration, Option.tokenVariable.declaration,
    ] + Options.lease,
    everyday: ["var", "token-file", "signal", "min-valid", "wait", "lease", "only", "method", "for"],
    operands: .account,
    trailing: "COMMAND [ARGUMENT]...",
    examples: [
      Example("Give one program a token", "agent exec work -- ./deploy.sh"),
      Example(
        "Give it under the name that the program knows, with a claim",
        "agent exec --var GH_TOKEN=access_token --var EMAIL=claim:email -- ./report"),
      Example(
        "Keep a server in tokens that reads them again when it gets SIGHUP",
        "agent exec --token-file --signal HUP -- ./server --token-file-from AGENT_TOKEN_FILE"),
      Example(
        "Let a program read from one API for an hour, without a token",
        "agent exec --lease --only api.example.com/notes --method GET --for 1h work -- ./assistant"),
      Example(
        "Let a program use one API by HTTP, with a token that is good for nothing else",
        "agent exec --lease --only api.example.com/v1 --url-as API_URL --token-as API_KEY work -- ./assistant"
      ),
    ])

  static let serve = Command(
    .serve,
    summary: "Lend other programs requests with an account's token",
    details: """
      Makes a socket by which other programs have requests made with one account's token, and get no token. It holds
      only programs that cannot reach the daemon's own socket (in a mount namespace, on another machine), and who
      controls such a program controls what is sent to a place that is permitted.

      A program names the socket in `AGENT_SOCKET` and uses `agent request`. It gets no proof either, no account's name,
      no other account and no setting. Bodies are not looked at: what the account may read at a permitted place the
      program may read, and what it may write there the program may write.

      The peers of the lease talk to `agent-lease`, a process of its own for each lease. It holds no secret, knows no way
      to the daemon but for the requests of this lease, and cannot open files, connect or start programs (seccomp);
      `--no-jail` does without that where the kernel has no such filter.

      Prints the path of the socket, or with `--json` `{"account", "socket"}`, and runs until it gets SIGINT, SIGTERM or
      SIGHUP. The socket is in a directory of its own, closed to other users, so that this directory alone can be
      mounted or forwarded; it is gone when the command ends.

      The lease permits requests to all places that the account lists (`agent account set --host`), or to those of
      `--only`: a host, an origin, or a URL for what is below its path. `--method` permits no other methods. `--scope`,
      `--resource`, `--audience`, `--authorization-details` and `--exchange` choose the token that goes along, as in
      `agent token`; a peer cannot choose another.

      Without `--method`, all methods are permitted except those that name a second resource, such as `COPY` and `MOVE`. Those
      must be named, and are never sent for a path. A body goes with `POST`, `PUT` and `PATCH`, and with other methods that
      are named.

      With a path in `--only`, the path of a request has no `//`, no `;`, and nothing encoded but spaces and text past
      ASCII; no redirect is followed. The query is free.

      Header fields about the content and its form, conditions, ranges, tracing and `Idempotency-Key` pass, as do those of
      git, MCP, GitHub, OpenAI and Anthropic. `--allow-header` names others. All others are left out and counted. A request
      is refused if one routes, addresses or overrides it (`Forwarded`, `Cookie`, `X-Original-URL`,
      `X-HTTP-Method-Override` and their like), or if its name has other characters than letters, digits and hyphens. No
      cookie of a server comes back. What a server reads from a body, such as `_method` in a form, is not seen.

      An answer that contains the access token, also in base64 or percent-encoded, is cut off there, and the command
      prints a warning. This finds servers that repeat requests by accident, not those that help a program.

      With `--hand-out-token` a program gets the token itself, too, by `agent token`: the one of `--scope`, which must be
      named, and only if the server says that it has no other scope. Its account and issuer are not told. With `--confirm`
      the first request for each origin, and for the token, waits for a person: on the terminal of `agent serve`, or by
      the program that `--askpass` or `SSH_ASKPASS` names. It gets the question as its argument, and its exit status 0 is
      yes, as with `ssh-add -c`. An answer holds for the lease; none in a minute is no.

      It ends by `--for`, by `--times`, when the account is signed out or removed, and with the command. While the
      account is locked it answers with exit status 5. When the daemon ends, requests fail with exit status 4
      until the next one has opened the lease again, with the time and the number of requests that are left. A request that
      is not permitted fails with exit status 6. At most 16 leases can be open, with 32 connections each and 64 in all.

      Other users' processes are turned away. `--user` lets those of a user come, by number, as of a container: the socket
      is then open to all, and its directory can be passed by who knows the way, so that `agent-lease` looks at who comes.
      With `--socket` the directory may be one that others can read and not change. At the other end `AGENT_SOCKET_USER`
      names this user, by the number that it has there (65534 where a container's user namespace does not have it).

      In bubblewrap, with `DIRECTORY` for that of the socket: `bwrap --ro-bind /usr/bin/agent /agent --bind DIRECTORY /lease
      --setenv AGENT_SOCKET /lease/agent.sock --unshare-pid --clearenv /agent request URL`. An empty container needs no
      more than the same two. At the other end of `ssh -R FAR:PATH HOST`, where `FAR` is in a directory that is closed to
      others: `AGENT_SOCKET=FAR agent request URL`. A socket that is forwarded passes no descriptors, so bodies go with the
      lines of the protocol.

      `agent events --lease` tells what was done with it. The exit status is 0 also when the lease has ended by its time
      or its number of requests, and 3 when the session has ended.
      """,
    options: [Option.socket.declaration] + Options.lease,
    everyday: ["only", "method", "for", "times", "socket"],
    operands: .account,
    examples: [
      Example(
        "Lend one API for reading, for an hour",
        "agent serve work --only https://api.example.com/notes --method GET --for 1h"),
      Example(
        "Choose where the socket is, to forward it by ssh -R for three requests",
        "agent serve work --only api.example.com --times 3 --socket ~/lease/agent.sock"),
    ])

  static let leasePort = Command(
    .leasePort,
    summary: "Reach a lease by HTTP from a network of its own",
    details: """
      A command in a network namespace of its own (bubblewrap with `--unshare-net`, a container) does not see the ports of
      this machine that `agent exec --lease --url-as` opens. `agent lease-port` runs there: it opens the same ports, copies
      what the command sends to the socket of the lease in the mounted directory, and ends with the command.

      With bubblewrap: `agent exec --lease --only URL --url-as NAME --token-as NAME work -- sh -c 'exec bwrap --unshare-net
      --ro-bind / / --tmpfs /run --bind "${AGENT_SOCKET%/*}" "${AGENT_SOCKET%/*}" agent lease-port -- ./assistant'`.

      The sockets for HTTP are beside the one that `AGENT_SOCKET` names, `http-PORT.sock` for each place; a `FILE` names
      one of them. The exit status is that of the command, 126 if it cannot be run and 127 if it is not found.
      """,
    operands: .file,
    trailing: "COMMAND [ARGUMENT]...",
    examples: [
      Example(
        "Run a program that knows HTTP alone, inside a sandbox without a network", "agent lease-port -- ./assistant")
    ])

  private static let variableDetails = """
    With `--var`, only the named variables are set. `FIELD` is one of `access_token`, `id_token`, `token_type`,
    `expires_at`, `issuer`, `subject`, `account`, `scope` and `claim:NAME`, which is a claim of the verified ID Token: a
    text as it is, a number, `true` or `false` as such, a list or an object as compact JSON. When a field has no value,
    nothing is set and the command fails with exit status 1. Without `--var` those that `agent account set --var` gave
    the account are set.
    """
}
