internal import Encoding
internal import Platform
internal import Wire

/// Accepts a lease's peers. Forwards each request over its own connection to the daemon, which checks it.
final class LeaseServer: RequestHandler, ConnectionRules, LentCall.Owner {
  private let loop: EventLoop
  private let connections: Connections
  private let listener: SharedDescriptor
  /// The number of the owner's connection.
  private var ownerConnection: UInt64 = 0
  private var isOwnerGone = false
  /// The owner's access rules. While nil, no peer is accepted.
  private var accessRules: LeaseRequest?
  /// Nil before the owner passes the channel, and after its end.
  private var daemon: DaemonChannel?
  /// The failure for peers' requests while ``daemon`` is nil.
  private var channelFailure = Failure.noDaemon
  private var calls: [Ticket: LentCall] = [:]
  /// By connection number, except those over HTTP.
  private var peers: [UInt64: LeaseEntry.Peer] = [:]
  /// The loop's key for ``listener``.
  private var acceptKey: UInt64?
  /// The loop's keys for listening HTTP sockets.
  private var httpListeners: [UInt64] = []
  private var httpConnections: [UInt64: HTTPConnection] = [:]
  /// The latest HTTP connection's number. Other connections have smaller ones.
  private var lastHTTPConnection: UInt64 = 1 << 48
  /// For refusals reported to the daemon.
  private var reportLimit: RateLimit
  /// For requests that reach no server.
  private var localRequestLimit: RateLimit

  private static let maximumPeers = 32
  private static let maximumConcurrentCalls = 16
  /// The pause while no descriptor is free.
  private static let acceptPause = Duration.milliseconds(500)

  /// `control` connects to the lease's owner; `listener` accepts peers.
  init(_ control: consuming FileDescriptor, _ listener: consuming FileDescriptor) throws(SystemError) {
    loop = try EventLoop(SystemTime())
    connections = Connections(loop, mayIdle: false)
    self.listener = SharedDescriptor(listener)
    reportLimit = RateLimit(burst: 64, perSecond: 1, now: loop.now)
    localRequestLimit = RateLimit(burst: 200, perSecond: 50, now: loop.now)
    connections.handler = self
    try control.setNonBlocking(true)
    ownerConnection = try connections.admit(control, mayIdle: true)
  }

  /// Serves until the owner disconnects.
  func run() throws(SystemError) { try loop.run { isOwnerGone } }

  // MARK: Peers

  private func startAccepting() throws(SystemError) {
    acceptKey = try loop.watch(listener.descriptor.raw) { [unowned self] _ in accept() }
  }

  private func accept() {
    let socket: FileDescriptor
    do { socket = try UnixSocket.accept(listener.descriptor) } catch {
      if error.isOutOfDescriptors { pauseAccepting() }
      return
    }
    guard let accessRules, let (user, process) = try? UnixSocket.peer(socket) else { return }
    let peer = LeaseEntry.Peer(userID: Int(user), processID: Int(process))
    guard user == Machine.userID || accessRules.userIDs.contains(Int(user)) else {
      return reportRefusal(of: peer, .notPermitted)
    }
    guard peers.count + httpConnections.count < Self.maximumPeers else {
      // The line fits the empty socket buffer.
      _ = try? socket.writeNow(Reply.failure(.tooManyConnections).serialized().span)
      return reportRefusal(of: peer, .tooBusy)
    }
    guard let connection = try? connections.admit(socket, under: self, mayIdle: false) else {
      return reportRefusal(of: peer, .tooBusy)
    }
    peers[connection] = peer
  }

  private func pauseAccepting() {
    if let acceptKey { loop.setInterest(.none, of: acceptKey) }
    loop.schedule(at: loop.now.advanced(by: Self.acceptPause)) { [self] in
      if let acceptKey { loop.setInterest(.read, of: acceptKey) }
    }
  }

  /// Reports a refused peer to the daemon, within the rate limit.
  private func reportRefusal(of peer: LeaseEntry.Peer, _ code: FailureCode) {
    guard reportLimit.consume(now: loop.now) else { return }
    daemon?.report(LeasePeerRequest(userID: peer.userID, processID: peer.processID, refused: code))
  }

