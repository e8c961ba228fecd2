internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// Asks the daemon on behalf of one command line.
struct DaemonClient: Sendable {
  let invocation: Invocation
  let console: Console

  /// Whether another program takes this process over after the answer; see ``launchBeside()``.
  var isReplacedAfterwards = false

  /// What the answer may take beyond the request's own deadline, in seconds: the daemon reports a
  /// missed deadline itself, and better.
  private static let grace = 5

  init(_ invocation: Invocation) {
    self.invocation = invocation
    console = Console(invocation)
  }

  /// A connection as the command line wants it: to the daemon, started if need be, or to a private one.
  func connect() throws(Failure) -> DaemonConnection {
    if invocation.has(.noDaemon) { return try DaemonLauncher.startPrivate(console) }
    if isReplacedAfterwards {
      if let connection = try DaemonLauncher.connect(console) { return connection }
      console.detail("a child starts the daemon, since another program takes this process over")
      launchBeside()
    }
    return try DaemonLauncher.connectOrStart(console)
  }

  /// A request with the deadline of the command line, and whether its user wants to know what is done for it.
  func envelope(_ request: Request) -> RequestEnvelope {
    RequestEnvelope(
      request, timeoutSeconds: invocation.seconds(.timeout), verbose: console.verbose && !console.quiet)
  }

  /// Tells, to those who asked for it, what is about to be sent. Returns when that was.
  func tellAsking(_ request: Request) -> Instant {
    console.detail("asking: \(RequestText.text(request, timeoutSeconds: invocation.seconds(.timeout)))")
    return .now
  }

  /// Tells, to those who asked for it, how an exchange that began then has ended.
  func tellOutcome(_ outcome: String, since begin: Instant) {
    console.detail("\(outcome) after \(RelativeTime.precise(begin.duration(to: .now)))")
  }

  /// When to stop waiting for the answer to a request that is sent now.
  ///
  /// - Parameter standard: The deadline of a command line that names none, in seconds.
  func deadline(standard: Int = WireProtocol.defaultTimeoutSeconds) -> Instant {
    let waiting = invocation.seconds(.wait) ?? 0
    return .now.advanced(by: .seconds((invocation.seconds(.timeout) ?? standard) + waiting + Self.grace))
  }

  /// Sends a request and returns its result.
  func ask(_ request: Request) throws(Failure) -> JSONObject {
    try converse(about: request) { (connection) throws(Failure) in try ask(request, over: &connection) }
  }

  /// Runs `body` on a connection of its own. When the daemon was just ending, and asking twice does
  /// no harm, the next daemon is asked.
  private func converse<Result>(
    about request: Request, _ body: (inout DaemonConnection) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let connection = try connect()
    do {
      return try converse(over: connection, body)
    } catch {
      guard error.code == .daemonUnavailable, request.mayBeRepeated, !invocation.has(.noDaemon) else { throw error }
    }
    console.detail("the daemon ended, so the next one is asked")
    return try converse(over: try connect(), body)
  }

  private func converse<Result>(
    over connection: consuming DaemonConnection, _ body: (inout DaemonConnection) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let result: Result
    do {
      result = try body(&connection)
    } catch {
      connection.finish()
      throw error
    }
    connection.finish()
    return result
  }

  /// The same over a connection that goes on.
  func ask(_ request: Request, over connection: inout DaemonConnection) throws(Failure) -> JSONObject {
    let begin = tellAsking(request)
    try connection.send(envelope(request))
    return try answer(to: request, over: &connection, since: begin)
  }

  /// Sends a request with secrets for the daemon to read, and returns its result.
  func ask(
    _ request: Request, passing descriptors: [SharedDescriptor]
  ) throws(Failure) -> JSONObject {
    try conversing { (connection) throws(Failure) in
      try ask(request, passing: descriptors, over: &connection)
    }
  }

