internal import Vocabulary
internal import Vocabulary
internal import Wire

/// The page agent-config(5).
enum ManualConfiguration {
  typealias Member = Manual.Member

  static var sections: [ManualSection] {
    [
      ManualSection("NAME", [.raw(".Nm agent-config\n.Nd accounts and settings of agent\n")]),
      ManualSection("DESCRIPTION", description),
      ManualSection("THE FILE", [.members(file)]),
      ManualSection("ACCOUNTS", accountBlocks),
      ManualSection("WHEN TOKENS ARE RENEWED", [.text(renewal), .list(policies, macro: "Cm"), .text(overload)]),
      ManualSection("WHERE TOKENS GO", placeBlocks),
      ManualSection("WHAT IS BOUND TO THE SIGN-IN", bindingBlocks),
      ManualSection("COMMANDS FOR EVENTS", commandBlocks),
      ManualSection("CLIENT IDS FOR SERVICES", clientsBlocks),
      ManualSection(
        "ENVIRONMENT",
        [.list(Manual.environment.filter { ["XDG_CONFIG_HOME", "AGENT_ACCOUNT"].contains($0.term) }, macro: "Ev")]),
      ManualSection("FILES", [.list(files, macro: "Pa")]),
      ManualSection(
        "EXAMPLES", [.text("Two accounts, the first of them active, and a command:"), .code(example)]),
      ManualSection(
        "SEE ALSO",
        [.seeAlso([("agent", 1), ("agent-account", 1), ("agent-helper", 1), ("agent-providers", 7), ("agentd", 8)])]),
      ManualSection("SECURITY CONSIDERATIONS", security),
    ]
  }

  private static let description: [ManualBlock] = [
    .text(
      "`config.json` contains the accounts of `agent` and their settings, but no secrets. `agent login` and `agent"
        + " use` write it. You can also edit it by hand, even while the daemon runs: it is read again after each"
        + " change."),
    .text(
      "It is one JSON object in UTF-8, at most 4 MiB. A member with a wrong value makes the file invalid, and the"
        + " error names the member. Unknown members, here or in an account, are kept. Writing replaces the file,"
        + " which breaks hard links; for symbolic links, see FILES."),
    .text(
      "An account made by `agent account add` has the member `never_signed_in`, which is true, until its first"
        + " sign-in. It is not the active account if another account has been signed in to, unless `agent use` names"
        + " it."
    ),
  ]

  static let file = [
    Member(
      "version", "number",
      "The version of the format, 2. Required. Version 1 is also read, and written as version 2: it had `keep` as"
        + " `keep_access_token`, and the endpoints in an object `endpoints`."),
    Member("active", "text", "The account for commands that name none. Must be one of the accounts; by default none."),
    Member("previous", "text", "The previously active account, for `agent use -`; by default none."),
    Member("accounts", "object", "The accounts by name, at most 1000; by default none."),
    Member(
      "lock_after", "number",
      "The vault locks accounts protected by a passphrase or PIN after this many seconds without use; 0 for never, by"
        + " default 900. See `agent vault set`."),
    Member("on", "list of objects", "The commands to run for events, at most 32; by default none."),
  ]