  // MARK: Peers that know HTTP alone

  private func serve(_ request: LeaseHTTPRequest, _ listener: SharedDescriptor) throws(SystemError) {
    try listener.descriptor.setNonBlocking(true)
    let lent = LentOrigin(origin: request.origin, localOrigin: request.localOrigin, token: Array(request.token.utf8))
    let key = try loop.watch(listener.descriptor.raw) { [unowned self] _ in accept(listener, lent) }
    httpListeners.append(key)
  }

  private func accept(_ listener: SharedDescriptor, _ lent: LentOrigin) {
    guard let socket = try? UnixSocket.accept(listener.descriptor) else { return }
    // A TCP peer's user is unknown; the token authorizes its requests.
    let local = UnixSocket.isConnection(socket) ? try? UnixSocket.peer(socket) : nil
    let peer = LeaseEntry.Peer(userID: Int(local?.user ?? Machine.userID), processID: Int(local?.process ?? 0))
    guard let accessRules, peer.userID == Int(Machine.userID) || accessRules.userIDs.contains(peer.userID) else {
      return reportRefusal(of: peer, .notPermitted)
    }
    guard peers.count + httpConnections.count < Self.maximumPeers else {
      // Unread bytes would make the system drop the answer.
      var unread: [UInt8] = []
      _ = try? socket.readNow(into: &unread, upTo: HTTPRequestHead.maximumBytes)
      _ = try? socket.writeNow(HTTPConnection.tooManyConnectionsResponse.span)
      return reportRefusal(of: peer, .tooBusy)
    }
    lastHTTPConnection += 1
    do throws(SystemError) {
      httpConnections[lastHTTPConnection] = try HTTPConnection(
        socket, lastHTTPConnection, peer, lent, connections, self)
    } catch {
      reportRefusal(of: peer, .tooBusy)
    }
  }

  func didDisconnect(_ connection: HTTPConnection) { httpConnections[connection.number] = nil }

  // MARK: Admission

  /// Parses a peer's request, if the lease permits it.
  func read(_ line: Span<UInt8>) throws(Failure) -> RequestEnvelope {
    try envelope(parsing: line) { row in
      row.has(.allowedForPeers) || accessRules?.lendsToken == true && row.has(.allowedForTokenPeers)
    }
  }

