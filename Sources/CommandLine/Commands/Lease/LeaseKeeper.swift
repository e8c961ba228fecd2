internal import AgentSocket
internal import Platform
internal import Vocabulary
internal import Wire

/// A lease: the connection to the daemon that it lives by, and the process that serves its peers. When the connection breaks,
/// the process refuses requests until it gets a way to the next daemon, for what is left of the lease.
struct LeaseKeeper: ~Copyable {
  private let client: DaemonClient
  private var request: LeaseRequest
  private var connection: KeptConnection
  /// The connection to the process that serves the peers.
  private var server: ClosableConnection
  /// The end that the process gets once the daemon has opened the lease; nil when it has it.
  private var wayToDaemon: SharedDescriptor?
  private var questions: LeaseQuestions
  /// The end of the lease, which no restart moves.
  private let end: Instant?
  /// Why it is over; nil while it is not.
  private(set) var ending: Failure?

  var console: Console { client.console }
  /// When ``handle(_:_:)`` is to be called though nothing has come.
  var nextAttempt: Instant? {
    switch (connection.nextAttempt, questions.deadline) {
    case (let moment?, let other?): min(moment, other)
    case (let moment, let other): moment ?? other
    }
  }

  private enum Key {
    static let daemon: UInt64 = 1
    static let question: UInt64 = 2
    static let server: UInt64 = 3
  }
  /// The account that it is for.
  var account: String { request.account ?? "" }

  /// Opens a lease, and waits until it is there.
  ///
  /// - Parameter listener: Where the peers connect. The process that serves them alone has it afterwards.
  init(
    _ request: LeaseRequest, _ listener: consuming FileDescriptor, _ client: DaemonClient,
    hasJail: Bool, asking questions: LeaseQuestions
  ) throws(Failure) {
    var request = request
    end = request.expiresInSeconds.map { Instant.now.advanced(by: .seconds($0)) }
    let server = try Self.startServer(listener, hasJail)
    var connection = try client.connect()
    let (opened, way): (Event.Lease, SharedDescriptor)
    do throws(Failure) {
      way = try Self.send(request, client, connection)
      let asked = Request.lease(request)
      let patience = Patience(asked, client.console)
      opened = try client.event(over: &connection, before: client.deadline(of: asked), waiting: patience.wait) {
        event in
        if case .lease(let lease) = event { lease } else { nil }
      }
    } catch {
      connection.finish()
      throw error
    }
    // The account that is active later is another one.
    request.account = opened.account
    self.client = client
    self.request = request
    self.questions = questions
    self.connection = KeptConnection(client, connection)
    self.server = ClosableConnection(server)
    wayToDaemon = way
    passWay()
  }

  /// Starts the process that serves the peers; it accepts none before it has a way to the daemon.
  private static func startServer(
    _ listener: consuming FileDescriptor, _ hasJail: Bool
  ) throws(Failure) -> DaemonConnection {
    let pair: SocketPair
    do { pair = try SocketPair() } catch { throw Failure(error, doing: "the lease could not be served") }
    let process = try DaemonProgram.lease.start(
      arguments: hasJail ? [] : [LeaseProgram.withoutJail], inheriting: [pair.second.raw, listener.raw])
    return try DaemonConnection(over: pair.first, privateDaemon: process)
  }

  /// The request has no deadline of its own: it ends with the lease.
  ///
  /// - Returns: The end for the process that serves the peers.
  private static func send(
    _ request: LeaseRequest, _ client: DaemonClient, _ connection: borrowing DaemonConnection
  ) throws(Failure) -> SharedDescriptor {
    _ = client.logRequest(.lease(request))
    var envelope = client.envelope(.lease(request))
    envelope.timeoutSeconds = nil
    let pair: SocketPair
    do { pair = try SocketPair() } catch { throw Failure(error, doing: "the lease could not be opened") }
    try connection.send(envelope, passing: [SharedDescriptor(pair.first)])
    return SharedDescriptor(pair.second)
  }

  /// Lets the process that serves the peers make their requests.
  private mutating func passWay() {
    guard let end = wayToDaemon.take() else { return }
    do throws(Failure) { try server.send(RequestEnvelope(.lease(request)), passing: [end]) } catch { ending = error }
  }

  /// Has the process that serves the peers serve a place by HTTP, too.
  mutating func serve(_ request: LeaseHTTPRequest, at listener: SharedDescriptor) throws(Failure) {
    try server.send(RequestEnvelope(.leaseHTTP(request)), passing: [listener])
  }

  borrowing func watch(_ poller: borrowing Poller) throws(SystemError) {
    try connection.watch(poller, key: Key.daemon)
    if let number = server.number { try poller.add(number, interest: .read, key: Key.server) }
  }

  /// Does what is due after a wait.
  mutating func handle(_ poller: borrowing Poller, _ events: [Poller.Event]) throws(SystemError) {
    if events.contains(where: { $0.key == Key.daemon }) { read() }
    if events.contains(where: { $0.key == Key.server }) { readServer() }
    for answer in try questions.go(on: account, poller, key: Key.question) {
      let request = LeaseAnswerRequest(question: answer.question, isAllowed: answer.isAllowed)
      // Without a connection the next daemon asks again.
      try? connection.send(RequestEnvelope(.leaseAnswer(request)))
    }
    try attempt(poller, key: Key.daemon)
  }

  /// Takes in what the daemon says.
  private mutating func read() {
    do throws(Failure) {
      try connection.readMore()
      while let reply = try connection.takeReply() {
        switch reply {
        case .event(.lease(let lease)):
          connection.succeeded()
          request.account = lease.account
          request.uses = lease.usesLeft
          passWay()
        case .event(.leaseQuestion(let question)): questions.take(question)
        case .event(let event): console.tell(event)
        case .failure(let failure): try fail(failure)
        case .result: throw Reply.unreadable
        }
      }
    } catch {
      if ending == nil { connection.disconnect() }
    }
  }

  /// The process that serves the peers says nothing but that it has its terms, or why it ends.
  private mutating func readServer() {
    do throws(Failure) {
      try server.readMore()
      while let reply = try server.takeReply() { if case .failure(let failure) = reply { throw failure } }
    } catch {
      ending = ending ?? error
    }
  }

  /// - Throws: A failure of the daemon alone: the lease goes on at the next one.
  private mutating func fail(_ failure: Failure) throws(Failure) {
    if ![.daemonUnavailable, .daemonStopped, .tooBusy].contains(failure.code) { ending = failure }
    throw failure
  }

  /// Opens the lease at the next daemon when it is time.
  private mutating func attempt(_ poller: borrowing Poller, key: UInt64) throws(SystemError) {
    guard connection.isAttemptDue else { return }
    if let end {
      let left = Int(Instant.now.duration(to: end).components.seconds)
      guard left > 0 else { return ending = .leaseTimeOver }
      request.expiresInSeconds = left
    }
    guard request.uses != 0 else { return ending = .leaseUsedUp }
    var way: SharedDescriptor?
    try connection.attempt(poller, key: key) { [client, request] (next) throws(Failure) in
      way = try Self.send(request, client, next)
    }
    if let way { wayToDaemon = way }
  }

  /// Leaves a lease that is over. Its peers are told so until the command ends.
  mutating func leave() { connection.close() }

  consuming func finish() {
    questions.finish()
    connection.finish()
    server.close()
  }
}