  /// The same, after it was made sure that something can be kept at a level of protection.
  func ask(
    _ request: Request, passing descriptors: [SharedDescriptor], preparing level: ProtectionLevel?
  ) throws(Failure) -> JSONObject {
    guard let level else { return try ask(request, passing: descriptors) }
    return try conversing { (connection) throws(Failure) in
      try Unlocking(invocation: invocation, client: self).prepare(level, over: &connection)
      return try ask(request, passing: descriptors, over: &connection)
    }
  }

  /// The same over a connection that goes on.
  func ask(
    _ request: Request, passing descriptors: [SharedDescriptor], over connection: inout DaemonConnection
  ) throws(Failure) -> JSONObject {
    let begin = tellAsking(request)
    try connection.send(envelope(request), passing: descriptors)
    return try answer(to: request, over: &connection, since: begin)
  }

  /// Runs `body` with a connection of its own, for several requests.
  func conversing<Result>(_ body: (inout DaemonConnection) throws(Failure) -> Result) throws(Failure) -> Result {
    try converse(over: try connect(), body)
  }

  /// The result of the request that was sent last.
  private func answer(
    to request: Request, over connection: inout DaemonConnection, since begin: Instant
  ) throws(Failure) -> JSONObject {
    let (deadline, patience) = (deadline(), Patience(request, console))
    while true {
      let reply = try connection.nextLine(before: deadline, waiting: patience.wait) { (line) throws(Failure) in
        try Reply(parsing: line)
      }
      switch reply {
      case .result(let result):
        tellOutcome("answered", since: begin)
        return result
      case .failure(let failure):
        tellOutcome("refused with \(failure.code.rawValue)", since: begin)
        throw failure
      case .event(let event): tell(event)
      }
    }
  }

  /// Asks for a token and gives it to `body`, together with the line it stands in.
  func askForToken<Result>(
    _ request: TokenRequest, _ body: (TokenAnswer, Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try askForToken(.token(request), body)
  }

  /// The same for any request that is answered with a token.
  func askForToken<Result>(
    _ request: Request, _ body: (TokenAnswer, Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try converse(about: request) { (connection) throws(Failure) in
      try askForToken(request, over: &connection, body)
    }
  }

  /// The same over a connection that goes on.
  func askForToken<Result>(
    _ request: Request, over connection: inout DaemonConnection,
    _ body: (TokenAnswer, Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let begin = tellAsking(request)
    try connection.send(envelope(request))
    let (deadline, patience) = (deadline(), Patience(request, console))
    while true {
      let result = try connection.nextLine(before: deadline, waiting: patience.wait) {
        (line) throws(Failure) -> Result? in
        let answer: TokenAnswer
        do throws(Failure) {
          answer = try TokenAnswer(parsing: line)
        } catch {
          guard case .event(let event)? = try? Reply(parsing: line) else {
            tellOutcome("refused with \(error.code.rawValue)", since: begin)
            throw error
          }
          tell(event)
          return nil
        }
        tellOutcome("answered", since: begin)
        return try body(answer, line)
      }
      if let result { return result }
    }
  }

  /// Tells an event that is not part of the answer.
  func tell(_ event: Event) {
    switch event {
    case .notice(let message): console.note(known: message)
    case .progress(let entry): console.detail(entry)
    case .following: console.detail("following what happens")
    case .qrCode, .deviceCode, .browser, .redirectRefused, .response, .session, .tokenFile: break
    }
  }

  /// Lets a child start the daemon. The daemon is then nobody's child: the program that takes this
  /// process over would otherwise get a child that it knows nothing of.
  ///
  /// A failure is not told from here: the caller tries itself next, and finds the cause.
  private func launchBeside() {
    let executable = Machine.executablePath()
    let socket = Environment.value("AGENT_SOCKET").map { ["AGENT_SOCKET=\($0)"] } ?? []
    let request = Spawn.Request(
      executable: executable, arguments: ["agent", "daemon", "start", "--quiet"],
      environment: DaemonProgram.environment(from: Environment.all()) + socket, nullStandardStreams: true)
    guard let child = try? Spawn.start(request) else { return }
    _ = try? Spawn.wait(child)
  }
}
