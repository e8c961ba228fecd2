internal import AgentSocket
internal import Platform
internal import Wire

/// A connection that something of the daemon's lives by. When it breaks, the next daemon is asked again.
struct KeptConnection: ~Copyable {
  private let client: DaemonClient
  private var connection: ClosableConnection
  /// False after a person stopped the daemon: it is then not started again from here.
  private var mayStart = true
  private var failures = 0

  /// When the daemon is to be asked again; nil while there is a connection.
  private(set) var nextAttempt: Instant?

  init(_ client: DaemonClient, _ connection: consuming DaemonConnection) {
    self.client = client
    self.connection = ClosableConnection(connection)
  }

  borrowing func watch(_ poller: borrowing Poller, key: UInt64) throws(SystemError) {
    if let number = connection.number { try poller.add(number, interest: .read, key: key) }
  }

  /// - Throws: Why there is no more to read.
  mutating func readMore() throws(Failure) { try connection.readMore() }

  /// The next line, if it is here already.
  mutating func takeReply() throws(Failure) -> Reply? {
    guard let reply = try connection.takeReply() else { return nil }
    if case .failure(let failure) = reply { mayStart = ![.daemonUnavailable, .daemonStopped].contains(failure.code) }
    return reply
  }

  /// Says more about what was asked for; nothing while there is no connection.
  mutating func send(_ request: RequestEnvelope, passing passed: [SharedDescriptor] = []) throws(Failure) {
    try connection.send(request, passing: passed)
  }

  /// As ``CallerVariables/init(lackedBy:over:)``.
  mutating func variables(lackedBy failure: Failure) throws(Failure) -> CallerVariables? {
    try connection.variables(lackedBy: failure)
  }

  /// The daemon has done what it was asked for.
  mutating func succeeded() { (failures, mayStart) = (0, true) }

  /// Closes the connection, to be made again soon.
  mutating func disconnect() {
    connection.close()
    nextAttempt = Instant.now.advanced(by: pause)
  }

  /// A daemon that is just being restarted is back soon.
  private var pause: Duration {
    failures == 0 ? .milliseconds(50) : .milliseconds(250 << min(failures, 7))
  }

  var isAttemptDue: Bool { nextAttempt.map { $0 <= .now } ?? false }

  /// Connects again, and asks by `send`.
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

  /// Closes the connection for good.
  mutating func close() { connection.close() }

  consuming func finish() { connection.close() }
}

/// A connection that may be closed before its owner goes away.
struct ClosableConnection: ~Copyable {
  private var connection: DaemonConnection?
  /// The connection's number; nil once it is closed.
  private(set) var number: Int32?

  init(_ connection: consuming DaemonConnection) {
    number = connection.descriptor
    self.connection = .some(connection)
  }

  mutating func send(_ request: RequestEnvelope, passing passed: [SharedDescriptor] = []) throws(Failure) {
    if number != nil { try connection!.send(request, passing: passed) }
  }

  /// As ``CallerVariables/init(lackedBy:over:)``; nil once it is closed.
  mutating func variables(lackedBy failure: Failure) throws(Failure) -> CallerVariables? {
    number == nil ? nil : try CallerVariables(lackedBy: failure, over: connection!)
  }

  /// Reads once; waits if there is nothing to read.
  ///
  /// - Throws: Why there is no more to read.
  mutating func readMore() throws(Failure) {
    if number != nil { try connection!.readMore() }
  }

  /// The next line, if it is here already.
  mutating func takeReply() throws(Failure) -> Reply? {
    guard number != nil else { return nil }
    return try connection!.takeReply()
  }

  mutating func close() {
    number = nil
    if let connection = connection.take() { connection.finish() }
  }
}
