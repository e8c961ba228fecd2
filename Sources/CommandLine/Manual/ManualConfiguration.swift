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
        "EXAMPLES", [.text("Two accounts, of which the first is the active one, and a command:"), .code(example)]),
      ManualSection(
        "SEE ALSO",
        [.seeAlso([("agent", 1), ("agent-account", 1), ("agent-helper", 1), ("agent-providers", 7), ("agentd", 8)])]),
      ManualSection("SECURITY CONSIDERATIONS", security),
    ]
  }

  private static let description: [ManualBlock] = [
    .text(
      "`config.json` holds the accounts of `agent` and their settings, and no secrets. `agent login` and `agent use` write"
        + " it; it may also be edited by hand, while nothing runs or while the daemon does: it is read again when it has"
        + " changed."),
    .text(
      "It is one JSON object in UTF-8, at most 4 MiB. A member with a wrong value makes the file invalid, and the error"
        + " names the member. A member with no known name, here or in an account, is kept as it is when the file is"
        + " written. The file is replaced whole, so a link in its place does not stay."),
    .text(
      "An account that `agent account add` made and that nobody has signed in to has the member `never_signed_in`, which is"
        + " true. It is not the active one beside an account that somebody has signed in to, unless `agent use` names it."
    ),
  ]

  static let file = [
    Member(
      "version", "number",
      "The version of the format, 2. Must be there. Version 1 is read too and written as version 2: it had `keep` as"
        + " `keep_access_token`, and the endpoints in an object `endpoints`."),
    Member("active", "text", "The account of commands that name none. Must be one of the accounts; by default none."),
    Member("previous", "text", "The account that was active before, for `agent use -`; by default none."),
    Member("accounts", "object", "The accounts by name, at most 1000; by default none."),
    Member(
      "lock_after", "number",
      "After how many seconds without use the vault locks what a passphrase or a PIN protects; 0 for never, by default"
        + " 900. See `agent vault set`."),
    Member("on", "list of objects", "The commands that are run when something happens, at most 32; by default none."),
  ]

  private static let clientsBlocks: [ManualBlock] = [
    .text(
      "`agent login` looks for the client id of a new account, where none is named, in `clients.json` beside the settings"
        + " file, and then in `/etc/agent/clients.json`. Each is one JSON object with a member for each provider of"
        + " agent-providers(7), by its name, or for each issuer, by its URL, which goes first. The sign-in says which file"
        + " it used. Members of such a client:"),
    .members(client),
    .text(
      "Any other member makes the file invalid: it cannot say where a token or a code goes. `/etc/agent` and the file in"
        + " it must be root's and writable by nobody else; those of the user, the user's."),
    .code([#"{"github": {"client_id": "Iv1.0123456789abcdef", "scope": ["read:user"]}}"#]),
  ]

  static let client = [
    Member(
      "client_id", "text",
      "The client identifier, which may be the URL of the client's metadata: see `agent account client-metadata`. Must be"
        + " there."),
    Member("scope", "list of texts", "The scope to ask for; by default that of the provider."),
    Member("redirect_uri", "text", "The redirect URI that is registered, at a loopback address; by default the usual."),
    Member(
      "client_secret", "text",
      "The client secret, only for a provider whose secret is not confidential (`public-secret` in agent-providers(7))."
    ),
  ]

  private static let placeBlocks: [ManualBlock] = [
    .text(
      "An element of `origins` is a host or a URL, and behind it, after spaces, details. `agent account set work --host"
        + " 'git.example.com/team user=bot'` adds one, or replaces the one of the same origin and path. Hosts without a scheme"
        + " are those over https. `imaps://HOST`, `submission://HOST` and `submissions://HOST` are mail servers over TLS:"
        + " agent-helper(1) hands out tokens for them, and `agentd` sends nothing there. With a path, it is for requests at"
        + " that path and below; of several the longest counts. A client that tells no path, as git does by default, gets"
        + " what is there for the whole origin, or else the only account with any path."),
    .list(placeDetails, macro: "Cm"),
    .code([
      #""origins": ["https://api.example.com","#,
      #"  "https://git.example.com/team user=bot","#,
      #"  "https://k8s.example.com:6443 token=id_token","#,
      #"  "https://packages.example.com scope=read audience=packages header=Basic","#,
      #"  "imaps://imap.example.com user=me@example.com"]"#,
    ]),
    .text(
      "`agent request` heeds the path, `scope`, `resource` and `audience`, where its command line names no others; `user`,"
        + " `token` and `header` are for helpers."),
  ]

  private static let placeDetails = [
    Manual.Item(
      term: "user=NAME",
      meaning:
        "The user name that goes with the token; a client that names another one gets no token from here. Without"
        + " it that of the client, or else `oauth2`, which servers that take a token as a password mostly ignore."),
    Manual.Item(
      term: "token=access_token", meaning: "The access token is meant, also for `kubectl` and `gcp`."),
    Manual.Item(
      term: "token=id_token", meaning: "The ID Token is meant. It is renewed when it has less than a minute left."),
    Manual.Item(
      term: "scope=S, resource=URI, audience=A",
      meaning: "The token is one of its own, with this scope, for this resource (RFC 8707) or audience; `scope` and"
        + " `resource` may be there several times."),
    Manual.Item(
      term: "header=SCHEME",
      meaning:
        "The token is sent as `Authorization: SCHEME TOKEN`; with `Basic` user name and token are sent (RFC 7617)."
        + " By default `Bearer`."),
    Manual.Item(
      term: "header=NAME:SCHEME, header=NAME:",
      meaning: "The same in another header, or the token alone: `header=PRIVATE-TOKEN:`."),
  ]

  private static let commandBlocks: [ManualBlock] = [
    .text(
      "The daemon runs the commands of the list `on` when something happens to a session or an account. The list is edited"
        + " by hand, and counts from the next event on. Members of an element:"),
    .members(command),
    .text(
      "A command gets the event as one line of JSON on its standard input, as `agent events --json` prints it, and never a"
        + " token; with `agent token` it can get one. Its output goes nowhere. It runs in `/`, in a session of its own,"
        + " with no more of the environment than `HOME`, `USER`, `LOGNAME`, `PATH`, `TZ`, the language and the XDG"
        + " directories; `AGENT_SOCKET` is there when the socket is not in its usual place. When its time is over its"
        + " process group gets `SIGTERM`, and two seconds later `SIGKILL`. At most 4 commands run at once and 64 wait; what"
        + " comes on top is left out. When the daemon stops they have 5 seconds. A command that fails, takes too long or is"
        + " left out is noted in `agent daemon log`."),
  ]

  static let command = [
    Member(
      "run", "list of texts",
      "The program by its absolute path, and its arguments: no shell reads them. At most 32. Must be there."),
    Member("events", "list of texts", "What it is run for, by the names that agent(1) has for events; by default all."),
    Member(
      "account", "text",
      "Only what concerns this account; by default every account. It need not be there yet."),
    Member("timeout", "number", "How many seconds it may run, 1 to 300; by default 30."),
  ]

  private static let accountBlocks: [ManualBlock] = [
    .text(
      "The name of an account is 1 to 64 letters, digits, dots, dashes and underscores, and begins with none of a dot and"
        + " a dash. A text is at most 4096 bytes, a list has at most 64 elements."),
    .members(account),
  ]

  static let account = AccountSetting.all.map { setting in
    var sentences = [setting.kind == .flag ? "\(setting.summary); by default `false`." : setting.declaration.sentence]
    if let fallback = setting.fallback { sentences.append("By default `\(fallback)`.") }
    if !setting.details.isEmpty { sentences.append(setting.details) }
    if setting.countsAtSignIn { sentences.append("Counts at the next sign-in.") }
    if setting.option != nil { sentences.append("Option `--\(setting.word)`.") }
    return Member(setting.name, Member(setting).type, sentences.joined(separator: " "))
  }

  private static let renewal =
    "Under every policy a token with less than a minute left, or a tenth of its lifetime if that is less, is renewed"
    + " before it is given out; a resource that refuses one has it renewed once. What `refresh` decides is what `agentd`"
    + " does besides:"

  private static let policies = [
    Manual.Item(
      term: "on-demand",
      meaning: "Nothing. A session that nobody uses sends nothing, and the server may end it for that."),
    Manual.Item(
      term: "proactive",
      meaning: "A token that somebody has used is renewed before it expires: two and a half to five minutes before, at"
        + " most half of its lifetime."),
    Manual.Item(
      term: "background",
      meaning:
        "The account always has a good token, from the start of `agentd` on, used or not, for as long as the server"
        + " and the person let the session live. What was signed out stays so."),
    Manual.Item(
      term: "offline",
      meaning: "As `proactive`; and a refresh that fails because the network or the server is away is made as soon as"
        + " either is back, with nobody asking. Until then a token that has not expired is given out at once, marked as"
        + " `offline`."),
    Manual.Item(
      term: "strict",
      meaning: "Nothing; and a token stays in memory for five minutes at most, and no longer than it may be given out"
        + " without `--min-valid`. It is not given out because the server cannot be reached. For accounts whose tokens are"
        + " worth much."),
  ]

  private static let overload =
    "Tokens that live for less than a minute are renewed only when somebody asks. A server that answers 429 or 503, or says"
    + " when to come back, is left alone by all accounts that have it: renewals wait, and commands that need a new token"
    + " fail with exit status 4 and the time to wait, unless `--wait` lets them wait too."

  /// The settings that a record in the vault repeats.
  static let bound = AccountSetting.all.filter(\.isSealed).map(\.name)

  private static let bindingBlocks: [ManualBlock] = [
    .text(
      "These settings say where secrets go, so they are kept in the vault as well, as they were at sign-in: "
        + bound.map { "`\($0)`" }.joined(separator: ", ")
        + ". Of `ca_file` it is the content that counts, not the path. When one of them differs, the account is signed out"
        + " and its commands fail with exit status 3 and the code `configuration_changed`; nothing is sent. Putting the"
        + " setting back makes the session usable again; signing in again makes the new setting the right one."),
    .text(
      "`origins` is in the vault too. A place gets the token only when both list it: one that was written into the file by"
        + " hand is refused until `agent account set` names it, or the account is signed in to anew."),
    .text(
      "`proxy` may differ, unless the vault holds a password for it. `scope`, `resource`, `audience`, `parameters`, `claims`, `authorization_details`, `no_proxy`,"
        + " `keep`, `dpop`, `protect`, `refresh`, `lock_after` and `active` may be changed at any time."),
  ]

  private static let files = [
    Manual.Item(
      term: "$XDG_CONFIG_HOME/agent/clients.json", meaning: "The user's client ids for services; need not be there."),
    Manual.Item(term: "/etc/agent/clients.json", meaning: "Those of the administrator; need not be there."),
    Manual.Item(
      term: "$XDG_CONFIG_HOME/agent/config.json",
      meaning:
        "The file, made with mode 0600 in a directory of mode 0700. Both must belong to the user, and no other user may"
        + " have the right to write to them. Each may be a symbolic link, which is followed, and kept when the file is"
        + " written, if every directory that the link leads through belongs to the user or to root and no other user may"
        + " write to it; the directories that lead to the link itself do not count."),
    Manual.Item(
      term: "$XDG_CONFIG_HOME/agent/config.lock",
      meaning: "Locked while the file is replaced. A program that edits the file holds it by flock(2)."),
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
      "Whoever can write the file can choose which account a command acts on, and can make accounts unusable. They cannot"
        + " lead a token or a client secret to another server. They can have the daemon run commands as the user, who is the"
        + " only one who may write it.")
  ]
}
