/// Requests states of accounts and sessions, or selects the active account.
package enum StateRequest: RequestBody {
  /// Returns the state of one or all accounts. With `check`, asks servers whether sessions are valid.
  case status(account: String?, check: Bool = false)
  /// Like `status`, and checks the authorization servers.
  case doctor(account: String?)
  /// Returns a summary of all accounts.
  case list
  case use(account: String)
  /// Sets the account for a directory tree; nil unsets it.
  case useDirectory(account: String?, directory: String)
  /// Runs `program` with the argument `__notify` when a session ends; nil for none.
  case setNotifier(program: String?)
  /// Returns the signed-in user. With `verified`, only from the verified ID Token.
  case whoami(account: String?, verified: Bool = false)

  /// All kinds, with blank members.
  static let declarations: [Self] = [
    .status(account: nil), .doctor(account: nil), .list, .use(account: ""),
    .useDirectory(account: nil, directory: ""), .setNotifier(program: nil), .whoami(account: nil),
  ]

  package var properties: RequestProperties {
    switch self {
    case .status(let account, check: false):
      RequestProperties("status", [.local, .repeatable], about: .accountOrAny(account))
    case .status(let account, check: true):
      RequestProperties("status", .repeatable, from: .authorizationServer, about: .accountOrAny(account))
    case .doctor(let account):
      RequestProperties("doctor", .repeatable, from: .authorizationServer, about: .accountOrAny(account))
    case .list: RequestProperties("list", [.local, .repeatable], about: .any)
    case .use(let account): RequestProperties("use", [.local, .repeatable, .changesAccounts], about: .account(account))
    case .useDirectory(let account, _):
      RequestProperties("use_directory", [.local, .repeatable, .changesAccounts], about: .accountOrAny(account))
    case .setNotifier: RequestProperties("notify", [.local, .repeatable, .changesAccounts], about: .any)
    case .whoami(let account, let verified):
      RequestProperties(
        "whoami", verified ? [.local, .repeatable] : .repeatable, from: .authorizationServer,
        about: .accountOrActive(account))
    }
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    switch self {
    case .status(var account, var check):
      try members.visitText("account", &account, "The account (default: all).")
      try members.visitFlag("check", &check, "Ask the authorization servers whether the sessions are still valid.")
      self = .status(account: account, check: check)
    case .doctor(var account):
      try members.visitText("account", &account, "The account (default: all).")
      self = .doctor(account: account)
    case .list: break
    case .use(var account):
      try members.visitText("account", &account, "The account, or `-` for the one that was active before.")
      self = .use(account: account)
    case .useDirectory(var account, var directory):
      try members.visitText(
        "account", &account,
        "The account, or `-` for the one that was active before (default: none, so that a directory above decides).")
      try members.visitText(
        "path", &directory, limit: WireProtocol.maximumPathBytes,
        "Its absolute path, without `..` and links.")
      self = .useDirectory(account: account, directory: directory)
    case .setNotifier(var program):
      try members.visitText(
        "program", &program, limit: WireProtocol.maximumPathBytes,
        "The absolute path of `agent` (default: none, so that there are no notices).")
      self = .setNotifier(program: program)
    case .whoami(var account, var verified):
      try members.visitText("account", &account, "The account (default: the active one).")
      try members.visitFlag(
        "verified", &verified, "Use only the verified ID Token: no server is asked, and no token is renewed.")
      self = .whoami(account: account, verified: verified)
    }
  }

  /// In the results of `status`, `doctor` and `list`.
  private static var signInsMember: MemberDescription {
    .objects(
      "sign_ins", "The sign-ins that wait for the user.",
      members: [
        .text("account", "The account."),
        .text("flow", "The pending step: `browser`, `paste`, `device` or `confirmation`."),
        .number("expires_at", "The end of the wait."),
      ])
  }

  package var manualEntry: RequestManualEntry {
    switch self {
    case .status:
      RequestManualEntry(
        "Describes accounts, sessions, daemon and vault. The result contains no tokens.",
        result: [
          .objects("accounts", "The accounts.", members: AccountMember.descriptions(of: .status)),
          Self.signInsMember,
          DaemonRequest.summaryMember,
          .object("vault", "The vault.", members: VaultRequest.summaryMembers),
        ])
    case .doctor:
      RequestManualEntry(
        "Answers like `status`, with more members, and asks each authorization server, for at most two seconds. The"
          + " cached documents do not change.",
        result: [
          .objects(
            "accounts", "The accounts, with these members in addition to those in `status`.",
            members: AccountMember.descriptions(of: .doctor, beyond: .status)),
          .objects(
            "unknown_settings",
            "Members of the settings file that this version does not know, and keeps.",
            members: [
              .text("file", "The path of the file."),
              .number("line", "The line."),
              .number("column", "The column, in characters."),
              .text("name", "The member."),
              .text("account", "Its account; absent for the file itself."),
              .text("meant", "The name that was probably meant."),
            ]),
        ])
    case .list:
      RequestManualEntry(
        "Lists the accounts.",
        result: [
          .objects("accounts", "The accounts.", members: AccountMember.descriptions(of: .list)),
          Self.signInsMember,
        ])
    case .use:
      RequestManualEntry("Makes an account the active one.", result: [.text("account", "The active account.")])
    case .useDirectory:
      RequestManualEntry(
        "Sets the account for requests from a directory, and those below it, that name no account.",
        result: [
          .text("account", "The account; absent if the directory has none of its own now."),
          .text("directory", "The directory."),
        ])
    case .setNotifier:
      RequestManualEntry(
        "Adds a command to the settings that shows a desktop notice when a session ends, or removes it.",
        result: [.flag("notify", "Whether there are notices.")])
    case .whoami:
      RequestManualEntry(
        "Returns the signed-in user, according to the verified ID Token, or else to the UserInfo endpoint.",
        result: [
          .text("account", "The account."),
          .text("issuer", "Its authorization server."),
          .text("subject", "The user."),
          .object("claims", "The claims about the user."),
          .text("source", "`id_token` for verified claims, `userinfo` for others."),
        ])
    }
  }
}

