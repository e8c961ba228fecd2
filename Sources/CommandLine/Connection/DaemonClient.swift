internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// Sends the requests of one command line to the daemon.
struct DaemonClient {
  private(set) var console: Console

  /// The commands to suggest in hints.
  let commands: CommandTable

  /// The deadline on the command line in seconds.
  private var timeoutSeconds: Int?

  /// Whether to use a private `agentd` that ends with the command.
  let isPrivate: Bool

  /// Whether another program will replace this process; see ``launchBeside()``.
  var isReplacedAfterwards = false

  /// How long a response may exceed the request's own deadline, in seconds.
  private var mostGrace = 5

  /// The timeout for a response, if shorter than the daemon's.
  private var answerTimeout: Duration?

  /// The timeout for another command that starts the daemon, and for the daemon to listen.
  private var launchTimeout = DaemonLauncher.patience

  init(_ invocation: Invocation) {
    timeoutSeconds = invocation[.timeout]
    var console = Console(invocation)
    if let timeoutSeconds { console.timeoutSeconds = timeoutSeconds }
    self.console = console
    isPrivate = invocation[.noDaemon]
    commands = invocation.commands
  }

  /// A client for helpers: no other output, no questions.
  var forPrograms: DaemonClient {
    var client = self
    client.console.quiet = !console.verbose
    client.console.mayAsk = false
    return client
  }

