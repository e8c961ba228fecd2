internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// Sends the requests of one command line to the daemon.
struct DaemonClient {
  private(set) var console: Console

  /// The commands of the program, which hints name.
  let commands: CommandTable

  /// The deadline on the command line, in seconds.
  private var timeoutSeconds: Int?

  /// Whether to use a private `agentd`, which ends with the command.
  let isPrivate: Bool

  /// Whether another program replaces this process after the response; see ``launchBeside()``.
  var isReplacedAfterwards = false

  /// How long the response may take beyond the request's own deadline, in seconds.
  private var mostGrace = 5

  /// The maximum wait for a response, if the caller cannot wait as long as the daemon may take.
  private var answerPatience: Duration?

  /// How long to wait for another command that starts the daemon, and for the daemon to listen.
  private var launchPatience = DaemonLauncher.patience

  init(_ invocation: Invocation) {
    timeoutSeconds = invocation[.timeout]
    var console = Console(invocation)
    if let timeoutSeconds { console.timeoutSeconds = timeoutSeconds }
    self.console = console
    isPrivate = invocation[.noDaemon]
    commands = invocation.commands
  }

  /// A client for responses to other programs: it prints nothing else and asks no questions.
  var forPrograms: DaemonClient {
    var client = self
    client.console.quiet = !console.verbose
    client.console.mayAsk = false
    return client
  }

  /// A client for a caller that waits no longer than until `deadline`.
  ///
  /// - Throws: `timeout` if the deadline has passed.
  func limited(to deadline: Instant) throws(Failure) -> DaemonClient {
    // The last second is for work outside the daemon.
    let seconds = Int(Instant.now.duration(to: deadline).components.seconds)
    guard seconds > 0 || Instant.now < deadline else {
      throw Failure(.timeout, "the calling program did not finish its request in time")
    }
    var client = self
    client.timeoutSeconds = max(1, seconds - 1)
    client.console.timeoutSeconds = max(1, seconds - 1)
    client.launchPatience = .seconds(max(1, seconds - 1))
    client.mostGrace = 1
    return client
  }

  /// How long the response may take beyond the request's own deadline, in seconds: the daemon reports a missed deadline
  /// itself, with more detail. Short deadlines get a short grace period.
  private var grace: Int { min(mostGrace, max(1, (timeoutSeconds ?? WireProtocol.defaultTimeoutSeconds) / 2)) }

  /// A client with another deadline than that of the command line.
  func patient(for seconds: Int) -> DaemonClient {
    var client = self
    client.timeoutSeconds = seconds
    return client
  }

  /// A client for a caller that waits no longer than this for each response.
  func limited(toAnswer patience: Duration) -> DaemonClient {
    var client = self
    client.answerPatience = patience
    client.launchPatience = patience
    return client
  }

  /// Connects as the command line requires: to the daemon, started if necessary, or to a private one.
  func connect() throws(Failure) -> DaemonConnection {
    if isPrivate { return try DaemonLauncher.startPrivate(console) }
    if isReplacedAfterwards, Environment.value("AGENT_SOCKET") == nil {
      if let connection = try DaemonLauncher.connect(console) { return connection }
      console.detail("a child starts the daemon, since another program takes this process over")
      launchBeside()
    }
    return try DaemonLauncher.connectOrStart(console, patience: launchPatience)
  }

  /// A request with the deadline of the command line. With `--verbose` it asks for progress steps.
  func envelope(_ request: Request) -> RequestEnvelope {
    var envelope = withoutDirectory(request)
    if envelope.directory != nil { envelope.directory = CallerDirectory.path ?? "" }
    return envelope
  }

  /// Like ``envelope(_:)``, but does not ask the system for the directory unless the daemon needs it.
  private func withoutDirectory(_ request: Request) -> RequestEnvelope {
    RequestEnvelope(
      request, timeoutSeconds: timeoutSeconds, verbose: console.verbose && !console.quiet,
      directory: request.row.followsDirectory ? "" : nil)
  }

  /// Logs, with `--verbose`, the request about to be sent. Returns the current time.
  func logRequest(_ request: Request) -> Instant {
    console.detail("asking: \(RequestText.text(request, timeoutSeconds: timeoutSeconds))")
    return .now
  }

  /// Logs, with `--verbose`, how the exchange that began at `begin` has ended.
  func logOutcome(_ outcome: String, since begin: Instant) {
    console.detail("\(outcome) after \(RelativeTime.precise(begin.duration(to: .now)))")
  }

  /// Logs, with `--verbose`, when and why the exchange that began at `begin` has failed.
  private func logFailure(_ failure: Failure, since begin: Instant) {
    console.detail("failed after \(RelativeTime.precise(begin.duration(to: .now))): \(failure.message)")
  }

  /// When to stop waiting for the response to a request sent now.
  ///
  /// - Parameter standard: The default deadline of the command line, in seconds.
  func deadline(of request: Request, standard: Int = WireProtocol.defaultTimeoutSeconds) -> Instant {
    if let answerPatience { return .now.advanced(by: answerPatience) }
    return .now.advanced(by: .seconds((timeoutSeconds ?? standard) + request.waitSeconds + grace))
  }

