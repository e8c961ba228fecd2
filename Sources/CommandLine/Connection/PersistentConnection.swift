internal import Platform
internal import Wire

/// A connection for a request that applies until the connection closes. Can reconnect and repeat the request.
struct PersistentConnection: ~Copyable {
  private let client: DaemonClient
  private var connection: DaemonConnection?
  /// Whether to start a missing daemon; false after the user stopped it.
  private var mayStart = true
  private var failedAttempts = 0

  /// When to reconnect; nil while connected.
  private(set) var nextAttempt: Instant?

  init(_ client: DaemonClient, _ connection: consuming DaemonConnection) {
    self.client = client
    self.connection = .some(connection)
  }

  borrowing func watch(_ poller: borrowing Poller, key: UInt64) throws(SystemError) {
    switch connection {
    case .some(let connection): try poller.add(connection.descriptor, interest: .read, key: key)
    case .none: break
    }
  }

  mutating func readMore() throws(Failure) { try connection?.readMore() }

  /// The next reply, or nil if no line has arrived.
  mutating func takeReply() throws(Failure) -> Reply? {
    guard let reply = try connection?.takeReply() else { return nil }
    if case .failure(let failure) = reply { mayStart = ![.daemonUnavailable, .daemonStopped].contains(failure.code) }
    return reply
  }

  mutating func send(_ request: RequestEnvelope, passing passed: [SharedDescriptor] = []) throws(Failure) {
    try connection?.send(request, passing: passed)
  }

  /// The variables that the daemon lacks, if `failure` asks for them.
  mutating func variables(neededAfter failure: Failure) throws(Failure) -> CallerVariables? {
    try connection?.variables(neededAfter: failure)
  }

  /// Makes the next pause short, and lets the next attempt start a daemon.
  mutating func recordSuccess() { (failedAttempts, mayStart) = (0, true) }

  mutating func disconnect() {
    connection = nil
    nextAttempt = Instant.now.advanced(by: pause)
  }

  /// Before the next attempt: short at first, then doubled.
  private var pause: Duration {
    failedAttempts == 0 ? .milliseconds(50) : .milliseconds(250 << min(failedAttempts, 7))
  }

  var isAttemptDue: Bool { nextAttempt.map { $0 <= .now } ?? false }

  /// Reconnects, and repeats the request with `send`.
  mutating func reconnect(
    _ poller: borrowing Poller, key: UInt64, _ send: (borrowing DaemonConnection) throws(Failure) -> Void
  ) throws(SystemError) {
    failedAttempts += 1
    nextAttempt = nil
    do throws(Failure) {
      guard let next = try connectToNextDaemon() else { return nextAttempt = Instant.now.advanced(by: pause) }
      try send(next)
      connection = .some(next)
    } catch {
      nextAttempt = Instant.now.advanced(by: pause)
      return
    }
    try watch(poller, key: key)
  }

  /// Nil if the user stopped the daemon and none is running.
  private borrowing func connectToNextDaemon() throws(Failure) -> DaemonConnection? {
    guard mayStart else { return try DaemonLauncher.connect() }
    return .some(try client.connect())
  }

  mutating func close() { connection = nil }
}
