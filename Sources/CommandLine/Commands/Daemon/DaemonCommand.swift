internal import Encoding
internal import Platform
internal import Wire

enum DaemonCommand {
  static let daemonStart = makeCommand(.daemonStart, "Start the daemon, unless it runs", run: start)
  static let daemonStop = makeCommand(.daemonStop, "Stop the daemon", run: stop)
  static let daemonRestart = makeCommand(.daemonRestart, "Restart the daemon", run: restart)
  static let daemonStatus = makeCommand(
    .daemonStatus, "Show the running daemon", answer: DaemonRequest.statusMembers, run: status)
  static let daemonRun = makeCommand(.daemonRun, "Run the daemon in the foreground", run: runInForeground)
  static let daemonRefresh = makeCommand(
    .daemonRefresh, "Renew the sessions that would end unused, for a timer", run: refresh)
  static let daemonLog = makeCommand(
    .daemonLog, "Show the recent log of the daemon",
    options: [Option.utc.declaration],
    examples: [
      Example(
        "List the requests without an answer, and the causes",
        #"agent daemon log --json | jq '.events[] | select(.event == "unanswered")'"#)
    ], run: log)

  private static func makeCommand(
    _ name: CommandName, _ summary: String, answer: @autoclosure @escaping @Sendable () -> [MemberDescription] = [],
    options: @autoclosure @escaping @Sendable () -> [OptionDeclaration] = [],
    examples: @autoclosure @escaping @Sendable () -> [Example] = [], run: @escaping @Sendable (Invocation) -> Action
  ) -> Command {
    Command(
      name, topic: .upkeep, summary: summary, answer: answer(), options: options(), examples: examples(),
      refusing: [Option.noDaemon.declaration], makeAction: run)
  }

  /// The timeout for the daemon to exit.
  private static let timeout = Duration.seconds(10)

  static func start(_ invocation: Invocation) -> Action {
    let client = DaemonClient(invocation)
    return .doing { () throws(Failure) in
      let (status, wasRunning) = try startIfNeeded(client)
      try client.console.confirm(status) { _ in
        wasRunning ? Phrase("the daemon is already running") : Phrase("daemon started")
      }
    }
  }

  static func restart(_ invocation: Invocation) -> Action {
    let client = DaemonClient(invocation)
    return .doing { () throws(Failure) in
      let lossWarning = try stopIfRunning(client, .restart)?.lossWarning
      let (status, _) = try startIfNeeded(client)
      // A new daemon cannot restore the lost tokens.
      if let lossWarning { throw lossWarning }
      try client.console.confirm(status) { _ in Phrase("daemon started") }
    }
  }

  private static func startIfNeeded(_ client: DaemonClient) throws(Failure) -> (status: JSONObject, ranBefore: Bool) {
    if let status = try client.askIfRunning(.daemon(.status)) { return (status, true) }
    var connection = try DaemonLauncher.connectOrStart(client.console, startsAtNamedSocket: true)
    return (try client.ask(.daemon(.status), over: &connection), false)
  }

  static func stop(_ invocation: Invocation) -> Action {
    let client = DaemonClient(invocation)
    return .doing { () throws(Failure) in
      let stopped = try stopIfRunning(client, .stop)
      if let lossWarning = stopped?.lossWarning { throw lossWarning }
      try client.console.confirm(JSONObject()) { _ in stopped?.confirmation ?? Phrase("the daemon is not running") }
    }
  }

  /// Renews due tokens of accounts with the background policy, for a timer. A running daemon does so itself.
  static func refresh(_ invocation: Invocation) -> Action {
    let client = DaemonClient(invocation)
    return Action { () throws(Failure) in
      var (renewed, failed): ([String], [Failure]) = ([], [])
      if try client.askIfRunning(.daemon(.status)) == nil {
        var connection = try DaemonLauncher.startPrivate(client.console)
        let accounts = try client.ask(.state(.status(account: nil)), over: &connection)["accounts"]?.array ?? []
        for name in dueAccounts(accounts, now: SystemTime().wallSeconds()) {
          do throws(Failure) {
            let request = Request.token(TokenRequest(account: name, forceRefresh: true))
            try client.askForToken(request, over: &connection) { _, _ throws(Failure) in }
            renewed.append(name)
          } catch {
            failed.append(error)
          }
        }
      }
      for failure in failed { client.console.report(failure) }
      if !renewed.isEmpty || client.console.usesJSON {
        let answer = JSONObject([("renewed", .array(renewed.map { .string($0) }))])
        try client.console.confirm(answer) { _ in Phrase("renewed \(renewed.joined(separator: ", "))") }
      }
      return failed.first?.code.exitStatus.rawValue ?? 0
    }
  }

  /// The accounts with the background policy whose renewal is due. `now` is in Unix seconds.
  static func dueAccounts(_ accounts: [JSON], now: Int) -> [String] {
    accounts.filter { account in
      account[.refresh]?.string == RefreshPolicy.background.rawValue
        && account[.state]?.string == SessionState.stale.rawValue && (account[.nextRenewal]?.int ?? .max) <= now
    }.compactMap { $0[.name]?.string }
  }

  static func status(_ invocation: Invocation) -> Action {
    let isVerbose = invocation[.verbose]
    return printAction(.daemon(.status), invocation) { result in
      var listing = Listing()
      listing.add([Phrase("daemon"), DaemonText.line(.object(result))])
      if let socket = result["socket"]?.string { listing.add([Phrase("socket"), Phrase(verbatim: socket)]) }
      if isVerbose, let turn = result["longest_turn_us"]?.int {
        listing.add([Phrase("loop"), Phrase("at most \(turn) µs between two waits")])
      }
      return listing.text()
    }
  }

  static func log(_ invocation: Invocation) -> Action {
    let presentation = Presentation.current.inUTC(invocation[.utc])
    return printAction(.daemon(.log), invocation) { logText($0, presentation.stamp) }
  }

  private static func printAction(
    _ request: Request, _ invocation: Invocation, text: @escaping (JSONObject) -> String
  ) -> Action {
    let client = DaemonClient(invocation)
    return .doing { () throws(Failure) in
      try client.console.answer(try client.askWithoutStarting(request), showing: text)
    }
  }

  static func runInForeground(_ invocation: Invocation) -> Action {
    Action { () throws(Failure) in
      let environment = DaemonProgram.environment(from: Environment.all())
      for candidate in DaemonProgram.daemon.candidates(near: Machine.executablePath()) {
        let error = Spawn.replaceProcess(
          executable: candidate, arguments: ["agentd", "--foreground"], environment: environment)
        guard error.isNotFound else {
          throw Failure(
            .invalidConfiguration, Phrase("cannot start \(candidate): \(Phrase(known: error.message))"))
        }
      }
      throw DaemonProgram.daemon.missingFailure
    }
  }

  private struct StopResult {
    /// The accounts whose new refresh token could not be stored.
    let unstored: [String]
    /// The accounts whose servers the daemon still waits for.
    let finishing: [String]

    /// Nil if ``unstored`` is empty.
    var lossWarning: Failure? {
      guard let first = unstored.first else { return nil }
      return Failure(
        .storage,
        "daemon stopped; the refresh tokens that it could not store are lost: \(unstored.joined(separator: ", "))",
        hint: .command("agent login \(first)"))
    }

    var confirmation: Phrase {
      guard !finishing.isEmpty else { return Phrase("the daemon was stopped") }
      return Phrase(
        "daemon stopped; its process ends when the servers of these accounts have answered: \(finishing.joined(separator: ", "))"
      )
    }
  }

  private static func stopIfRunning(_ client: DaemonClient, _ request: DaemonRequest) throws(Failure) -> StopResult? {
    guard let result = try client.askIfRunning(.daemon(request)) else { return nil }
    func accounts(_ name: String) -> [String] { result[name]?.array?.compactMap { $0.string } ?? [] }
    let stopped = StopResult(unstored: accounts("unstored"), finishing: accounts("finishing"))
    // The daemon responds last, so its process may be gone already.
    guard stopped.finishing.isEmpty, let number = result["pid"]?.int,
      let process = try? Spawn.processDescriptor(Int32(clamping: number))
    else {
      return stopped
    }
    guard (try? process.waitUntilReadable(timeout: timeout)) == true else {
      throw Failure(.daemonUnavailable, "the daemon is still shutting down")
    }
    return stopped
  }

  /// `stamp` formats Unix seconds.
  static func logText(_ result: JSONObject, _ stamp: (Int) -> String) -> String {
    var text = ""
    if let dropped = result["dropped"]?.int, dropped > 0 { text += "(\(dropped) earlier events were discarded)\n" }
    for event in result["events"]?.array ?? [] {
      if let line = LogLine(json: event) { text += line.text(stamp) + "\n" }
    }
    return text
  }
}
