internal import Platform
internal import Wire

/// A lease: its daemon connection, and the process `agent-lease`, which serves its peers (programs that use it).
struct LeaseKeeper: ~Copyable {
  private let client: DaemonClient
  private var request: LeaseRequest
  private var connection: PersistentConnection
  /// The connection to `agent-lease`.
  private var server: DaemonConnection
  /// The daemon connection for `agent-lease`; nil once passed.
  private var unsentConnection: SharedDescriptor?
  private var questions: LeaseQuestions
  /// When the lease expires, even if the daemon restarts; nil for never.
  private let end: Instant?
  /// Nil while the lease is open.
  private(set) var endReason: Failure?

  var console: Console { client.console }
  /// When to call ``handle(_:_:)`` at the latest; nil if only for poller events.
  var nextAttempt: Instant? { [connection.nextAttempt, questions.deadline].compactMap { $0 }.min() }

  private enum PollerKey {
    static let daemon: UInt64 = 1
    static let question: UInt64 = 2
    static let server: UInt64 = 3
  }
  var account: String { request.account ?? "" }

  /// Opens a lease and waits for the daemon's reply. Only `agent-lease` keeps `listener`, the peers' socket.
  init(_ configuration: LeaseConfiguration, _ listener: consuming FileDescriptor) throws(Failure) {
    var request = configuration.request
    client = configuration.client
    questions = configuration.questions
    end = request.expiresInSeconds.map { Instant.now.advanced(by: .seconds($0)) }
    let server = try Self.startServer(listener, configuration.filtersSystemCalls)
    var connection = try client.connect()
    unsentConnection = try Self.send(request, client, connection)
    let asked = Request.lease(request)
    let daemonWait = DaemonWait(asked, client.console)
    let opened = try client.waitForEvent(
      over: &connection, before: client.deadline(of: asked), waiting: daemonWait.wait
    ) {
      event in
      if case .lease(let lease) = event { lease } else { nil }
    }
    // The user may activate another account later.
    request.account = opened.account
    self.request = request
    self.connection = PersistentConnection(client, connection)
    self.server = server
    passConnection()
  }

  deinit { questions.finish() }

  /// Starts `agent-lease`, which accepts no peers without a daemon connection.
  private static func startServer(
    _ listener: consuming FileDescriptor, _ filtersSystemCalls: Bool
  ) throws(Failure) -> DaemonConnection {
    let pair: SocketPair
    do { pair = try SocketPair() } catch { throw Failure(error, doing: "cannot serve the lease") }
    let process = try DaemonProgram.lease.start(
      arguments: filtersSystemCalls ? [] : [LeaseProgram.noJailOption], inheriting: [pair.second.raw, listener.raw])
    return try DaemonConnection(over: pair.first, privateDaemon: process)
  }

  /// Sends the request without a deadline, and returns the daemon connection for `agent-lease`.
  private static func send(
    _ request: LeaseRequest, _ client: DaemonClient, _ connection: borrowing DaemonConnection
  ) throws(Failure) -> SharedDescriptor {
    _ = client.logRequest(.lease(request))
    var envelope = client.envelope(.lease(request))
    envelope.timeoutSeconds = nil
    let pair: SocketPair
    do { pair = try SocketPair() } catch { throw Failure(error, doing: "cannot open the lease") }
    try connection.send(envelope, passing: [SharedDescriptor(pair.first)])
    return SharedDescriptor(pair.second)
  }

  private mutating func passConnection() {
    guard let end = unsentConnection.take() else { return }
    do throws(Failure) { try server.send(RequestEnvelope(.lease(request)), passing: [end]) } catch { endReason = error }
  }

  mutating func serve(_ request: LeaseHTTPRequest, at listener: SharedDescriptor) throws(Failure) {
    try server.send(RequestEnvelope(.leaseHTTP(request)), passing: [listener])
  }

  borrowing func watch(_ poller: borrowing Poller) throws(SystemError) {
    try connection.watch(poller, key: PollerKey.daemon)
    try poller.add(server.descriptor, interest: .read, key: PollerKey.server)
  }

  mutating func handle(_ poller: borrowing Poller, _ events: [Poller.Event]) throws(SystemError) {
    if events.contains(where: { $0.key == PollerKey.daemon }) { readDaemon() }
    if events.contains(where: { $0.key == PollerKey.server }) { readServer() }
    for answer in try questions.askNext(on: account, poller, key: PollerKey.question) {
      let request = LeaseAnswerRequest(questionNumber: answer.question, isAllowed: answer.isAllowed)
      // If disconnected, the next daemon asks again.
      try? connection.send(RequestEnvelope(.leaseAnswer(request)))
    }
    try reconnectIfDue(poller, key: PollerKey.daemon)
  }

  private mutating func readDaemon() {
    do throws(Failure) {
      try connection.readMore()
      while let reply = try connection.takeReply() {
        switch reply {
        case .event(.lease(let lease)):
          connection.recordSuccess()
          request.account = lease.account
          request.uses = lease.usesLeft
          passConnection()
        case .event(.leaseQuestion(let question)): questions.enqueue(question)
        case .event(let event): console.report(event)
        case .failure(let failure): try fail(failure)
        case .result: throw Reply.unreadable
        }
      }
    } catch {
      if endReason == nil { connection.disconnect() }
    }
  }

  private mutating func readServer() {
    do throws(Failure) {
      try server.readMore()
      while let reply = try server.takeReply() { if case .failure(let failure) = reply { throw failure } }
    } catch {
      endReason = endReason ?? error
    }
  }

  /// Throws `failure`, and ends the lease unless the next daemon can continue it.
  private mutating func fail(_ failure: Failure) throws(Failure) {
    if ![.daemonUnavailable, .daemonStopped, .tooBusy].contains(failure.code) { endReason = failure }
    throw failure
  }

  private mutating func reconnectIfDue(_ poller: borrowing Poller, key: UInt64) throws(SystemError) {
    guard connection.isAttemptDue else { return }
    if let end {
      let left = Int(Instant.now.duration(to: end).components.seconds)
      guard left > 0 else { return endReason = .leaseExpired }
      request.expiresInSeconds = left
    }
    guard request.uses != 0 else { return endReason = .leaseUsedUp }
    var way: SharedDescriptor?
    try connection.reconnect(poller, key: key) { [client, request] (next) throws(Failure) in
      way = try Self.send(request, client, next)
    }
    if let way { unsentConnection = way }
  }

  /// Like ``handle(_:_:)``, but prints why the lease ends. Peers get the reason until this value is destroyed.
  mutating func keepOpen(_ poller: borrowing Poller, _ events: [Poller.Event]) throws(SystemError) {
    guard endReason == nil else { return }
    try handle(poller, events)
    guard let endReason else { return }
    console.note(endReason.text)
    connection.close()
  }
}