  /// When to check that the daemon still works, during a wait without a deadline: only the daemon knows whether there
  /// is progress, and it ends a request that makes none.
  var nextCheck: Instant { .now.advanced(by: .seconds(timeoutSeconds ?? WireProtocol.defaultTimeoutSeconds)) }

  /// A check, over another connection, that the daemon at the other end of a connection still works. A private daemon
  /// accepts no other connection; it is assumed to work.
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
        // The daemon replies to this request at once, also at a lease's socket. A refusal is a reply too.
        try connection.send(RequestEnvelope(.leaseStatus()))
        _ = try connection.nextReply(before: deadline)
      }
      return true
    } catch {
      // A daemon that is ending reports that on the waiting connection.
      return error.code != .timeout
    }
  }

  /// Waits without a deadline, as long as the daemon works.
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

  /// Like ``ask(_:passing:)``, but starts no daemon.
  ///
  /// - Throws: `daemon_unavailable` if none runs.
  func askIfRunning(_ request: Request) throws(Failure) -> JSONObject {
    guard let result = try askRunning(request) else {
      throw Failure(.daemonUnavailable, "the daemon is not running", hint: "agent daemon start")
    }
    return result
  }

  /// Like ``ask(_:passing:)``, but starts no daemon; nil if none runs.
  func askRunning(_ request: Request) throws(Failure) -> JSONObject? {
    var attempts = request.has(.repeatable) ? Self.mostEndings : 1
    while true {
      guard let connection = try DaemonLauncher.connect(console) else { return nil }
      attempts -= 1
      do {
        return try connection.lent { (connection) throws(Failure) in try ask(request, over: &connection) }
      } catch {
        // A daemon that was ending may be gone by now.
        guard error.code == .daemonUnavailable, attempts > 0 else { throw error }
      }
    }
  }

  /// How many daemons may end before one responds. A killed process accepts connections until it is gone.
  private static let mostEndings = 3

  /// Sends a request over a connection that stays open.
  ///
  /// - Parameter work: Runs while the daemon works.
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

  /// Runs `body` with its own connection, for several requests.
  ///
  /// - Parameter mayRepeat: Whether `body` may run again: if the daemon was ending, it is repeated with the next one.
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

  /// A connection that stays open after `body` has sent a repeatable request over it. If the daemon was ending, the
  /// request is repeated with the next one.
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

  /// Connects to the next daemon, after one that ended before it responded.
  func connectAgain() throws(Failure) -> DaemonConnection {
    console.detail("the daemon ended, so the next one is asked")
    return try connect()
  }

  /// Runs `body`. If it fails because variables are missing that this process has, passes them and runs it again. The
  /// failed attempt had no effect.
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

  /// Returns the first event that `isMeant` converts; reports the others.
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

  /// Sends a request for a token, and passes the token to `body` with the line that contains it.
  func askForToken<Result>(
    _ request: Request, _ body: (TokenAnswer, Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try converse(mayRepeat: request.has(.repeatable)) { (connection) throws(Failure) in
      try askForToken(request, over: &connection, body)
    }
  }

  /// Sends a request for a token over a connection that stays open.
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

  /// Sends a request whose response line contains secrets.
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

  /// Lets a child start the daemon, so that the daemon has no parent: otherwise the program that replaces this process
  /// would have an unknown child.
  ///
  /// Ignores failures: the caller tries next and finds the cause.
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
  /// Lends the connection to `body` and closes it afterwards, even if `body` throws.
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

  /// Waits for the next line, which contains no secret.
  mutating func nextReply(before deadline: Instant, waiting wait: Wait = waitSilently) throws(Failure) -> Reply {
    try nextLine(before: deadline, waiting: wait) { (line) throws(Failure) in try Reply(parsing: line) }
  }

  /// Waits for the next line and passes it, without its line feed, to `body`.
  ///
  /// - Parameter wait: Called if nothing has arrived; may show a message meanwhile.
  /// - Throws: `timeout` past the deadline; `daemon_unavailable` if the daemon disconnects; the errors of `body`.
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
  /// An action that asks the daemon and prints its result: as JSON with `--json`, otherwise as text.
  func action(_ request: Request, showing text: @escaping (JSONObject) -> String) -> Action {
    .doing { () throws(Failure) in try console.answer(try ask(request), showing: text) }
  }

  /// An action that asks the daemon for a change, and prints a confirmation.
  ///
  /// - Parameter secrets: Returns the descriptors to send with the request; called before the daemon is asked.
  func change(
    _ request: Request, bringing secrets: @escaping () throws(Failure) -> [SharedDescriptor] = { [] },
    noting note: @escaping (JSONObject) -> Phrase
  ) -> Action {
    .doing { () throws(Failure) in try console.confirm(try ask(request, passing: try secrets()), note) }
  }
}
