internal import Vocabulary

/// The command that implements other programs' protocols.
enum HelperCommands {
  static let helper = Command(
    .helper,
    summary: "Give other programs tokens, in their own protocols",
    details: """
      Answers `git`, `docker`, `kubectl` and other programs that ask for a credential. To permit a host for an account's
      token, run once: `agent account set work --host git.example.com`.

      `PROTOCOL` is one of \(Prose.words(HelperName.self)); the words after it come from the calling program. The
      recipes below configure each program; agent-setup(1) automates many of them, and can undo that.

      A helper never opens a browser, asks no questions and ends within 10 seconds. The token is valid for at least a
      minute. With `--user`, only a permitted URL with this user name or none is used, and the answer includes the name;
      in a protocol without user names, the permitted URL must have it. `aws` refuses this option. Standard output is
      complete or empty, unless the protocol requires otherwise. An error is one line on standard error that ends with a
      command that helps.

      The requested URL selects the account: that of `--account`, if it permits the URL; else the account that permits
      the longest path above it, or else its origin. Two equal matches are refused, and both are named. The active
      account and `AGENT_ACCOUNT` are ignored. Without a URL, the token is the one that `agent token` prints for
      `--account`. A host that contains a user name, a query, a fragment, a backslash or a control character is treated
      as not permitted. A URL must be permitted in the settings and, as confirmed by the user, in the vault. For its
      details (user name, ID Token or access token, scope, resource, audience, header), see `origins` in
      agent-config(5).

      A token that is bound to a key (DPoP) is refused, because these programs cannot prove possession. `agent request`
      can.

      The program also works under other names: `git-credential-agent`, `docker-credential-agent` and
      `cargo-credential-agent`, which are installed with it, and `keyring`, which is not, because it would hide another
      program of that name. As `keyring`, it runs the next `keyring` on the `PATH` for services that no account permits,
      and for all operations except `get`.

      `git`: `git config --global credential.https://git.example.com.helper agent`; with `credential.useHttpPath`, the
      path is matched too. git before 2.46 gets a user name and password. Later versions get a `Bearer` header, unless
      the server asks only for `Basic`. `store` is ignored. `erase` drops the cached access token if git names it, and
      signs no account out. If a permitted host has no session, git stops without asking for a password. After other
      failures git tries its next helper.

      `docker`, `podman`, `skopeo`: `{"credHelpers": {"registry.example.com": "agent"}}` in `~/.docker/config.json`. For
      an identity token, permit the host with `user=<token>`.

      `kubectl`: a user with `exec: {apiVersion: client.authentication.k8s.io/v1, command: agent, args: [helper,
      kubectl], interactiveMode: Never, provideClusterInfo: true}`. It gets the ID Token, or with `token=access_token`
      the access token.

      `aws`: `credential_process = agent helper aws --role-arn arn:aws:iam::123456789012:role/NAME` in a profile of
      `~/.aws/config`. `agentd` exchanges the ID Token, or with `token=access_token` the access token, for credentials
      of the role (`AssumeRoleWithWebIdentity`), keeps them in memory and renews them 20 minutes before they expire. The
      URL is the Security Token Service of the region in `AWS_REGION` or `AWS_DEFAULT_REGION`, or the value of `--url`.
      To permit it: `agent account set work --host sts.eu-west-1.amazonaws.com`.

      `keyring`: for pip, `PIP_KEYRING_PROVIDER=subprocess` and a `keyring` on the `PATH` that is a link to this
      program; for uv, `UV_KEYRING_PROVIDER=subprocess` and a user name in the URL. Later versions of pip hide the
      messages of a `keyring`; `agent doctor` reports why there is no token.

      `cargo`: `credential-provider = ["agent", "helper", "cargo"]` for the registry in `~/.cargo/config.toml`,
      optionally with `"--account", "work"`; or `["cargo:token-from-stdout", "agent", "helper", "cargo"]`. The token is
      sent with a `Bearer` prefix; `header=Authorization:` omits the prefix.

      `go`: `go env -w GOAUTH='agent helper go'`. If a server answers 401, the token is renewed once. go prints the
      messages of its helpers only with `-x`. A URL permitted for two accounts is left out unless `--account` names one.

      `curl`: `agent helper curl --url URL | curl -K - URL`. `header` prints a complete header line, for `curl -H @-`.
      `netrc` prints a machine entry, for `curl --netrc-file <(agent helper netrc --url URL) URL`.

      `xoauth2` and `oauthbearer` print the first message of these SASL mechanisms in Base64, for mail programs: `agent
      helper xoauth2 --url imaps://imap.example.com --user me@example.com`. Without `--url`, `oauthbearer` includes no
      host and no port.

      `mcp`: `"headersHelper": "agent helper mcp --url https://mcp.example.com/mcp"` in the configuration of an MCP
      client.

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
        "The same with a curl configuration",
        "agent helper curl --url https://api.example.com/me | curl -K - https://api.example.com/me"),
    ])
}

extension Option<String?> {
  static var url: Self { Self("url", in: .service, .text("URL"), "The URL to get a token for") }
  static var user: Self { Self("user", in: .service, .text("NAME"), "The user name or mail address for the token") }
  static var roleARN: Self { Self("role-arn", in: .service, .text("ARN"), "The role that `aws` gets credentials for") }
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
    Self("duration", in: .service, time: .duration(900...43_200), "The lifetime of the role's credentials")
  }
}
