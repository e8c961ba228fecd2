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

  private static func signIn(_ invocation: Invocation, _ reporter: inout LoginReporter) throws(Failure) -> Int32 {
    var request = try LoginOptions.request(invocation)
    request.wantsQRCode = reporter.drawsQRCodes
    let client = DaemonClient(invocation)
    var signals = try SignInSignals()
    var connection = try client.connect()
    let ending: LoginWait.Ending
    let begin = client.tellAsking(.login(request))
    do {
      try send(client.envelope(.login(request)), invocation, over: connection)
      reporter.waitsForServer()
      if reporter.rewritesLine { signals.hideTyping() }
      var wait = LoginWait(invocation, place: .current, until: client.deadline(standard: longestWait))
      ending = try wait.run(over: &connection, &signals, &reporter)
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

  private static func send(
    _ envelope: RequestEnvelope, _ invocation: Invocation, over connection: borrowing DaemonConnection
  ) throws(Failure) {
    guard let path = invocation.text(.clientSecretFile) else { return try connection.send(envelope) }
    let file = try LoginOptions.openSecret(path)
    try connection.send(envelope, passing: file)
  }
}
