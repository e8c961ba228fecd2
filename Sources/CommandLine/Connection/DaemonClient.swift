internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// Asks the daemon on behalf of one command line.
struct DaemonClient {
  private(set) var console: Console

  /// The deadline that the command line names, in seconds.
  private var timeoutSeconds: Int?

  /// Whether a private `agentd` is asked, which ends with the command.
  let isPrivate: Bool

  /// Whether another program takes this process over after the answer; see ``launchBeside()``.
  var isReplacedAfterwards = false

  /// The longest time that the answer may take beyond the request's own deadline, in seconds.
  private var mostGrace = 5

  /// The longest wait for an answer, where the caller cannot wait for as long as the daemon may take.
  private var answerPatience: Duration?

  /// How long another command may take to start the daemon, and the daemon to listen.
  private var launchPatience = DaemonLauncher.patience

  init(_ invocation: Invocation) {
    timeoutSeconds = invocation[.timeout]
    var console = Console(invocation)
    if let timeoutSeconds { console.timeoutSeconds = timeoutSeconds }
    self.console = console
    isPrivate = invocation[.noDaemon]
  }

  /// The same for an answer to another program: nothing else is printed, and no question is asked.
  var forPrograms: DaemonClient {
    var client = self
    client.console.quiet = !console.verbose
    client.console.mayAsk = false
    return client
  }

  /// The same for a caller that waits no longer than until then.
  ///
  /// - Throws: `timeout` when that is over.
  func limited(to deadline: Instant) throws(Failure) -> DaemonClient {
    // The last second is for what is not the daemon's own time.
    let seconds = Int(Instant.now.duration(to: deadline).components.seconds)
    guard seconds > 0 || Instant.now < deadline else {
      throw Failure(.timeout, "the calling program did not end its question in time")
    }
    var client = self
    client.timeoutSeconds = max(1, seconds - 1)
    client.console.timeoutSeconds = max(1, seconds - 1)
    client.launchPatience = .seconds(max(1, seconds - 1))
    client.mostGrace = 1
    return client
  }

  /// How long the answer may take beyond the request's own deadline, in seconds: the daemon reports a missed deadline
  /// itself, and better. Who gives it little time waits little longer.
  private var grace: Int { min(mostGrace, max(1, (timeoutSeconds ?? WireProtocol.defaultTimeoutSeconds) / 2)) }

  /// The same with another deadline than that of the command line.
  func patient(for seconds: Int) -> DaemonClient {
    var client = self
    client.timeoutSeconds = seconds
    return client
  }

  /// The same for a caller that waits no longer than this for each answer.
  func limited(toAnswer patience: Duration) -> DaemonClient {
    var client = self
    client.answerPatience = patience
    client.launchPatience = patience
    return client
  }

  /// A connection as the command line wants it: to the daemon, started if need be, or to a private one.
  func connect() throws(Failure) -> DaemonConnection {
    if isPrivate { return try DaemonLauncher.startPrivate(console) }
    if isReplacedAfterwards, Environment.value("AGENT_SOCKET") == nil {
      if let connection = try DaemonLauncher.connect(console) { return connection }
      console.detail("a child starts the daemon, since another program takes this process over")
      launchBeside()
    }
    return try DaemonLauncher.connectOrStart(console, patience: launchPatience)
  }

  /// A request with the deadline of the command line, and whether its user wants to know what is done for it.
  func envelope(_ request: Request) -> RequestEnvelope {
    RequestEnvelope(request, timeoutSeconds: timeoutSeconds, verbose: console.verbose && !console.quiet)
  }

  /// Tells, to those who asked for it, what is about to be sent. Returns when that was.
  func logRequest(_ request: Request) -> Instant {
    console.detail("asking: \(RequestText.text(request, timeoutSeconds: timeoutSeconds))")
    return .now
  }

  /// Tells, to those who asked for it, how an exchange that began then has ended.
  func logOutcome(_ outcome: String, since begin: Instant) {
    console.detail("\(outcome) after \(RelativeTime.precise(begin.duration(to: .now)))")
  }

  /// Tells, to those who asked for it, when and why an exchange that began then has failed.
  private func logFailure(_ failure: Failure, since begin: Instant) {
    console.detail("failed after \(RelativeTime.precise(begin.duration(to: .now))): \(failure.message)")
  }

  /// When to stop waiting for the answer to a request that is sent now.
  ///
  /// - Parameter standard: The deadline of a command line that names none, in seconds.
  func deadline(of request: Request, standard: Int = WireProtocol.defaultTimeoutSeconds) -> Instant {
    if let answerPatience { return .now.advanced(by: answerPatience) }
    return .now.advanced(by: .seconds((timeoutSeconds ?? standard) + request.waitSeconds + grace))
  }

  /// When to ask whether the daemon still works, in a wait that has no end of its own: there the daemon alone knows whether
  /// something moves, and ends the request where nothing does.
  var nextCheck: Instant { .now.advanced(by: .seconds(timeoutSeconds ?? WireProtocol.defaultTimeoutSeconds)) }

