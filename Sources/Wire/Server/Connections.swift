package import Platform

/// The connections and their requests. Used on the loop only.
package final class Connections: RequestLoop {
  /// These limits are lower if the process may open few descriptors.
  private static let maximumRequests = 256
  private static let maximumPassedDescriptors = 512
  /// Of one connection, before others are served.
  private static let maximumLinesPerTurn = 32

  private let loop: EventLoop
  /// Whether connections may idle without limit, by default.
  private let mayIdle: Bool
  private var requests = RecentRequests()
  private var connections: [UInt64: Connection] = [:]
  /// The connection being served.
  private var serving: Connection?
  /// Closes peers past their deadline. Fires at or before the earliest.
  private lazy var alarm = Alarm(self) { [unowned self] in expirePeers() }
  package weak var handler: (any RequestHandler)?
  /// Sign-outs may exceed it by an eighth, local requests by a quarter.
  private let maximumRequests: Int
  /// Of descriptors that no request has used yet, on all connections together.
  private let maximumPassedDescriptors: Int
  /// Beyond this, the longest idle connection is closed.
  private var maximumConnections: Int { maximumRequests + maximumRequests / 4 }

  /// `mayIdle` permits unlimited idling.
  package init(_ loop: EventLoop, mayIdle: Bool) {
    let descriptors = ResourceLimit.descriptors.soft ?? .max
    maximumRequests = min(Self.maximumRequests, max(4, descriptors / 5))
    maximumPassedDescriptors = min(
      Self.maximumPassedDescriptors, max(Connection.maximumPassedDescriptors, descriptors / 5))
    self.loop = loop
    self.mayIdle = mayIdle
  }

  package var isEmpty: Bool { connections.isEmpty }
  package var count: Int { connections.count }

  /// Adds a peer's connection, or refuses it.
  package func accept(_ descriptor: consuming FileDescriptor) {
    guard (try? UnixSocket.peerUserID(descriptor)) == Machine.userID else { return note(.peerDropped(.otherUser)) }
    if isCrowded { dropLongestIdle() }
    guard connections.count < maximumConnections else {
      writeFailure(tooManyRequests, descriptor)
      return note(.peerDropped(.crowded))
    }
    _ = try? add(descriptor, under: nil, mayIdle: mayIdle, isKept: false, readsFirst: true)
  }

  private func note(_ event: LogEvent) { handler?.note(event) }

  /// Refuses a connection because no descriptor is free.
  package func refuse(_ descriptor: consuming FileDescriptor) {
    writeFailure(outOfDescriptors, descriptor)
    note(.peerDropped(.crowded))
  }

  /// Adds a connection with a non-blocking descriptor, without checking its peer.
  ///
  /// - Parameter mayIdle: Nil for the value in ``init(_:mayIdle:)``.
  /// - Returns: The connection's number.
  @discardableResult
  package func admit(_ descriptor: consuming FileDescriptor, mayIdle: Bool? = nil) throws(SystemError) -> UInt64 {
    try add(descriptor, under: nil, mayIdle: mayIdle ?? self.mayIdle, isKept: mayIdle == true)
  }

  /// Adds a connection, or refuses it if its descriptor cannot be watched. `readsFirst` reads before waiting.
  private func add(
    _ descriptor: consuming FileDescriptor, under rules: (any ConnectionRules)?, mayIdle: Bool, isKept: Bool,
    readsFirst: Bool = false
  ) throws(SystemError) -> UInt64 {
    let id = loop.makeKey()
    let connection = Connection(id: id, descriptor: descriptor, mayIdle: mayIdle, under: rules, now: now)
    connection.isKept = isKept
    connections[id] = connection
    if readsFirst { read(connection) }
    guard !connection.isDropped else { return id }
    do {
      let interest: Poller.Interest = connection.wantsWriting ? .both : .read
      try loop.watch(connection.descriptor.raw, as: id, for: interest) { [unowned self] event in handle(event) }
    } catch {
      // Neither during nor after an answer.
      let isUnanswered = connection.current != nil || !connection.hasReceivedRequest
      if isUnanswered, !connection.hasOutput { writeFailure(outOfDescriptors, connection.descriptor) }
      drop(connection)
      throw error
    }
    scheduleDeadline(of: connection)
    return id
  }

  private func scheduleDeadline(of connection: Connection) { alarm.set(at: connection.deadline) }

  private func expirePeers() {
    for connection in connections.values where connection.deadline.map({ $0 <= now }) ?? false { expire(connection) }
    for connection in connections.values { scheduleDeadline(of: connection) }
  }

  /// Whether to close the longest idle connection for a new one.
  private var isCrowded: Bool {
    guard connections.count >= maximumRequests else { return false }
    let idle = connections.values.reduce(0) { $0 + ($1.current == nil ? 1 : 0) }
    return connections.count >= maximumConnections || idle > maximumRequests / 8
  }

  private var tooManyRequests: Failure {
    Failure(
      .tooBusy, "\(maximumRequests) requests are already waiting for an answer", hint: "try again when some have ended")
  }

  private var outOfDescriptors: Failure {
    Failure(.tooBusy, "the daemon cannot open more connections", hint: "try again when some requests have ended")
  }

  private var crowdedFailure: Failure {
    Failure(.tooBusy, "closed this connection to make room for others: it was idle the longest", hint: "try again")
  }

  private func writeFailure(_ failure: Failure, _ descriptor: borrowing FileDescriptor) {
    _ = try? descriptor.write(Reply.failure(failure).serialized().span)
  }

  /// Closes the longest idle connection, preferably of a lease. Returns false if none.
  @discardableResult
  package func dropLongestIdle() -> Bool {
    let idle = connections.values.filter { $0.current == nil && !$0.isKept }
    let lent = idle.filter { $0.rules != nil }
    guard let idlest = (lent.isEmpty ? idle : lent).min(by: { $0.lastProgress < $1.lastProgress }) else { return false }
    // Peers without a request get this response, others reconnect (invariant: every refusal is told).
    if !idlest.hasReceivedRequest, !idlest.hasOutput { writeFailure(crowdedFailure, idlest.descriptor) }
    drop(idlest, .crowded)
    return true
  }

  private func isWithinLimit(_ request: Request) -> Bool {
    guard connections.count > maximumRequests else { return true }
    // Excludes this connection.
    let others = connections.values.reduce(-1) { $0 + ($1.current == nil ? 0 : 1) }
    switch request {
    case .logout: return others < maximumRequests + maximumRequests / 8
    default: return others < maximumRequests || request.has(.local)
    }
  }

  private func handle(_ event: Poller.Event) {
    guard let connection = connections[event.key] else { return }
    if event.writable { flush(connection) }
    if !connection.isDropped, event.readable || event.hungUp { read(connection, hasHungUp: event.hungUp) }
  }

  private func read(_ connection: Connection, hasHungUp: Bool = false) {
    switch connection.read() {
    case .nothing: if hasHungUp { drop(connection) }
    case .end: drop(connection)
    case .tooLong: refuse(connection, Failure(.invalidRequest, "the request is longer than 1 MiB"))
    case .bytes:
      connection.lastProgress = now
      serveLines(connection)
      // No request will use the descriptors.
      if !connection.hasUnconsumedInput { connection.passed = [] }
      if !connection.passed.isEmpty, connections.values.reduce(0, { $0 + $1.passed.count }) > maximumPassedDescriptors {
        connection.passed = []
        refuse(connection, Failure(.tooBusy, "too many descriptors are waiting for their requests", hint: "try again"))
      }
      scheduleDeadline(of: connection)
    }
  }

  private func serveLines(_ connection: Connection) {
    guard !connection.isServing else { return }
    connection.isServing = true
    let outer = serving
    serving = connection
    defer {
      serving = outer
      connection.isServing = false
    }
    serveFollowUps(connection)
    var served = 0
    while !connection.isDropped, connection.current == nil, let request = takeRequest(connection) {
      served += 1
      let ticket = connection.nextTicket()
      let passed = connection.passed
      connection.passed = []
      do throws(Failure) {
        var envelope = try request.get()
        guard isWithinLimit(envelope.request) else { throw tooManyRequests }
        if let rules = connection.rules {
          guard let admitted = try rules.admit(envelope, ticket, passed: passed) else {
            // The user's answer counts towards the deadline.
            if let seconds = envelope.deadlineSeconds { setDeadline(now.advanced(by: .seconds(seconds)), of: ticket) }
            continue
          }
          envelope = admitted
        }
        handler?.handle(envelope, ticket, passed: passed)
      } catch {
        send(.failure(error), to: ticket)
      }
      if served == Self.maximumLinesPerTurn, connection.current == nil, !connection.isDropped {
        return loop.schedule(at: loop.now) { [self] in if !connection.isDropped { serveLines(connection) } }
      }
    }
  }

  private func takeRequest(_ connection: Connection) -> Result<RequestEnvelope, Failure>? {
    connection.takeLine { line in
      do throws(Failure) {
        if let rules = connection.rules { return .success(try rules.read(line)) }
        return .success(try requests.envelope(parsing: line))
      } catch {
        return .failure(error)
      }
    }
  }

  private func serveFollowUps(_ connection: Connection) {
    var goesOn = true
    while goesOn, let ticket = connection.current, let handler, handler.awaitsMore(ticket) {
      goesOn = connection.takeLine(if: { line in
        guard let envelope = try? RequestEnvelope(parsing: line) else { return false }
        return handler.handleFollowUp(envelope.request, ticket)
      })
    }
  }

  private func refuse(_ connection: Connection, _ failure: Failure) {
    note(.peerDropped(failure.code == .tooBusy ? .crowded : .lineTooLong))
    connection.closesWhenSent = true
    enqueue(.plain(Reply.failure(failure).serialized()), connection)
  }

  /// Closes a connection and cancels its request. Logs `problem`; nil after disconnection.
  private func drop(_ connection: Connection, _ problem: LogEvent.PeerProblem? = nil) {
    if let problem { note(.peerDropped(problem)) }
    connections[connection.id] = nil
    connection.isDropped = true
    loop.unwatchClosing(connection.id)
    if let ticket = connection.current { handler?.abandon(ticket) }
    connection.rules?.didDisconnect(connection.id)
    handler?.didClose(connection.id)
  }

  private func expire(_ connection: Connection) {
    if connection.hasOutput { return drop(connection, .notReading) }
    guard let ticket = connection.current else { return drop(connection, .silent) }
    note(.requestTimedOut)
    handler?.abandon(ticket)
    send(
      .failure(Failure(.timeout, "timed out after \(connection.secondsWaited(until: loop.now)) s", hint: "try again")),
      to: ticket)
  }

  // MARK: - Answers

  package var now: Instant { loop.now }

  package var maximumPerServer: Int? {
    let most = maximumRequests - maximumRequests / 4
    return connections.count > most ? most : nil
  }

  package func schedule(at due: Instant, _ action: @escaping () -> Void) { loop.schedule(at: due, action) }

  package func watch(
    _ descriptor: Int32, for interest: Poller.Interest, _ serve: @escaping () -> Void
  ) throws(SystemError) -> UInt64 {
    try loop.watch(descriptor, for: interest) { _ in serve() }
  }

  package func unwatch(_ key: UInt64) { loop.unwatch(key) }

  package func admit(
    _ descriptor: consuming FileDescriptor, under rules: any ConnectionRules, mayIdle: Bool
  ) throws(SystemError) -> UInt64 {
    try add(descriptor, under: rules, mayIdle: mayIdle, isKept: mayIdle)
  }

  package func whenRead(by ticket: Ticket, _ action: @escaping () -> Void) {
    guard let connection = connection(of: ticket), connection.current == ticket else { return }
    connection.whenRead = action
  }

  package func unreadBytes(by ticket: Ticket) -> Int { connection(of: ticket)?.unreadBytes ?? 0 }

  package func resume(with envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor]) {
    guard let connection = connection(of: ticket), connection.current == ticket else { return }
    var envelope = envelope
    let waited = connection.secondsWaited(until: now)
    envelope.timeoutSeconds = max(1, (envelope.timeoutSeconds ?? WireProtocol.defaultTimeoutSeconds) - waited)
    handler?.handle(envelope, ticket, passed: passed)
  }

  package func dropPeers(of rules: any ConnectionRules, with failure: Failure) {
    for connection in connections.values where connection.rules === rules {
      if let ticket = connection.current {
        handler?.abandon(ticket)
        send(.failure(failure), to: ticket)
      } else {
        enqueue(.plain(Reply.failure(failure).serialized()), connection)
      }
      if connection.isDropped { continue }
      if connection.hasOutput { connection.closesWhenSent = true } else { drop(connection) }
    }
  }

  /// Fails waiting requests, sends without blocking, and closes.
  package func closeAll(with failure: Failure) {
    for connection in connections.values {
      if let ticket = connection.current {
        handler?.abandon(ticket)
        send(.failure(failure), to: ticket)
      }
      _ = connection.flush()
      if !connection.isDropped { drop(connection) }
    }
  }

  package func setDeadline(_ deadline: Instant, of ticket: Ticket) {
    guard let connection = connection(of: ticket) else { return }
    connection.setDeadline(deadline, of: ticket, now: loop.now)
    scheduleDeadline(of: connection)
  }

  private func connection(of ticket: Ticket) -> Connection? {
    if let serving, serving.id == ticket.connection { return serving.isDropped ? nil : serving }
    return connections[ticket.connection]
  }

  package func send(_ reply: Reply, to ticket: Ticket) {
    guard let connection = connection(of: ticket), connection.current == ticket else { return }
    if case .result = reply, handler?.postpone(reply, of: ticket) ?? false { return }
    let reply = connection.rules?.filtering(reply, of: ticket) ?? reply
    if case .event = reply {
      enqueue(.plain(reply.serialized()), connection)
    } else {
      finish(ticket, .plain(reply.serialized()), connection)
    }
  }

  package func send(_ line: any SecretLine, to ticket: Ticket) {
    guard let connection = connection(of: ticket), connection.current == ticket else { return }
    precondition(
      connection.rules?.lendsToken(to: ticket) ?? true, "no other secret is sent to the peer of a lent socket")
    finish(ticket, .secret(line), connection)
  }

  /// Sends a response's final line. The loop's next round serves the next request.
  private func finish(_ ticket: Ticket, _ outgoing: Connection.Outgoing, _ connection: Connection) {
    handler?.didAnswer(ticket)
    connection.finishRequest()
    enqueue(outgoing, connection)
    guard !connection.isServing, connection.hasUnconsumedInput else { return }
    loop.schedule(at: loop.now) { [self] in if !connection.isDropped { serveLines(connection) } }
  }

  private func enqueue(_ outgoing: Connection.Outgoing, _ connection: Connection) {
    // More output does not extend the deadline for reading earlier output.
    if !connection.hasOutput { connection.lastProgress = now }
    guard connection.enqueue(outgoing) else { return drop(connection, .notReading) }
    flush(connection)
    scheduleDeadline(of: connection)
  }

  private func flush(_ connection: Connection) {
    let unread = connection.unreadBytes
    guard connection.flush() else { return drop(connection) }
    if connection.whenRead != nil, connection.unreadBytes < unread { connection.lastProgress = now }
    if !connection.hasOutput, connection.closesWhenSent { return drop(connection) }
    guard connection.hasOutput != connection.wantsWriting else { return }
    connection.wantsWriting = connection.hasOutput
    loop.setInterest(connection.wantsWriting ? .both : .read, of: connection.id)
    if !connection.hasOutput { connection.whenRead?() }
  }
}