/// Requests about the daemon itself.
package enum DaemonRequest: RequestBody {
  case status
  case log
  case stop
  /// Stops the daemon. The client then starts another.
  case restart

  static var declarations: [Self] { [.status, .log, .stop] }

  package var properties: RequestProperties {
    switch self {
    case .status: RequestProperties("daemon_status", [.local, .repeatable, .withoutSettings], about: .any)
    case .log: RequestProperties("daemon_log", [.local, .repeatable, .withoutSettings], about: .any)
    case .stop, .restart:
      RequestProperties("daemon_stop", [.local, .repeatable, .withoutSettings, .endless], about: .any)
    }
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    guard [.stop, .restart].contains(self) else { return }
    var restarts = self == .restart
    try members.visitFlag(
      "restarts", &restarts, "Whether another daemon is about to be started, so that waiting clients may ask it.")
    self = restarts ? .restart : .stop
  }

  package var manualEntry: RequestManualEntry {
    switch self {
    case .status:
      RequestManualEntry("Describes the daemon.", result: Self.statusMembers)
    case .log:
      RequestManualEntry(
        "Returns the recent log entries. They contain no token and no code."
          + " Single steps, such as an exchange with a server, are logged only while a request with `verbose` is being answered.",
        result: [
          .objects(
            "events",
            "The oldest first. Each has `time`, `event`, `account` if it is about one, and further members of its own:"
              + " `attempt`, `duration_ms`, `wait_ms`, `seconds`, `seconds_left`, `seconds_wanted`, `result` (`ok` or an"
              + " error code), `endpoint`, `status` (of HTTP), `algorithm`, `change`, `cause`, `protection`, `reason`,"
              + " `signal`, `errno`, `position` or `count`. `text` is the event as a sentence in English, so a client can"
              + " show one that it does not know."),
          .number("dropped", "The number of earlier events that are no longer kept."),
        ])
    case .stop, .restart:
      RequestManualEntry(
        "Stops the daemon. The result is sent when the current work is done, after 5 seconds at most. If a request has"
          + " sent a one-time code or token, the process waits up to 120 more seconds for the response. It"
          + " then accepts no other requests, and keeps the lock of that account.",
        result: [
          .number("pid", "The process that is about to end."),
          .texts("unstored", "Accounts whose refresh token is lost."),
          .texts("finishing", "Accounts whose servers have not answered."),
        ])
    }
  }

  /// The daemon's description in `status`.
  static var summaryMember: MemberDescription {
    .object(
      "daemon", "The daemon, as `agent daemon status --json` prints it; see agent-daemon(1).",
      members: statusMembers, isElsewhere: true)
  }

  package static var statusMembers: [MemberDescription] {
    [
      .number("pid", "The process ID."),
      .text("version", "The version."),
      .text("commit", "The commit it was built from; `-dirty` if files had been changed."),
      .object(
        "libraries", "The versions of the libraries in use.",
        members: ["libcurl", "openssl", "libqrencode"].map { MemberDescription($0, "text", "Its version.") }),
      .flag("program_replaced", "Whether its program file was replaced."),
      .flag("own_namespaces", "It has its own namespaces, so programs outside do not use it."),
      .text("service", "The systemd service that started it, and ends it, if not its own."),
      .number("uptime", "Seconds since the start."),
      .text("socket", "The path of the socket; absent for a private daemon."),
      .text("settings_directory", "The directory of the settings."),
      .text("state_directory", "The directory of the vault."),
      .number("memory_pss_kib", "The proportional set size, in KiB."),
      .number("memory_private_dirty_kib", "The private dirty memory, in KiB."),
      .number("longest_turn_us", "Its loop's longest turn, in microseconds."),
      .text("secure_heap", "The memory for secrets: `locked`, `unlocked` or `unavailable`."),
      .number("secure_heap_used", "The number of bytes of it in use."),
      .object(
        "limits",
        "The inherited limits that the daemon cannot raise.",
        members: [
          "processor_seconds", "file_bytes", "data_bytes", "stack_bytes", "processes", "descriptors", "locked_bytes",
          "address_space_bytes", "group_memory_bytes",
        ].map { MemberDescription($0, "number", "The limit.") }),
    ]
  }
}
