internal import AgentSocket
internal import Platform
internal import Vocabulary
internal import Wire

/// The connection that a lease lives by. When it breaks, peers wait until the socket was handed to the next daemon, with
/// what is left of the lease.
struct LeaseKeeper: ~Copyable {
  private let client: DaemonClient
  private var request: LeaseRequest
  private let listener: SharedDescriptor
  private var connection: KeptConnection
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
  }
  /// The account that it is for.
  var account: String { request.account ?? "" }

  /// Opens a lease, and waits until it is there.
  init(
    _ request: LeaseRequest, _ listener: SharedDescriptor, _ client: DaemonClient, asking questions: LeaseQuestions
  ) throws(Failure) {
    var request = request
    end = request.expiresInSeconds.map { Instant.now.advanced(by: .seconds($0)) }
    var connection = try client.connect()
    let opened: Event.Lease
    do throws(Failure) {
      try Self.send(request, listener, client, connection)
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
    self.listener = listener
    self.questions = questions
    self.connection = KeptConnection(client, connection)
  }

  /// The request has no deadline of its own: it ends with the lease.
  private static func send(
    _ request: LeaseRequest, _ listener: SharedDescriptor, _ client: DaemonClient,
    _ connection: borrowing DaemonConnection
  ) throws(Failure) {
    _ = client.logRequest(.lease(request))
    var envelope = client.envelope(.lease(request))
    envelope.timeoutSeconds = nil
    try connection.send(envelope, passing: [listener])
  }

  borrowing func watch(_ poller: borrowing Poller) throws(SystemError) {
    try connection.watch(poller, key: Key.daemon)
  }

  /// Does what is due after a wait.
  mutating func handle(_ poller: borrowing Poller, _ events: [Poller.Event]) throws(SystemError) {
    if events.contains(where: { $0.key == Key.daemon }) { read() }
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

  /// - Throws: A failure of the daemon alone: the lease goes on at the next one.
  private mutating func fail(_ failure: Failure) throws(Failure) {
    if ![.daemonUnavailable, .daemonStopped, .tooBusy].contains(failure.code) { ending = failure }
    throw failure
  }

  /// Hands the socket to the next daemon when it is time.
  private mutating func attempt(_ poller: borrowing Poller, key: UInt64) throws(SystemError) {
    guard connection.isAttemptDue else { return }
    if let end {
      let left = Int(Instant.now.duration(to: end).components.seconds)
      guard left > 0 else { return ending = .leaseTimeOver }
      request.expiresInSeconds = left
    }
    guard request.uses != 0 else { return ending = .leaseUsedUp }
    try connection.attempt(poller, key: key) { [client, request, listener] (next) throws(Failure) in
      try Self.send(request, listener, client, next)
    }
  }

  /// Leaves a lease that is over.
  mutating func leave() { connection.close() }

  consuming func finish() {
    questions.finish()
    connection.finish()
  }
}
