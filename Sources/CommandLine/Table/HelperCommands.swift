internal import Vocabulary

/// The command that implements other programs' protocols.
enum HelperCommands {
  static let helper = Command(
    .helper,
    summary: "Give other programs tokens, in their own protocols",
    details: """
      Answers `git`, `docker`, `kubectl` and other programs that ask for a credential; `agent account set work --host
      git.example.com` says once which account's token may go where.

      `PROTOCOL` is one of \(Prose.words(HelperName.self)); the words behind it are those of the program that calls. The recipes below
      say how each program is told to call; agent-setup(1) does that for many of them, and takes it back.

      A helper never opens a browser, asks nothing and ends within 10 seconds. The token is good for a minute at least.
      With `--user` only a place with this user name or none is used, and the answer has it; for an answer without a user
      name, the place must list it. `aws` refuses it. Standard output has the whole answer or nothing, where the protocol wants no other, and an error is one line on
      standard error that ends with the command that helps.

      The place that the program wants to go to decides whose token it is: `--account`, if it is given and lists the place;
      else the account that lists the longest path above it, or else its origin. Two that fit equally well are refused, and
      named. The active account never counts, nor does `AGENT_ACCOUNT`. Without a place there is the token
      that `agent token` prints for `--account`. A host with a user name, a query, a fragment, a backslash or a control
      character in it gets the answer of a place that is not listed. A place must stand in the settings and, since a person confirmed it, in the
      vault. What else goes with a place (user name, ID Token or access token, scope, resource, audience, header) is said
      where it is listed, see `origins` in agent-config(5).

      A token that is bound to a key (DPoP) is refused: these programs cannot prove it. `agent request` can.

      The program also answers when it is called by another name: `git-credential-agent`, `docker-credential-agent` and
      `cargo-credential-agent`, which are installed beside it, and `keyring`, which is not, since it would hide another
      program of that name. As `keyring` it runs the next `keyring` on the `PATH` for a service that no account lists, and
      for all but `get`.

      `git`: `git config --global credential.https://git.example.com.helper agent`; `credential.useHttpPath` lets a path
      decide. git before 2.46 gets user name and password, later ones a `Bearer` header, unless the server asks for `Basic`
      only. `store` is ignored. `erase` drops the cached access token, if it is the one that git names, and signs nobody
      out. When a listed host has no session, git is told to give up, so that it asks for no password.
      After another failure git goes on to its next helper.

      `docker`, `podman`, `skopeo`: `{"credHelpers": {"registry.example.com": "agent"}}` in `~/.docker/config.json`. For an
      identity token the place has `user=<token>`.

      `kubectl`: a user with `exec: {apiVersion: client.authentication.k8s.io/v1, command: agent, args: [helper, kubectl],
      interactiveMode: Never, provideClusterInfo: true}`. It gets the ID Token, or with `token=access_token` the access
      token.

      `aws`: `credential_process = agent helper aws --role-arn arn:aws:iam::123456789012:role/NAME` in a profile of
      `~/.aws/config`. `agentd` trades the ID Token, or with `token=access_token` the access token, for credentials of the
      role (`AssumeRoleWithWebIdentity`), keeps them in memory and renews them 20 minutes before they end. The place is the
      Security Token Service of the region in `AWS_REGION` or `AWS_DEFAULT_REGION`, or what `--url` names: `agent account set
      work --host sts.eu-west-1.amazonaws.com`.

      `keyring`: for pip, `PIP_KEYRING_PROVIDER=subprocess` and a `keyring` on the `PATH` that is a link to this program;
      for uv, `UV_KEYRING_PROVIDER=subprocess` and a user name in the URL. Later versions of pip show nothing of what a
      `keyring` says; `agent doctor` tells why there is no token.

      `cargo`: `credential-provider = ["agent", "helper", "cargo"]` at the registry in `~/.cargo/config.toml`, also with
      `"--account", "work"`; or `["cargo:token-from-stdout", "agent", "helper", "cargo"]`. The token is sent with
      `Bearer` before it; `header=Authorization:` leaves that out.

      `go`: `go env -w GOAUTH='agent helper go'`. When a server answers 401 the token is renewed, once. go tells
      what its helpers say with `-x` only. A place that two accounts list is left out unless `--account` names one.

      `curl`: `agent helper curl --url URL | curl -K - URL`. `header` prints a whole header line, for `curl -H @-`.
      `netrc` prints a machine, for `curl --netrc-file <(agent helper netrc --url URL) URL`.

      `xoauth2` and `oauthbearer` print the first message of these SASL mechanisms in Base64, for mail programs:
      `agent helper xoauth2 --url imaps://imap.example.com --user me@example.com`. Without `--url`, `oauthbearer` names no host
      and no port.

      `mcp`: `"headersHelper": "agent helper mcp --url https://mcp.example.com/mcp"` in the configuration of an MCP client.

      `gcp`: `"credential_source": {"executable": {"command": "agent helper gcp --account work"}}` in Google's external
      account file, with `GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES=1`.
      """,
    options: [
      Option.url.declaration, Option.user.declaration, Option.roleARN.declaration, Option.roleSessionName.declaration,
      Option.roleDuration.declaration, Option.keyringMode.declaration, Option.keyringOutput.declaration,
    ],
    operands: .helperCall,
    examples: [
      Example(
        "Call an API without the token on the command line",
        "agent helper header --url https://api.example.com/me | curl -H @- https://api.example.com/me"),
      Example(
        "The same by curl's configuration",
        "agent helper curl --url https://api.example.com/me | curl -K - https://api.example.com/me"),
    ])
}

extension Option<String?> {
  static var url: Self { Self("url", in: .service, .text("URL"), "The place that the token is for") }
  static var user: Self { Self("user", in: .service, .text("NAME"), "The user name or mail address that goes with it") }
  static var roleARN: Self { Self("role-arn", in: .service, .text("ARN"), "The role that `aws` gives credentials of") }
  static var roleSessionName: Self {
    Self("session-name", in: .service, .text("NAME"), "The name of the role's session; by default `agentd`")
  }
  static var keyringMode: Self {
    Self("mode", in: .output, .text("MODE"), "What `keyring` prints: `password` or `creds`")
  }
  static var keyringOutput: Self {
    Self("output", in: .output, .text("FORMAT"), "How `keyring` prints it: `plain` or `json`")
  }
}

extension Option<Int?> {
  static var roleDuration: Self {
    Self("duration", in: .service, time: .duration(900...43_200), "How long the role's credentials are to be good")
  }
}