  /// A client for a caller that waits until `deadline`.
  ///
  /// - Throws: `timeout` if the deadline has passed.
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
    client.mostGrace = 1
    return client
  }

  /// How long a response may exceed the request's own deadline. The daemon reports a missed deadline itself, with more
  /// detail. Short deadlines get less.
  private var grace: Int { min(mostGrace, max(1, (timeoutSeconds ?? WireProtocol.defaultTimeoutSeconds) / 2)) }

  /// A client with another deadline.
  func patient(for seconds: Int) -> DaemonClient {
    var client = self
    client.timeoutSeconds = seconds
    return client
  }

  /// A client with a timeout for each response.
  func limited(toAnswer patience: Duration) -> DaemonClient {
    var client = self
    client.answerTimeout = patience
    client.launchTimeout = patience
    return client
  }

  /// Connects to the daemon, starting it if necessary, or to a private one.
  func connect() throws(Failure) -> DaemonConnection {
    if isPrivate { return try DaemonLauncher.startPrivate(console) }
    if isReplacedAfterwards, Environment.value("AGENT_SOCKET") == nil {
      if let connection = try DaemonLauncher.connect(console) { return connection }
      console.detail("a child starts the daemon, since another program takes this process over")
      launchBeside()
    }
    return try DaemonLauncher.connectOrStart(console, patience: launchTimeout)
  }

  /// A request with the command line's deadline. With `--verbose` it requests progress events.
  func envelope(_ request: Request) -> RequestEnvelope {
    var envelope = withoutDirectory(request)
    if envelope.directory != nil { envelope.directory = CallerDirectory.path ?? "" }
    return envelope
  }

  /// Like ``envelope(_:)``, but without the directory, which costs a system call.
  private func withoutDirectory(_ request: Request) -> RequestEnvelope {
    RequestEnvelope(
      request, timeoutSeconds: timeoutSeconds, verbose: console.verbose && !console.quiet,
      directory: request.row.followsDirectory ? "" : nil)
  }

  /// Logs a request with `--verbose`. Returns the current time.
  func logRequest(_ request: Request) -> Instant {
    console.detail("asking: \(RequestText.text(request, timeoutSeconds: timeoutSeconds))")
    return .now
  }

  /// Logs the outcome of an exchange with `--verbose`.
  func logOutcome(_ outcome: String, since begin: Instant) {
    console.detail("\(outcome) after \(RelativeTime.precise(begin.duration(to: .now)))")
  }

  /// Logs the failure of an exchange with `--verbose`.
  private func logFailure(_ failure: Failure, since begin: Instant) {
    console.detail("failed after \(RelativeTime.precise(begin.duration(to: .now))): \(failure.message)")
  }

  /// When a request sent now times out.
  ///
  /// - Parameter standard: The default deadline in seconds.
  func deadline(of request: Request, standard: Int = WireProtocol.defaultTimeoutSeconds) -> Instant {
    if let answerTimeout { return .now.advanced(by: answerTimeout) }
    return .now.advanced(by: .seconds((timeoutSeconds ?? standard) + request.waitSeconds + grace))
  }

  /// When to check on the daemon during a wait without a deadline. Only the daemon knows whether there is progress.
  var nextCheck: Instant { .now.advanced(by: .seconds(timeoutSeconds ?? WireProtocol.defaultTimeoutSeconds)) }

  /// Returns a check, over another connection, that the connection's daemon still works. A private daemon accepts only
  /// one connection and is assumed to work.
  func check(of connection: borrowing DaemonConnection) -> () -> Bool {
    let process = connection.process
    return connection.isPrivate ? { true } : { isAnswering(process) }
  }

  private func isAnswering(_ process: Int32?) -> Bool {
    let deadline = Instant.now.advanced(by: .seconds(grace))
    var console = Console.silent
    console.timeoutSeconds = grace
    do throws(Failure) {
      guard let connection = try DaemonLauncher.connect(console), connection.process == process else { return false }
      try connection.lent { (connection) throws(Failure) in
        // The daemon replies at once, even at a lease's socket. A refusal counts.
        try connection.send(RequestEnvelope(.leaseStatus()))
        _ = try connection.nextReply(before: deadline)
      }
      return true
    } catch {
      // An ending daemon reports that on the first connection.
      return error.code != .timeout
    }
  }

  /// Waits without a deadline as long as the daemon works.
  func wait(_ patience: Patience, while isWorking: @escaping () -> Bool) -> DaemonConnection.Wait {
    { (socket, _) throws(SystemError) in
      while try !patience.wait(for: socket, before: nextCheck) { if !isWorking() { return false } }
      return true
    }
  }

  /// Sends a request and returns its result.
  ///
  /// - Parameter descriptors: Secrets for the daemon to read.
  func ask(_ request: Request, passing descriptors: [SharedDescriptor] = []) throws(Failure) -> JSONObject {
    try converse(mayRepeat: request.has(.repeatable) && descriptors.isEmpty) {
      (connection) throws(Failure) in
      try ask(request, passing: descriptors, over: &connection)
    }
  }

  /// Like ``ask(_:passing:)``, but never starts a daemon.
  ///
  /// - Throws: `daemon_unavailable` if none runs.
  func askIfRunning(_ request: Request) throws(Failure) -> JSONObject {
    guard let result = try askRunning(request) else {
      throw Failure(.daemonUnavailable, "the daemon is not running", hint: "agent daemon start")
    }
    return result
  }

  /// Like ``askIfRunning(_:)``, but returns nil if no daemon runs.
  func askRunning(_ request: Request) throws(Failure) -> JSONObject? {
    var attempts = request.has(.repeatable) ? Self.mostEndings : 1
    while true {
      guard let connection = try DaemonLauncher.connect(console) else { return nil }
      attempts -= 1
      do {
        return try connection.lent { (connection) throws(Failure) in try ask(request, over: &connection) }
      } catch {
        // An ending daemon may be gone by now.
        guard error.code == .daemonUnavailable, attempts > 0 else { throw error }
      }
    }
  }

  /// The number of daemons that may end without a response. A killed process accepts connections until it is gone.
  private static let mostEndings = 3

  /// Sends a request over an open connection.
  ///
  /// - Parameter work: Called while the daemon works.
  func ask(
    _ request: Request, passing descriptors: [SharedDescriptor] = [], over connection: inout DaemonConnection,
    meanwhile work: () -> Void = {}
  ) throws(Failure) -> JSONObject {
    let begin = logRequest(request)
    try connection.send(envelope(request), passing: descriptors)
    work()
    let (deadline, patience) = (deadline(of: request), Patience(request, console))
    while true {
      switch try connection.nextReply(before: deadline, waiting: patience.wait) {
      case .result(let result):
        logOutcome("answered", since: begin)
        return result
      case .failure(let failure):
        logFailure(failure, since: begin)
        throw failure
      case .event(let event): console.tell(event)
      }
    }
  }

  /// Runs `body` with a new connection for several requests.
  ///
  /// - Parameter mayRepeat: Whether to run `body` again at the next daemon if this one was ending.
  func converse<Result>(
    mayRepeat: Bool = false, _ body: (inout DaemonConnection) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let connection = try connect()
    do {
      return try connection.lent { (connection) throws(Failure) in try handingOver(over: &connection, body) }
    } catch {
      guard error.code == .daemonUnavailable, mayRepeat, !isPrivate else { throw error }
    }
    return try connectAgain().lent { (connection) throws(Failure) in try handingOver(over: &connection, body) }
  }

  /// Returns a connection after `body` has sent a repeatable request over it. Repeats it at the next daemon if this one
  /// was ending.
  func connect(asking body: (inout DaemonConnection) throws(Failure) -> Void) throws(Failure) -> DaemonConnection {
    var connection = try connect()
    do throws(Failure) {
      try body(&connection)
      return connection
    } catch {
      connection.finish()
      guard error.code == .daemonUnavailable, !isPrivate else { throw error }
    }
    var next = try connectAgain()
    do throws(Failure) {
      try body(&next)
    } catch {
      next.finish()
      throw error
    }
    return next
  }

  /// Connects to the next daemon after one that ended without a response.
  func connectAgain() throws(Failure) -> DaemonConnection {
    console.detail("the daemon ended, so the next one is asked")
    return try connect()
  }

  /// Runs `body`. If it fails for lack of variables that this process has, passes them and runs it again: the failed
  /// attempt had no effect.
  func handingOver<Result>(
    over connection: inout DaemonConnection, _ body: (inout DaemonConnection) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do {
      return try body(&connection)
    } catch {
      guard let variables = try CallerVariables(lackedBy: error, over: connection) else { throw error }
      _ = try ask(variables.request, passing: variables.values, over: &connection)
    }
    return try body(&connection)
  }

  /// Returns the first result of `isMeant`. Reports other events.
  func event<Result>(
    over connection: inout DaemonConnection, before deadline: Instant, waiting wait: DaemonConnection.Wait,
    _ isMeant: (Event) -> Result?
  ) throws(Failure) -> Result {
    while true {
      switch try connection.nextReply(before: deadline, waiting: wait) {
      case .event(let event):
        if let result = isMeant(event) { return result }
        console.tell(event)
      case .failure(let failure): throw failure
      case .result: throw Reply.unreadable
      }
    }
  }

  /// Requests a token, and passes it to `body` with its line.
  func askForToken<Result>(
    _ request: Request, _ body: (TokenAnswer, Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try converse(mayRepeat: request.has(.repeatable)) { (connection) throws(Failure) in
      try askForToken(request, over: &connection, body)
    }
  }

  /// Requests a token over an open connection.
  func askForToken<Result>(
    _ request: Request, over connection: inout DaemonConnection,
    _ body: (TokenAnswer, Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try askForSecret(request, over: &connection) { (line) throws(Failure) in
      try TokenAnswer(parsing: line)
    } then: { (answer, line) throws(Failure) in
      SignInReminder.tell(answer.description, console)
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

  /// Sends a request whose response contains secrets.
  private func askForSecret<Answer, Result>(
    _ request: Request, over connection: inout DaemonConnection,
    reading read: (Span<UInt8>) throws(Failure) -> Answer,
    then body: (Answer, Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let begin = logRequest(request)
    var envelope = withoutDirectory(request)
    try connection.send(envelope)
    let (deadline, patience) = (deadline(of: request), Patience(request, console))
    while true {
      var isDirectoryNeeded = false
      let result = try connection.nextLine(before: deadline, waiting: patience.wait) {
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
          console.tell(event)
          return nil
        }
        logOutcome("answered", since: begin)
        return try body(answer, line)
      }
      if let result { return result }
      if isDirectoryNeeded { try connection.send(envelope) }
    }
  }

  /// Starts the daemon from a child process, so that the program that replaces this process does not become its parent.
  ///
  /// Ignores failures, since the caller connects next and reports the cause.
  private func launchBeside() {
    let executable = Machine.executablePath()
    let request = Spawn.Request(
      executable: executable, arguments: ["agent", "daemon", "start", "--quiet"],
      environment: DaemonProgram.environment(from: Environment.all()), nullStandardStreams: true)
    guard let child = try? Spawn.start(request) else { return }
    _ = try? Spawn.wait(child)
  }
}

extension DaemonConnection {
  /// Lends the connection to `body`, and always closes it afterwards.
  consuming func lent<Result: ~Copyable>(
    to body: (inout DaemonConnection) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let result: Result
    do {
      result = try body(&self)
    } catch {
      finish()
      throw error
    }
    finish()
    return result
  }

  /// Waits for the next line. Not for secrets.
  mutating func nextReply(before deadline: Instant, waiting wait: Wait = waitSilently) throws(Failure) -> Reply {
    try nextLine(before: deadline, waiting: wait) { (line) throws(Failure) in try Reply(parsing: line) }
  }

  /// Waits for the next line and passes it to `body`, without its newline.
  ///
  /// - Parameter wait: Called if nothing has arrived. May show a message.
  /// - Throws: `timeout`; `daemon_unavailable` if the daemon disconnects; the errors of `body`.
  mutating func nextLine<Result>(
    before deadline: Instant, waiting wait: Wait = waitSilently, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var result: Result?
    try passLine(before: deadline, waiting: wait) { (line) throws(Failure) in result = try body(line) }
    guard let result else { preconditionFailure("a line was passed") }
    return result
  }
}

// MARK: - Actions

extension DaemonClient {
  /// Asks the daemon and prints the result, as JSON with `--json`.
  func action(_ request: Request, showing text: @escaping (JSONObject) -> String) -> Action {
    .doing { () throws(Failure) in try console.answer(try ask(request), showing: text) }
  }

  /// Asks the daemon for a change and prints a confirmation.
  ///
  /// - Parameter secrets: Opens the descriptors to send. Called first.
  func change(
    _ request: Request, bringing secrets: @escaping () throws(Failure) -> [SharedDescriptor] = { [] },
    noting note: @escaping (JSONObject) -> Phrase
  ) -> Action {
    .doing { () throws(Failure) in try console.confirm(try ask(request, passing: try secrets()), note) }
  }
}
