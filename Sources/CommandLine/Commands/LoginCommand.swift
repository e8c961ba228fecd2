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
    let files = try HandedFiles(invocation)
    let request = try request(invocation, files, reporter)
    let client = DaemonClient(invocation)
    let begin = Instant.now
    // The daemon gives the sign-in up when its client is gone, unless it was started in the background.
    let ending = try client.conversing { (connection) throws(Failure) in
      let unlocking = Unlocking(invocation: invocation, client: client)
      if case .login(let login) = request, let level = login.protection {
        try unlocking.prepare(level, over: &connection)
      }
      do throws(Failure) {
        return try wait(for: request, files, client, over: &connection, &reporter)
      } catch {
        guard error.code == .locked, case .login(let login) = request, unlocking.canAsk else { throw error }
        // Nothing was read of what was handed over.
        guard try !unlocking.open(login.account, over: &connection).isEmpty else { throw error }
        return try wait(for: request, files, client, over: &connection, &reporter)
      }
    }
    switch ending {
    case .signedIn(let result):
      client.tellOutcome("answered", since: begin)
      if result["state"] != nil { return try reporter.standing(result, isStart: invocation.has(.start)) }
      try reporter.signedIn(result)
      return 0
    case .interrupted(let signal):
      reporter.interrupted()
      return 128 + signal
    }
  }

  private static func wait(
    for request: Request, _ files: HandedFiles, _ client: DaemonClient, over connection: inout DaemonConnection,
    _ reporter: inout LoginReporter
  ) throws(Failure) -> LoginWait.Ending {
    var signals = try SignInSignals()
    _ = client.tellAsking(request)
    try connection.send(client.envelope(request), passing: files.descriptors)
    reporter.waitsForServer()
    if reporter.rewritesLine { signals.hideTyping() }
    var wait = LoginWait(client.invocation, place: .current, until: client.deadline(standard: longestWait))
    return try wait.run(over: &connection, &signals, &reporter)
  }

  /// A new sign-in, or one that goes on in the background.
  private static func request(
    _ invocation: Invocation, _ files: HandedFiles, _ reporter: LoginReporter
  ) throws(Failure) -> Request {
    if let login = invocation.text(.resume) {
      guard !invocation.has(.start) else {
        throw Failure(.invalidRequest, "--start and --resume exclude each other")
      }
      return .loginResume(LoginResumeRequest(login: login, waits: !invocation.has(.noWait)))
    }
    guard !invocation.has(.noWait) else { throw Failure(.invalidRequest, "--no-wait belongs to --resume ID") }
    if invocation.has(.start), invocation.has(.noDaemon) {
      throw Failure(
        .invalidRequest, "a sign-in in the background needs a daemon that stays", hint: "leave out --no-daemon")
    }
    var request = try LoginOptions.request(invocation)
    request.isDetached = invocation.has(.start)
    request.handsOver = files.announced
    try ResourceLogin(invocation)?.complete(&request)
    request.wantsQRCode = reporter.drawsQRCodes
    return .login(request)
  }

  /// The daemon ends a sign-in when its code expires; this only guards against a daemon that hangs.
  private static let longestWait = WireProtocol.maximumTimeoutSeconds
}