  /// Admits all requests: the daemon checks them.
  func admit(
    _ envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor]
  ) throws(Failure) -> RequestEnvelope? {
    envelope
  }

  /// Returns the reply unchanged. Reports this process's refusals to the daemon.
  func filtering(_ reply: Reply, of ticket: Ticket) -> Reply {
    // The daemon logs its own refusals.
    if case .failure(let failure) = reply, calls[ticket] == nil, let peer = peers[ticket.connection] {
      reportRefusal(of: peer, failure.code)
    }
    return reply
  }

  func lendsToken(to ticket: Ticket) -> Bool { accessRules?.lendsToken == true }

  func didDisconnect(_ connection: UInt64) { peers[connection] = nil }

  // MARK: Requests

  func handle(_ envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor]) {
    do throws(Failure) {
      if ticket.connection == ownerConnection { return try handleOwnerRequest(envelope.request, ticket, passed) }
      try begin(envelope, ticket, passed)
    } catch {
      connections.send(.failure(error), to: ticket)
    }
  }

  /// Handles an owner's request: access rules with a connection to the daemon, or a listening HTTP socket.
  private func handleOwnerRequest(_ request: Request, _ ticket: Ticket, _ passed: [SharedDescriptor]) throws(Failure) {
    if case .leaseHTTP(let request) = request, passed.count == 1 {
      do throws(SystemError) { try serve(request, passed[0]) } catch {
        throw Failure(.tooBusy, "the request has no descriptor for the lease", hint: "agent doctor")
      }
      return connections.send(.result(JSONObject()), to: ticket)
    }
    guard case .lease(let request) = request, passed.count == 1, UnixSocket.isConnection(passed[0].descriptor) else {
      throw Failure(.invalidRequest, "the owner of a lease must send its access rules and a connection to the daemon")
    }
    do throws(SystemError) {
      daemon = try DaemonChannel(passed[0], loop) { [unowned self] failure in handleChannelEnd(failure) }
      accessRules = request
      if acceptKey == nil { try startAccepting() }
    } catch {
      throw Failure(.tooBusy, "the request has no descriptor for the lease", hint: "agent doctor")
    }
    connections.send(.result(JSONObject()), to: ticket)
  }

  /// Requests fail until the owner sends another channel.
  private func handleChannelEnd(_ failure: Failure?) {
    daemon = nil
    channelFailure = failure ?? .noDaemon
  }

  /// Starts a peer's request, with bodies in descriptors or lines.
  private func begin(_ envelope: RequestEnvelope, _ ticket: Ticket, _ passed: [SharedDescriptor]) throws(Failure) {
    if case .resourceBody = envelope.request {
      throw Failure(.invalidRequest, "no request on this connection expects part of a body now")
    }
    if let peer = peers[ticket.connection] { _ = try begin(envelope, ticket, .peer(passed), for: peer, self) }
  }

  /// Sends a peer's request to the daemon. The `owner` gets the response.
  func begin(
    _ envelope: RequestEnvelope, _ ticket: Ticket, _ bodies: LentCall.Bodies, for peer: LeaseEntry.Peer,
    _ owner: any LentCall.Owner
  ) throws(Failure) -> LentCall {
    guard let daemon else { throw channelFailure }
    guard calls.count < Self.maximumConcurrentCalls else {
      throw Failure(.tooBusy, "too many requests of the lease are in progress", hint: "try again when some have ended")
    }
    let isForResource = if case .call = envelope.request { true } else { false }
    guard isForResource ? localRequestLimit.allowsEvent(now: loop.now) : localRequestLimit.consume(now: loop.now)
    else {
      throw Failure(.tooBusy, "too many requests of the lease were refused", hint: "try again in a few seconds")
    }
    let call = try LentCall(envelope, ticket, bodies, connections, owner)
    calls[ticket] = call
    do throws(SystemError) { try call.begin(over: daemon, for: peer) } catch {
      calls[ticket] = nil
      throw Failure(.tooBusy, "the daemon does not accept requests of the lease at the moment", hint: "try again")
    }
    return call
  }

  func send(_ event: Event, _ ticket: Ticket) { connections.send(.event(event), to: ticket) }

  /// Counts a failed request against ``localRequestLimit``, since it costs the daemon more than the peer.
  func countFailure(_ reply: Reply) { if case .failure = reply { _ = localRequestLimit.consume(now: loop.now) } }

  func answer(_ last: LentCall.ResponseLine, _ ticket: Ticket) {
    switch last {
    case .reply(let reply):
      countFailure(reply)
      connections.send(reply, to: ticket)
    case .token(let line): connections.send(line, to: ticket)
    }
  }

  func callEnded(_ ticket: Ticket) { calls[ticket] = nil }

  /// Whether a request expects its body in further lines.
  func awaitsMore(_ ticket: Ticket) -> Bool { calls[ticket]?.expectsBody ?? false }

  /// Forwards a part of a request's body. Returns false for other requests.
  func handleFollowUp(_ request: Request, _ ticket: Ticket) -> Bool {
    guard case .resourceBody(let part) = request, let call = calls[ticket] else { return false }
    do throws(Failure) { try call.append(part) } catch {
      call.peerDidDisconnect()
      connections.send(.failure(error), to: ticket)
    }
    return true
  }

  /// Every result is sent at once.
  func postpone(_ result: Reply, of ticket: Ticket) -> Bool { false }
  func didAnswer(_ ticket: Ticket) {}
  func note(_ event: LogEvent) {}

  func didClose(_ connection: UInt64) { if connection == ownerConnection { isOwnerGone = true } }

  func abandon(_ ticket: Ticket) { calls[ticket]?.peerDidDisconnect() }
}

extension Failure {
  static let tooManyConnections = Failure(
    .tooBusy, "the lease has too many connections", hint: "try again when some have ended")
  static let noDaemon = Failure(
    .daemonUnavailable, "the daemon of the lease is not available at the moment", hint: "try again in a moment")

  static let noDescriptor = Failure(
    .tooBusy, "the request has no descriptor", hint: "try again when some have ended")
}
