internal import Encoding
internal import Platform
internal import Wire

/// Sends one command line's requests to the daemon.
struct DaemonClient {
  private(set) var console: Console

  let commands: CommandTable

  /// From `--timeout`; nil for the default.
  private var timeoutSeconds: Int?

  /// Whether to use a private `agentd` that ends with the command.
  let isPrivate: Bool

  /// Whether another program will replace this process; a child then starts the daemon.
  var isReplacedAfterwards = false

  /// In seconds.
  private var maximumGrace = 5

  /// The timeout for a response, if shorter than the request's.
  private var answerTimeout: Duration?

  private var launchTimeout = DaemonLauncher.timeout

  init(_ invocation: Invocation) {
    timeoutSeconds = invocation[.timeout]
    var console = Console(invocation)
    if let timeoutSeconds { console.timeoutSeconds = timeoutSeconds }
    self.console = console
    isPrivate = invocation[.noDaemon]
    commands = invocation.commands
  }

  /// A client that prints no notes and asks nothing.
  var forPrograms: DaemonClient {
    var client = self
    client.console.isQuiet = !console.isVerbose
    client.console.mayAsk = false
    return client
  }

  /// Returns a client whose requests end before `deadline`. Throws `timeout` if it has passed.
  func limited(to deadline: Instant) throws(Failure) -> DaemonClient {
    // Reserve a second for work outside the daemon.
    let seconds = Int(Instant.now.duration(to: deadline).components.seconds)
    guard seconds > 0 || Instant.now < deadline else {
      throw Failure(.timeout, "the calling program did not finish its request in time")
    }
    var client = self
    client.timeoutSeconds = max(1, seconds - 1)
    client.console.timeoutSeconds = max(1, seconds - 1)
    client.launchTimeout = .seconds(max(1, seconds - 1))
    client.maximumGrace = 1
    return client
  }

  /// Seconds beyond the request's deadline, so that the daemon can report the timeout.
  private var grace: Int { min(maximumGrace, max(1, (timeoutSeconds ?? WireProtocol.defaultTimeoutSeconds) / 2)) }

  func withTimeout(seconds: Int) -> DaemonClient {
    var client = self
    client.timeoutSeconds = seconds
    return client
  }

  /// Returns a client with a timeout for each response and for starting the daemon.
  func withAnswerTimeout(_ timeout: Duration) -> DaemonClient {
    var client = self
    client.answerTimeout = timeout
    client.launchTimeout = timeout
    return client
  }

  /// Connects to the daemon, starting it if necessary; with `--no-daemon`, to a private one.
  func connect() throws(Failure) -> DaemonConnection {
    if isPrivate { return try DaemonLauncher.startPrivate(console) }
    if isReplacedAfterwards, Environment.value("AGENT_SOCKET") == nil {
      if let connection = try DaemonLauncher.connect(console) { return connection }
      console.detail("a child starts the daemon, since another program takes this process over")
      startDaemonFromChild()
    }
    return try DaemonLauncher.connectOrStart(console, timeout: launchTimeout)
  }

  /// Adds the timeout and the working directory. With `--verbose`, asks for progress events.
  func envelope(_ request: Request) -> RequestEnvelope {
    var envelope = envelopeWithoutDirectory(request)
    if envelope.directory != nil { envelope.directory = CallerDirectory.path ?? "" }
    return envelope
  }

  /// Like ``envelope(_:)``, but with an empty directory, since reading it costs a system call.
  private func envelopeWithoutDirectory(_ request: Request) -> RequestEnvelope {
    RequestEnvelope(
      request, timeoutSeconds: timeoutSeconds, verbose: console.isVerbose && !console.isQuiet,
      directory: request.properties.followsDirectory ? "" : nil)
  }

  /// Logs a request with `--verbose`, and returns the current time.
  func logRequest(_ request: Request) -> Instant {
    console.detail("asking: \(RequestText.text(request, timeoutSeconds: timeoutSeconds))")
    return .now
  }

  func logOutcome(_ outcome: String, since begin: Instant) {
    console.detail("\(outcome) after \(RelativeTime.precise(begin.duration(to: .now)))")
  }

  private func logFailure(_ failure: Failure, since begin: Instant) {
    console.detail("failed after \(RelativeTime.precise(begin.duration(to: .now))): \(failure.message)")
  }

  /// `standard` is the timeout in seconds without `--timeout`.
  func deadline(of request: Request, standard: Int = WireProtocol.defaultTimeoutSeconds) -> Instant {
    if let answerTimeout { return .now.advanced(by: answerTimeout) }
    return .now.advanced(by: .seconds((timeoutSeconds ?? standard) + request.waitSeconds + grace))
  }

  /// When to check the daemon next during an unlimited wait.
  var nextCheck: Instant { .now.advanced(by: .seconds(timeoutSeconds ?? WireProtocol.defaultTimeoutSeconds)) }