  /// The question whether the daemon at the other end of a connection still works, by the way of another connection. A
  /// private one has no other; it is taken to work.
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
        // It waits for nothing, and a lease answers it too. A refusal is an answer like any other.
        try connection.send(RequestEnvelope(.leaseStatus()))
        _ = try connection.nextReply(before: deadline)
      }
      return true
    } catch {
      // One that just ends says so on the connection that waits.
      return error.code != .timeout
    }
  }

  /// Waits without an end, as long as the daemon works.
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

  /// The same, but starts no daemon.
  ///
  /// - Throws: `daemon_unavailable` when none runs.
  func askIfRunning(_ request: Request) throws(Failure) -> JSONObject {
    guard let result = try askRunning(request) else {
      throw Failure(.daemonUnavailable, "the daemon is not running", hint: "agent daemon start")
    }
    return result
  }

  /// The same; nil when none runs.
  func askRunning(_ request: Request) throws(Failure) -> JSONObject? {
    var attempts = request.has(.repeatable) ? Self.mostEndings : 1
    while true {
      guard let connection = try DaemonLauncher.connect(console) else { return nil }
      attempts -= 1
      do {
        return try connection.lent { (connection) throws(Failure) in try ask(request, over: &connection) }
      } catch {
        // One that was just ending may be gone by now.
        guard error.code == .daemonUnavailable, attempts > 0 else { throw error }
      }
    }
  }

  /// How many daemons may end before one answers. A process that was killed takes connections until it is gone.
  private static let mostEndings = 3

  /// The same over a connection that goes on.
  ///
  /// - Parameter work: Done while the daemon works.
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

  /// Runs `body` with a connection of its own, for several requests.
  ///
  /// - Parameter mayRepeat: Asking twice does no harm: when the daemon was just ending, the next daemon is asked.
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

  /// A connection that goes on after `body` has asked over it what may be asked twice: when the daemon was just ending,
  /// the next one is asked.
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

  /// A connection to the daemon that comes after one that ended before it answered.
  func connectAgain() throws(Failure) -> DaemonConnection {
    console.detail("the daemon ended, so the next one is asked")
    return try connect()
  }

  /// Runs `body`, and once more after it failed for want of variables that this process has, and that were handed over
  /// then. What failed so has done nothing.
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

  /// The first event that `isMeant` makes something of; others are told.
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

  /// Makes a request that is answered with a token, and gives that to `body`, together with the line it stands in.
  func askForToken<Result>(
    _ request: Request, _ body: (TokenAnswer, Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try converse(mayRepeat: request.has(.repeatable)) { (connection) throws(Failure) in
      try askForToken(request, over: &connection, body)
    }
  }

  /// The same over a connection that goes on.
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

  /// Makes a request that is answered with credentials of a role.
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

  /// Makes a request whose answer line holds secrets.
  private func askForSecret<Answer, Result>(
    _ request: Request, over connection: inout DaemonConnection,
    reading read: (Span<UInt8>) throws(Failure) -> Answer,
    then body: (Answer, Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let begin = logRequest(request)
    try connection.send(envelope(request))
    let (deadline, patience) = (deadline(of: request), Patience(request, console))
    while true {
      let result = try connection.nextLine(before: deadline, waiting: patience.wait) {
        (line) throws(Failure) -> Result? in
        let answer: Answer
        do throws(Failure) {
          answer = try read(line)
        } catch {
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
    }
  }

  /// Lets a child start the daemon. The daemon then has no parent: the program that takes this
  /// process over would otherwise get a child that it knows nothing of.
  ///
  /// A failure is not told from here: the caller tries itself next, and finds the cause.
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
  /// Lends the connection to `body`, and closes it afterwards, also when `body` throws.
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

  /// Waits for the next line that holds no secret.
  mutating func nextReply(before deadline: Instant, waiting wait: Wait = waitSilently) throws(Failure) -> Reply {
    try nextLine(before: deadline, waiting: wait) { (line) throws(Failure) in try Reply(parsing: line) }
  }

  /// The next line, which holds no secret, if it is here already; nil otherwise. Never waits.
  mutating func takeReply() throws(Failure) -> Reply? {
    var reply: Reply?
    _ = try passLine { (line) throws(Failure) in reply = try Reply(parsing: line) }
    return reply
  }

  /// Waits for the next line and gives it, without its line feed, to `body`.
  ///
  /// - Parameter wait: Called when nothing is here; it may tell a person something meanwhile.
  /// - Throws: `timeout` past the deadline; `daemon_unavailable` when the daemon hangs up; what
  ///   `body` throws.
  mutating func nextLine<Result>(
    before deadline: Instant, waiting wait: Wait = waitSilently, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var result: Result?
    try passLine(before: deadline, waiting: wait) { (line) throws(Failure) in result = try body(line) }
    guard let result else { preconditionFailure("a line was passed") }
    return result
  }
}
