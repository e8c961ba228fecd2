internal import Encoding
internal import Platform
internal import Wire

/// `agent login`.
enum LoginCommand {
  @Sendable static func run(_ invocation: Invocation) throws(Failure) -> Int32 {
    var reporter = LoginReporter(invocation)
    do {
      return try signIn(invocation, &reporter)
    } catch {
      reporter.failed(error)
      throw error
    }
  }

  /// How the wait for the person ended.
  private enum Ending {
    case signedIn(JSONObject)
    case interrupted(by: Int32)
  }

  private static func signIn(_ invocation: Invocation, _ reporter: inout LoginReporter) throws(Failure) -> Int32 {
    var request = try LoginOptions.request(invocation)
    let files = try HandedFiles(invocation)
    request.handsOver = files.announced
    request.wantsQRCode = reporter.drawsQRCodes
    let client = DaemonClient(invocation)
    var signals = try SignInSignals()
    var connection = try client.connect()
    let ending: Ending
    let begin = client.tellAsking(.login(request))
    do {
      try connection.send(client.envelope(.login(request)), passing: files.descriptors)
      reporter.waitsForServer()
      if reporter.rewritesLine { signals.hideTyping() }
      ending = try wait(for: &connection, &signals, until: client.deadline(standard: longestWait), &reporter)
    } catch {
      connection.finish()
      throw error
    }
    // The daemon gives the sign-in up when its client is gone.
    connection.finish()
    switch ending {
    case .signedIn(let result):
      client.tellOutcome("answered", since: begin)
      try reporter.signedIn(result)
      return 0
    case .interrupted(let signal):
      reporter.interrupted()
      return 128 + signal
    }
  }

  /// The daemon ends a sign-in when its code expires; this only guards against a daemon that hangs.
  private static let longestWait = WireProtocol.maximumTimeoutSeconds

  /// Waits for the daemon's lines, for signals, and for the next second of the countdown.
  private static func wait(
    for connection: inout DaemonConnection, _ signals: inout SignInSignals, until deadline: Instant,
    _ reporter: inout LoginReporter
  ) throws(Failure) -> Ending {
    while true {
      while let reply = try connection.takeLine({ (line) throws(Failure) in try Reply(parsing: line) }) {
        switch reply {
        case .result(let result): return .signedIn(result)
        case .failure(let failure): throw failure
        case .event(let event): try reporter.tell(event)
        }
      }
      let input = try input(from: connection, signals, until: min(deadline, reporter.nextUpdate ?? deadline))
      if input.hasSignal, let signal = signals.obey(&reporter) { return .interrupted(by: signal) }
      if input.hasLine { try connection.readMore() }
      if Instant.now >= deadline { throw Failure(.timeout, "nobody approved the sign-in in time") }
      reporter.update()
    }
  }

  private static func input(
    from connection: borrowing DaemonConnection, _ signals: borrowing SignInSignals, until moment: Instant
  ) throws(Failure) -> (hasLine: Bool, hasSignal: Bool) {
    do {
      let poller = try Poller()
      try poller.add(connection.descriptor, interest: .read, key: 0)
      try poller.add(signals.raw, interest: .read, key: 1)
      let events = try poller.wait(until: moment)
      return (events.contains { $0.key == 0 }, events.contains { $0.key == 1 })
    } catch {
      throw Failure(error, doing: "waiting for the daemon failed")
    }
  }
}