  /// Returns a check, over another connection, whether the daemon responds. Always true for a private daemon.
  func responseCheck(of connection: borrowing DaemonConnection) -> () -> Bool {
    let process = connection.processID
    return connection.isPrivate ? { true } : { isAnswering(process) }
  }

  private func isAnswering(_ process: Int32?) -> Bool {
    let deadline = Instant.now.advanced(by: .seconds(grace))
    var console = Console.silent
    console.timeoutSeconds = grace
    do throws(Failure) {
      guard var connection = try DaemonLauncher.connect(console), connection.processID == process else { return false }
      // The daemon replies at once, even at a lease's socket. A refusal is a reply too.
      try connection.send(RequestEnvelope(.leaseStatus()))
      _ = try connection.nextReply(before: deadline)
      return true
    } catch {
      // An ending daemon reports that on the first connection.
      return error.code != .timeout
    }
  }

  /// Returns a function that waits for input without a deadline, as long as `isWorking` returns true.
  func wait(_ daemonWait: DaemonWait, while isWorking: @escaping () -> Bool) -> DaemonConnection.Wait {
    { (socket, _) throws(SystemError) in
      while try !daemonWait.wait(for: socket, before: nextCheck) { if !isWorking() { return false } }
      return true
    }
  }

  /// Sends a request and returns its result. The descriptors contain secrets for the daemon.
  func ask(_ request: Request, passing descriptors: [SharedDescriptor] = []) throws(Failure) -> JSONObject {
    try converse(mayRepeat: request.has(.repeatable) && descriptors.isEmpty) {
      (connection) throws(Failure) in
      try ask(request, passing: descriptors, over: &connection)
    }
  }

  /// Like ``ask(_:passing:)``, but throws `daemon_unavailable` if no daemon runs.
  func askWithoutStarting(_ request: Request) throws(Failure) -> JSONObject {
    guard let result = try askIfRunning(request) else {
      throw Failure(.daemonUnavailable, "the daemon is not running", hint: "agent daemon start")
    }
    return result
  }

  /// Like ``ask(_:passing:)``, but returns nil if no daemon runs.
  func askIfRunning(_ request: Request) throws(Failure) -> JSONObject? {
    var attempts = request.has(.repeatable) ? Self.maximumAttempts : 1
    while true {
      guard var connection = try DaemonLauncher.connect(console) else { return nil }
      attempts -= 1
      do {
        return try ask(request, over: &connection)
      } catch {
        // An ending daemon may be gone by now.
        guard error.code == .daemonUnavailable, attempts > 0 else { throw error }
      }
    }
  }

  /// Attempts if daemons end without a response: a killed daemon accepts connections until gone.
  private static let maximumAttempts = 3

  /// Like ``ask(_:passing:)``, over an open connection. Calls `work` after sending.
  func ask(
    _ request: Request, passing descriptors: [SharedDescriptor] = [], over connection: inout DaemonConnection,
    meanwhile work: () -> Void = {}
  ) throws(Failure) -> JSONObject {
    let begin = logRequest(request)
    try connection.send(envelope(request), passing: descriptors)
    work()
    let (deadline, daemonWait) = (deadline(of: request), DaemonWait(request, console))
    while true {
      switch try connection.nextReply(before: deadline, waiting: daemonWait.wait) {
      case .result(let result):
        logOutcome("answered", since: begin)
        return result
      case .failure(let failure):
        logFailure(failure, since: begin)
        throw failure
      case .event(let event): console.report(event)
      }
    }
  }

  /// Runs `body` over a new connection. With `mayRepeat`, runs it again with the next daemon if this one is ending.
  func converse<Result>(
    mayRepeat: Bool = false, _ body: (inout DaemonConnection) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let connection = try connect()
    do {
      return try converse(over: connection, body)
    } catch {
      guard error.code == .daemonUnavailable, mayRepeat, !isPrivate else { throw error }
    }
    return try converse(over: connectAgain(), body)
  }

  private func converse<Result>(
    over connection: consuming DaemonConnection, _ body: (inout DaemonConnection) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try retryingWithVariables(over: &connection, body)
  }

  /// Connects and runs `body`, which sends a repeatable request. Repeats both if the daemon is ending.
  func connect(asking body: (inout DaemonConnection) throws(Failure) -> Void) throws(Failure) -> DaemonConnection {
    var connection = try connect()
    do throws(Failure) {
      try body(&connection)
      return connection
    } catch {
      _ = consume connection
      guard error.code == .daemonUnavailable, !isPrivate else { throw error }
    }
    var next = try connectAgain()
    try body(&next)
    return next
  }

  func connectAgain() throws(Failure) -> DaemonConnection {
    console.detail("the daemon ended, so the next one is asked")
    return try connect()
  }

  /// Runs `body`. If the daemon lacks environment variables, sends them and runs `body` again.
  func retryingWithVariables<Result>(
    over connection: inout DaemonConnection, _ body: (inout DaemonConnection) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do {
      return try body(&connection)
    } catch {
      guard let variables = try CallerVariables(neededAfter: error, over: connection) else { throw error }
      _ = try ask(variables.request, passing: variables.values, over: &connection)
    }
    return try body(&connection)
  }

