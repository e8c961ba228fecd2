internal import AgentSocket
internal import Platform
internal import Wire

/// A long-lived connection that something in the daemon depends on. If it breaks, the request is repeated with the next
/// daemon.
struct KeptConnection: ~Copyable {
  private let client: DaemonClient
  private var connection: ClosableConnection
  /// False after a user stopped the daemon: this connection then does not start it again.
  private var mayStart = true
  private var failures = 0

  /// When to connect again; nil while connected.
  private(set) var nextAttempt: Instant?

  init(_ client: DaemonClient, _ connection: consuming DaemonConnection) {
    self.client = client
    self.connection = ClosableConnection(connection)
  }

  borrowing func watch(_ poller: borrowing Poller, key: UInt64) throws(SystemError) {
    if let number = connection.number { try poller.add(number, interest: .read, key: key) }
  }

  /// - Throws: Why no more can be read.
  mutating func readMore() throws(Failure) { try connection.readMore() }

  /// The next line, if it has arrived.
  mutating func takeReply() throws(Failure) -> Reply? {
    guard let reply = try connection.takeReply() else { return nil }
    if case .failure(let failure) = reply { mayStart = ![.daemonUnavailable, .daemonStopped].contains(failure.code) }
    return reply
  }

  /// Sends a further message of the request; does nothing while disconnected.
  mutating func send(_ request: RequestEnvelope, passing passed: [SharedDescriptor] = []) throws(Failure) {
    try connection.send(request, passing: passed)
  }

  /// See ``CallerVariables/init(lackedBy:over:)``.
  mutating func variables(lackedBy failure: Failure) throws(Failure) -> CallerVariables? {
    try connection.variables(lackedBy: failure)
  }

  /// Records that the daemon has fulfilled the request.
  mutating func succeeded() { (failures, mayStart) = (0, true) }

  /// Closes the connection and schedules a new one.
  mutating func disconnect() {
    connection.close()
    nextAttempt = Instant.now.advanced(by: pause)
  }

  /// A daemon that is restarting is available soon.
  private var pause: Duration {
    failures == 0 ? .milliseconds(50) : .milliseconds(250 << min(failures, 7))
  }

  var isAttemptDue: Bool { nextAttempt.map { $0 <= .now } ?? false }

  /// Connects again, and sends the request with `send`.
  mutating func attempt(
    _ poller: borrowing Poller, key: UInt64, _ send: (borrowing DaemonConnection) throws(Failure) -> Void
  ) throws(SystemError) {
    failures += 1
    nextAttempt = nil
    do throws(Failure) {
      guard let next = try reconnect() else { return nextAttempt = Instant.now.advanced(by: pause) }
      try send(next)
      connection = ClosableConnection(next)
    } catch {
      nextAttempt = Instant.now.advanced(by: pause)
      return
    }
    try watch(poller, key: key)
  }

  private borrowing func reconnect() throws(Failure) -> DaemonConnection? {
    guard mayStart else { return try DaemonLauncher.connect() }
    return .some(try client.connect())
  }

  /// Closes the connection permanently.
  mutating func close() { connection.close() }

  consuming func finish() { connection.close() }
}
