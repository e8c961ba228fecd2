/// The commands that print tokens, or run another command with them.
enum TokenCommands {
  static let token = Command(
    .token,
    summary: "Print a valid access token",
    details: """
      Prints a token at once when a good one is at hand, and gets a new one from the server otherwise.

      With `--json`, prints `{"account", "issuer", "access_token", "token_type", "scope", "expires_at"}`, without the
      members that the server omitted. `"offline": true` is added if the token was due for renewal but the server could
      not be reached; it is valid until it expires.

      With `--id-token`, prints the verified ID Token that came with the access token, or an earlier one if the server
      has sent none since. With `--json`, it is the member `"id_token"`. It has its own lifetime. If there is none, the
      exit status is 1.

      `--scope`, `--resource`, `--audience` and `--authorization-details` request a token other than the account's own:
      one with fewer rights, or one for another resource. Each is kept in memory and renewed separately, and none
      replaces the account's own. With `--exchange`, the account's own token is exchanged for it (RFC 8693), for servers
      that require this. If the server withholds part of the requested scope, no token is printed and the exit status is
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
      Prints shell statements that set and export `AGENT_ACCESS_TOKEN` and other variables. To choose the variables, use
      `--var`.

      The variables are `AGENT_ACCESS_TOKEN`, `AGENT_TOKEN_TYPE`, `AGENT_TOKEN_EXPIRES_AT` (unix seconds),
      `AGENT_ACCOUNT`, `AGENT_ISSUER` and `AGENT_SUBJECT`. A variable without a value is unset. Every value is quoted,
      so it remains plain text even without quotes around `$(agent env)`. A value with a line break is refused.

      On failure, prints one statement that only sets the exit status, so that `eval "$(agent env)" || exit` stops. For
      output that is not evaluated, prints nothing.

      The default is `sh`, regardless of `SHELL`. `sh`, `bash` and `zsh` are the same and also suit dash and ksh. `csh`
      also suits tcsh; csh itself accepts no value of 4 KiB or more. `dotenv` writes `NAME="VALUE"` lines with a
      backslash before each `"`, `\\`, `$` and backquote. `json`, or `--json`, writes one object of strings. Both omit
      variables without a value. With `--unset`, `dotenv` writes empty values and `json` writes `null`.

      `powershell` is for `agent env --shell powershell | Out-String | Invoke-Expression`, and sets `$LASTEXITCODE` on
      failure. `nu` writes the object of `json`, for `agent env --shell nu | from json | load-env`. `systemd` writes the
      format of `dotenv`, for `EnvironmentFile=`. `github-actions`, alone on a line of a workflow step, sets the
      variables for later steps. It appends them to the file in `GITHUB_ENV`, and prints only the command that hides the
      tokens in the log (`::add-mask::`). Without `GITHUB_ENV`, it prints everything.

      \(variableDetails)

      The server chooses the values, so `--var` refuses names that shells use, or that control what programs run, which
      proxy they use or whom they trust, also in lower case: \(VariableName.shellList), every name that begins with one
      of \(VariableName.firmPrefixList); \(VariableName.refusedList); and, unless it ends with one of
      \(VariableName.allowedSuffixList), every name that begins with one of \(VariableName.refusedPrefixList) or ends
      with one of \(VariableName.refusedSuffixList).

      With `--hook`, prints a function for the start file of an interactive shell. It keeps the variables fresh: before
      each prompt, it compares two numbers and reads one line that the daemon writes. About once a minute, if the token
      is near its end, or after a sign-in, a sign-out, a lock, an unlock or a change of the active account, it asks the
      daemon, for at most half a second. It prints nothing. If the daemon is slow to start or answer, it tries again at
      a later prompt. If the account is signed out or locked, it unsets the variables. It accepts `--var`, `--min-valid`
      and an account. `AGENT_ACCOUNT` is neither set nor unset, unless `--var` names it. Without an account, the active
      one is used. It supports bash 4.2 or later, zsh, and fish 3.2 or later. The output must be in quotes.

      In bash, the function is first in `PROMPT_COMMAND`, a string or an array; existing commands there still see the
      last command's status. To show the account in the prompt, add `--var AGENT_ACCOUNT=account` to the hook's other
      variables. Then `PS1='${AGENT_ACCOUNT:+[$AGENT_ACCOUNT] }'"$PS1"` shows it in bash, and the module
      `env_var.AGENT_ACCOUNT` in starship. With direnv, `.envrc` contains `eval "$(agent env work)"`: direnv sets the
      variables in that directory and unsets them elsewhere. It evaluates the file on change and on entry, not when a
      token expires; for longer work, use `agent exec` or the hook.
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
      Example("Set the only variable that a program needs", #"eval "$(agent env --var GITHUB_TOKEN=access_token)""#),
      Example("Keep it fresh, in ~/.bashrc", #"eval "$(agent env --hook bash --var GITHUB_TOKEN=access_token)""#),
    ])

  static let exec = Command(
    .exec,
    summary: "Run a command with a token in its environment",
    details: """
      Sets the variables of `agent env` and replaces itself with the command. The exit status is that of the command,
      126 if it cannot be run and 127 if it is not found.

      \(variableDetails)

      Names refused by `agent env` are refused here too.

      With `--lease`, the command gets no token. `AGENT_SOCKET` names a socket through which it and its child processes
      can use `agent request` with the account's token, within the lease options and until it ends. Its environment
      contains no variable that an account's settings name (`agent account set --var`), that begins with `AGENT_`, or
      that contains a token of any account, also in a URL or in JSON. Values of less than 16 bytes, tokens in base64,
      tokens from before the daemon's start or of locked accounts, and all but an account's last five tokens are not
      recognized. If the daemon cannot check the environment, the command is not started. agent-serve(1) describes the
      refused requests, guarantees and limits of a lease. A lease does not restrict a command that can reach the
      daemon's own socket. A command of the same user can read the environment of the user's other processes, such as
      the shell, but not that of `agent`.

      With `--url-as` and `--token-as`, a command needs no support for leases. For each `--only`, in order, `--url-as`
      names a variable for the URL of a port on this machine, and `--token-as` one for a token. This token represents
      the lease, not the account, and is valid only at these ports, as `Bearer`, as the password of Basic, or in
      `X-Api-Key`, `Api-Key`, `Private-Token` and `X-Goog-Api-Key`. `agent-lease` answers there as the resource would,
      by plain HTTP/1.1 with streams and bodies of any size. URLs of the resource in `Location`, `Content-Location` and
      `Link` become those of the port; bodies are unchanged. A request without the token gets 401, a forbidden one 403,
      and one for which the account needs a sign-in 503, each with the error as JSON. Other protocols (websockets,
      HTTP/2) get 501. If the command can reach the daemon's own socket, the token only prevents accidents. If the
      command cannot reach the ports, see agent-lease-port(1).

      With `--token-file`, the token is in a file, for a command that outlives a token. `AGENT_TOKEN_FILE` contains its
      path, as does any variable that `--var` sets to the field `token_file`. The file contains only the token, without
      a line feed. It is in the runtime directory, and only the user can read it. The token is renewed in time while the
      command runs; each renewal replaces the file atomically. The file is removed when the command ends, however it
      ends. With `--id-token`, it contains the ID Token, and is removed if that has expired and the server sends no new
      one. `AGENT_ACCESS_TOKEN` and `AGENT_TOKEN_EXPIRES_AT` are set only if `--var` names them.

      `agent` then waits for the command. It passes signals on, and job control works as without it. With `--signal`,
      the command gets that signal each time the file changes. With `--on-renewal`, a program is run each time, with the
      same variables, one at a time. If the account is signed out, the file is removed, which is also a change; the next
      sign-in restores it. The same happens if the daemon is stopped, until one runs again. A daemon that crashed is
      restarted.
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
        "Use the variable name that the program expects, and add a claim",
        "agent exec --var GH_TOKEN=access_token --var EMAIL=claim:email -- ./report"),
      Example(
        "Give a server a token file and send SIGHUP when it changes",
        "agent exec --token-file --signal HUP -- ./server --token-file-from AGENT_TOKEN_FILE"),
      Example(
        "Let a program read from one API for an hour, without a token",
        "agent exec --lease --only api.example.com/notes --method GET --for 1h work -- ./assistant"),
      Example(
        "Let a program use one API by HTTP, with a token valid only there",
        "agent exec --lease --only api.example.com/v1 --url-as API_URL --token-as API_KEY work -- ./assistant"
      ),
    ])

  static let serve = Command(
    .serve,
    summary: "Lend other programs requests with an account's token",
    details: """
      Opens a socket through which other programs can make requests as one account without seeing its token. It
      restricts only programs that cannot reach the daemon's own socket (in a mount namespace, on another machine), and
      an attacker who controls such a program controls what it sends to permitted resources.

      Programs set `AGENT_SOCKET` to the socket's path and run `agent request`. They also get no proof, account name,
      other account or setting. Bodies are not inspected: at a permitted resource, they can read and write whatever the
      account can.

      The peers of the lease talk to `agent-lease`, a separate process for each lease. It has no secrets, can reach the
      daemon only for the requests of this lease, and cannot open files, connect or start programs (seccomp). With
      `--no-jail`, it runs without this filter if the kernel has none.

      Prints the path of the socket, or with `--json` `{"account", "socket"}`, and runs until it gets SIGINT, SIGTERM or
      SIGHUP. The socket is in its own directory, closed to other users, so that this directory alone can be mounted or
      forwarded. It is removed when the command ends.

      The lease permits requests to all hosts and origins that the account permits (`agent account set --host`), or to
      those of `--only`: a host, an origin, or a URL and everything below its path. `--method` permits only the named
      methods. `--scope`, `--resource`, `--audience`, `--authorization-details` and `--exchange` choose the token to
      send, as in `agent token`; a peer cannot choose another.

      Without `--method`, all methods are permitted except those that name a second resource, such as `COPY` and `MOVE`.
      Those must be named, and are never sent for a path. `POST`, `PUT`, `PATCH` and other named methods can have a
      body.

      If `--only` has a path, the path of a request must not contain `//`, `;`, or anything encoded except spaces and
      non-ASCII text, and no redirect is followed. The query is not restricted.

      Header fields for the content and its format, conditions, ranges, tracing and `Idempotency-Key` are sent, as are
      those of git, MCP, GitHub, OpenAI and Anthropic. `--allow-header` adds others. All others are dropped and counted.
      A request is refused if a field routes, addresses or overrides it (`Forwarded`, `Cookie`, `X-Original-URL`,
      `X-HTTP-Method-Override` and similar), or if a field name contains characters other than letters, digits and
      hyphens. Cookies from a server are not returned. Overrides in a body, such as `_method` in a form, are not
      detected.

      A response that contains the access token, also in base64 or percent-encoded, is cut off there, and the command
      prints a warning. This finds servers that repeat requests by accident, not servers that help a program.

      With `--hand-out-token`, a program can also get the token itself, by `agent token`. This requires `--scope`, and
      the server's confirmation that the token has no other scope. Its account and issuer are not disclosed. With
      `--confirm`, the first request for each origin, and for the token, waits for confirmation: on the terminal of
      `agent serve`, or by the program that `--askpass` or `SSH_ASKPASS` names. That program gets the question as its
      argument, and its exit status 0 means yes, as with `ssh-add -c`. An answer is valid for the entire lease; no
      answer within a minute means no.

      The lease ends after the time of `--for`, after the requests of `--times`, when the account is signed out or
      removed, and with the command. While the account is locked, requests fail with exit status 5. If the daemon ends,
      requests fail with exit status 4 until the next daemon has reopened the lease, with the remaining time and number
      of requests. A request that is not permitted fails with exit status 6. At most 16 leases can be open, with 32
      connections each and 64 in total.

      Other users' processes are refused. `--user` admits those of a user, by number, such as a container's. The socket
      is then open to all, anyone who knows the path can pass through its directory, and `agent-lease` checks each
      connection's user. With `--socket`, other users may read the directory but not change it. At the other end, set
      `AGENT_SOCKET_USER` to this user's number there (65534 if the container's user namespace lacks it).

      In bubblewrap, with the socket's directory as `DIRECTORY`: `bwrap --ro-bind /usr/bin/agent /agent --bind DIRECTORY
      /lease --setenv AGENT_SOCKET /lease/agent.sock --unshare-pid --clearenv /agent request URL`. An empty container
      needs only the same two mounts. At the other end of `ssh -R FAR:PATH HOST`, with `FAR` in a directory closed to
      others: `AGENT_SOCKET=FAR agent request URL`. A forwarded socket passes no descriptors, so bodies are sent in the
      protocol's lines.

      `agent events --lease` shows the use of the lease. The exit status is also 0 if the lease ended by its time or its
      number of requests, and 3 if the session has ended.
      """,
    options: [Option.socket.declaration] + Options.lease,
    everyday: ["only", "method", "for", "times", "socket"],
    operands: .account,
    examples: [
      Example(
        "Lend one API for reading, for an hour",
        "agent serve work --only https://api.example.com/notes --method GET --for 1h"),
      Example(
        "Choose the socket's path, to forward it by ssh -R for three requests",
        "agent serve work --only api.example.com --times 3 --socket ~/lease/agent.sock"),
    ])

  static let leasePort = Command(
    .leasePort,
    summary: "Reach a lease by HTTP from a network of its own",
    details: """
      A command in its own network namespace (bubblewrap with `--unshare-net`, a container) cannot reach the ports of
      this machine that `agent exec --lease --url-as` opens. Run in that namespace, `agent lease-port` opens the same
      ports, copies what the command sends to the socket of the lease in the mounted directory, and ends with the
      command.

      With bubblewrap: `agent exec --lease --only URL --url-as NAME --token-as NAME work -- sh -c 'exec bwrap
      --unshare-net --ro-bind / / --tmpfs /run --bind "${AGENT_SOCKET%/*}" "${AGENT_SOCKET%/*}" agent lease-port --
      ./assistant'`.

      The sockets for HTTP are next to the one that `AGENT_SOCKET` names, `http-PORT.sock` for each resource. A `FILE`
      selects one of them. The exit status is that of the command, 126 if it cannot be run and 127 if it is not found.
      """,
    operands: .file,
    trailing: "COMMAND [ARGUMENT]...",
    examples: [
      Example(
        "Run a program that only supports HTTP in a sandbox without a network", "agent lease-port -- ./assistant")
    ])

  private static let variableDetails = """
    With `--var`, only the named variables are set. `FIELD` is one of `access_token`, `id_token`, `token_type`,
    `expires_at`, `issuer`, `subject`, `account`, `scope` and `claim:NAME`, a claim of the verified ID Token. Strings,
    numbers, `true` and `false` are copied unchanged; arrays and objects are written as compact JSON. If a field has no
    value, nothing is set and the command fails with exit status 1. Without `--var`, the variables of
    `agent account set --var` are set.
    """
}