  /// Waits for an event that `convert` accepts. Prints other events.
  func waitForEvent<Result>(
    over connection: inout DaemonConnection, before deadline: Instant, waiting wait: DaemonConnection.Wait,
    _ convert: (Event) -> Result?
  ) throws(Failure) -> Result {
    while true {
      switch try connection.nextReply(before: deadline, waiting: wait) {
      case .event(let event):
        if let result = convert(event) { return result }
        console.report(event)
      case .failure(let failure): throw failure
      case .result: throw Reply.unreadable
      }
    }
  }

  /// Requests a token. `body` gets its description and the response's line.
  func askForToken<Result>(
    _ request: Request, _ body: (TokenAnswer, Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try converse(mayRepeat: request.has(.repeatable)) { (connection) throws(Failure) in
      try askForToken(request, over: &connection, body)
    }
  }

  /// Like ``askForToken(_:_:)``, over an open connection.
  func askForToken<Result>(
    _ request: Request, over connection: inout DaemonConnection,
    _ body: (TokenAnswer, Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try askForSecret(request, over: &connection) { (line) throws(Failure) in
      try TokenAnswer(parsing: line)
    } then: { (answer, line) throws(Failure) in
      SignInReminder.printIfDue(answer.description, console)
      return try body(answer, line)
    }
  }

  func askForRole<Result>(
    _ request: AssumeRoleRequest, _ body: (RoleAnswer, Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try converse(mayRepeat: true) { (connection) throws(Failure) in
      try askForSecret(.assumeRole(request), over: &connection) { (line) throws(Failure) in
        try RoleAnswer(parsing: line)
      } then: { (answer, line) throws(Failure) in
        try body(answer, line)
      }
    }
  }

  /// Sends a request for secrets. `read` parses the response's line; `body` gets both.
  private func askForSecret<Answer, Result>(
    _ request: Request, over connection: inout DaemonConnection,
    reading read: (Span<UInt8>) throws(Failure) -> Answer,
    then body: (Answer, Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let begin = logRequest(request)
    var envelope = envelopeWithoutDirectory(request)
    try connection.send(envelope)
    let (deadline, daemonWait) = (deadline(of: request), DaemonWait(request, console))
    while true {
      var isDirectoryNeeded = false
      let result = try connection.nextLine(before: deadline, waiting: daemonWait.wait) {
        (line) throws(Failure) -> Result? in
        let answer: Answer
        do throws(Failure) {
          answer = try read(line)
        } catch {
          if error.code == .directoryNeeded, envelope.directory?.isEmpty == true, let path = CallerDirectory.path {
            (envelope.directory, isDirectoryNeeded) = (path, true)
            return nil
          }
          guard case .event(let event)? = try? Reply(parsing: line) else {
            logFailure(error, since: begin)
            throw error
          }
          console.report(event)
          return nil
        }
        logOutcome("answered", since: begin)
        return try body(answer, line)
      }
      if let result { return result }
      if isDirectoryNeeded { try connection.send(envelope) }
    }
  }

  /// Starts the daemon from a child, because another program replaces this process. Failures appear when connecting.
  private func startDaemonFromChild() {
    let executable = Machine.executablePath()
    let request = Spawn.Request(
      executable: executable, arguments: ["agent", "daemon", "start", "--quiet"],
      environment: DaemonProgram.environment(from: Environment.all()), nullStandardStreams: true)
    guard let child = try? Spawn.start(request) else { return }
    _ = try? Spawn.wait(child)
  }

  // MARK: - Actions

  /// Sends a request and prints the result.
  func action(_ request: Request, showing text: @escaping (JSONObject) -> String) -> Action {
    .doing { () throws(Failure) in try console.answer(try ask(request), showing: text) }
  }

  /// Opens the secrets, sends a request with them, and prints `note`.
  func change(
    _ request: Request, bringing secrets: @escaping () throws(Failure) -> [SharedDescriptor] = { [] },
    noting note: @escaping (JSONObject) -> Phrase
  ) -> Action {
    .doing { () throws(Failure) in try console.confirm(try ask(request, passing: try secrets()), note) }
  }
}

extension DaemonConnection {
  /// Waits for the next line and parses a copy, so unsuitable for secrets.
  mutating func nextReply(before deadline: Instant, waiting wait: Wait = waitSilently) throws(Failure) -> Reply {
    try nextLine(before: deadline, waiting: wait) { (line) throws(Failure) in try Reply(parsing: line) }
  }

  /// Passes the next line, without its newline, to `body`. `wait` may show a message. Throws `timeout` at the deadline,
  /// `daemon_unavailable` if the daemon disconnects.
  mutating func nextLine<Result>(
    before deadline: Instant, waiting wait: Wait = waitSilently, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var result: Result?
    try passLine(before: deadline, waiting: wait) { (line) throws(Failure) in result = try body(line) }
    guard let result else { preconditionFailure("a line was passed") }
    return result
  }
}