  private static let clientsBlocks: [ManualBlock] = [
    .text(
      "If no client id is given for a new account, `agent login` looks for one in `clients.json` next to the settings"
        + " file, then in `/etc/agent/clients.json`. Each is one JSON object with a member for each provider of"
        + " agent-providers(7), by name, or for each issuer, by URL; the URL has priority. The sign-in reports the file"
        + " it used. Members of such a client:"),
    .members(client),
    .text(
      "Any other member makes the file invalid: the file cannot decide where a token or a code is sent. `/etc/agent`"
        + " and the file in it must belong to root and be writable by no other user; the user's file and its directory,"
        + " to the user."),
    .code([#"{"github": {"client_id": "Iv1.0123456789abcdef", "scope": ["read:user"]}}"#]),
  ]

  static let client = [
    Member(
      "client_id", "text",
      "The client identifier, which may be the URL of the client's metadata: see `agent account client-metadata`."
        + " Required."),
    Member("scope", "list of texts", "The scope to request; by default that of the provider."),
    Member("redirect_uri", "text", "The registered redirect URI, at a loopback address; by default the usual one."),
    Member(
      "client_secret", "text",
      "The client secret, only for a provider whose secret is not confidential (`public-secret` in agent-providers(7))."
    ),
  ]

  private static let placeBlocks: [ManualBlock] = [
    .text(
      "An element of `origins` is a host or a URL, optionally followed by details, separated by spaces. `agent"
        + " account set work --host 'git.example.com/team user=bot'` adds an element, or replaces the one with the"
        + " same origin and path. A host without a scheme means https. `imaps://HOST`, `submission://HOST` and"
        + " `submissions://HOST` are mail servers over TLS: agent-helper(1) returns tokens for them, and `agentd`"
        + " sends nothing there. A path applies to requests at that path and below; the longest match wins. A client"
        + " that sends no path, like git by default, matches the element for the whole origin, or else that of the"
        + " only account with any path."),
    .list(placeDetails, macro: "Cm"),
    .code([
      #""origins": ["https://api.example.com","#,
      #"  "https://git.example.com/team user=bot","#,
      #"  "https://k8s.example.com:6443 token=id_token","#,
      #"  "https://packages.example.com scope=read audience=packages header=Basic","#,
      #"  "imaps://imap.example.com user=me@example.com"]"#,
    ]),
    .text(
      "`agent request` uses the path, `scope`, `resource` and `audience`, unless its command line specifies others;"
        + " `user`, `token` and `header` are for helpers."),
  ]

  private static let placeDetails = [
    Manual.Item(
      term: "user=NAME",
      meaning:
        "The user name for the token; a client that requests another one gets no token from this element. Without it,"
        + " the client's user name is used, or else `oauth2`; most servers that accept a token as a password ignore"
        + " it."),
    Manual.Item(
      term: "token=access_token", meaning: "Use the access token, also for `kubectl` and `gcp`."),
    Manual.Item(
      term: "token=id_token", meaning: "Use the ID Token. It is renewed if it has less than a minute left."),
    Manual.Item(
      term: "scope=S, resource=URI, audience=A",
      meaning: "Use a separate token with this scope, for this resource (RFC 8707) or audience; `scope` and"
        + " `resource` may occur several times."),
    Manual.Item(
      term: "header=SCHEME",
      meaning:
        "Send the token as `Authorization: SCHEME TOKEN`, or with `Basic` the user name and the token (RFC 7617). By"
        + " default `Bearer`."),
    Manual.Item(
      term: "header=NAME:SCHEME, header=NAME:",
      meaning: "The same in another header, or the token alone: `header=PRIVATE-TOKEN:`."),
  ]

  private static let commandBlocks: [ManualBlock] = [
    .text(
      "The daemon runs the commands of the list `on` for events of a session or an account. Edit the list by hand;"
        + " changes apply from the next event. Members of an element:"),
    .members(command),
    .text(
      "A command reads the event from standard input, as a line of `agent events --json`. The event never contains a"
        + " token; the command can run `agent token`. Its output is discarded. It runs in `/`, in its own session,"
        + " with only `HOME`, `USER`, `LOGNAME`, `PATH`, `TZ`, the language and the XDG directories in its"
        + " environment, and `AGENT_SOCKET` if the socket is not in its default location. After the timeout its"
        + " process group gets `SIGTERM`, and two seconds later `SIGKILL`. At most 4 commands run at once and 64"
        + " wait; further ones are dropped. When the daemon stops, running commands have 5 seconds to end. Failures,"
        + " timeouts and dropped commands are recorded in `agent daemon log`."),
  ]

  static let command = [
    Member(
      "run", "list of texts",
      "The absolute path of the program, and its arguments; no shell is used. At most 32. Required."),
    Member("events", "list of texts", "The events to run it for, by their names in agent(1); by default all."),
    Member(
      "account", "text",
      "Run it only for events of this account; by default every account. It need not exist yet."),
    Member("timeout", "number", "The timeout in seconds, 1 to 300; by default 30."),
  ]

  private static let accountBlocks: [ManualBlock] = [
    .text(
      "An account name is 1 to 64 letters, digits, dots, dashes and underscores, and does not begin with a dot or a"
        + " dash. A text is at most 4096 bytes, and a list has at most 64 elements."),
    .members(account),
  ]

  static let account = AccountSetting.all.map { setting in
    var sentences = [setting.kind == .flag ? "\(setting.summary); by default `false`." : setting.declaration.sentence]
    if let fallback = setting.fallback { sentences.append("By default `\(fallback)`.") }
    if !setting.details.isEmpty { sentences.append(setting.details) }
    if setting.countsAtSignIn { sentences.append("Takes effect at the next sign-in.") }
    if setting.option != nil { sentences.append("Option `--\(setting.word)`.") }
    return Member(setting.name, Member(setting).type, sentences.joined(separator: " "))
  }

  private static let renewal =
    "Under every policy, a token with less than a minute left, or a tenth of its lifetime if that is less, is renewed"
    + " before it is returned. If a resource refuses a token, it is renewed once. `refresh` selects what `agentd`"
    + " does in addition:"

  private static let policies = [
    Manual.Item(
      term: "on-demand",
      meaning: "Nothing. An unused session sends nothing, and the server may end it for that."),
    Manual.Item(
      term: "proactive",
      meaning: "Renew a used token before it expires: two and a half to five minutes before, but at most half of its"
        + " lifetime before."),
    Manual.Item(
      term: "background",
      meaning:
        "Keep a valid token at all times from the start of `agentd`, used or not, while the server and the user keep"
        + " the session. Signed-out accounts stay signed out."),
    Manual.Item(
      term: "offline",
      meaning: "Like `proactive`. In addition, a refresh that fails because the network or the server is down is"
        + " repeated automatically as soon as it is back. Until then, an unexpired token is returned at once, marked"
        + " as `offline`."),
    Manual.Item(
      term: "strict",
      meaning: "Nothing. In addition, a token stays in memory for at most five minutes, and only while it may be"
        + " returned without `--min-valid`. It is not returned merely because the server cannot be reached. Use this"
        + " for accounts with valuable tokens."),
  ]

  private static let overload =
    "Tokens with a lifetime below one minute are renewed only on request. If a server answers 429 or 503, or"
    + " specifies a time to wait, no account sends it requests until then: renewals wait, and commands that need a"
    + " new token fail with exit status 4 and report the time, unless `--wait` makes them wait too."

  /// The settings that a record in the vault repeats.
  static let bound = AccountSetting.all.filter(\.isSealed).map(\.name)

  private static let bindingBlocks: [ManualBlock] = [
    .text(
      "These settings decide where secrets are sent, so the vault also stores their values at sign-in: "
        + bound.map { "`\($0)`" }.joined(separator: ", ")
        + ". For `ca_file`, the content is compared, not the path. If a value differs, the account is signed out, its"
        + " commands fail with exit status 3 and the code `configuration_changed`, and nothing is sent. Restoring"
        + " the setting makes the session usable again; signing in again accepts the new setting."),
    .text(
      "`origins` is in the vault too. A URL gets the token only if both permit it: an element added by hand is"
        + " refused until `agent account set` names it or the user signs in again."),
    .text(
      "`proxy` may differ, unless the vault contains a password for it. `scope`, `resource`, `audience`,"
        + " `parameters`, `claims`, `authorization_details`, `no_proxy`, `keep`, `dpop`, `protect`, `refresh`,"
        + " `lock_after` and `active` may be changed at any time."),
  ]

  private static let files = [
    Manual.Item(
      term: "$XDG_CONFIG_HOME/agent/clients.json", meaning: "The user's client ids for services; optional."),
    Manual.Item(term: "/etc/agent/clients.json", meaning: "The administrator's client ids for services; optional."),
    Manual.Item(
      term: "$XDG_CONFIG_HOME/agent/config.json",
      meaning:
        "The file, created with mode 0600 in a directory of mode 0700. Both must belong to the user and be writable"
        + " by no other user. Each may be a symbolic link. It is followed, and kept on writing, if every directory"
        + " that the link leads through belongs to the user or root and is writable by no other user; the"
        + " directories that lead to the link itself are not checked."),
    Manual.Item(
      term: "$XDG_CONFIG_HOME/agent/config.lock",
      meaning: "Locked while the file is replaced. A program that edits the file must hold the lock, by flock(2)."),
  ]

  static let example = [
    "{",
    #"  "version": 2,"#,
    #"  "active": "work","#,
    #"  "accounts": {"#,
    #"    "work": {"#,
    #"      "issuer": "https://id.example.com","#,
    #"      "client_id": "my-cli","#,
    #"      "scope": ["openid", "offline_access"]"#,
    "    },",
    #"    "lab": {"#,
    #"      "issuer": "http://127.0.0.1:8080","#,
    #"      "client_id": "lab","#,
    #"      "allow_http_loopback": true,"#,
    #"      "userinfo_endpoint": "http://127.0.0.1:8080/me""#,
    "    }",
    "  },",
    #"  "on": ["#,
    #"    { "events": ["signed_out", "expired"], "run": ["/usr/bin/notify-send", "A session is over"] }"#,
    "  ]",
    "}",
  ]

  private static let security: [ManualBlock] = [
    .text(
      "Anyone who can write the file can choose the account that a command uses, and can make accounts unusable. They"
        + " cannot send a token or a client secret to another server. They can make the daemon run commands as the"
        + " user, who is the only one who may write the file.")
  ]
}
