internal import Crypto
internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// Opens and ends leases, and accepts their peers' connections.
final class Leases: AccountPart, Lessor {
  /// Open leases, by opening request.
  private var leases: [Ticket: Lease] = [:]
  /// Recent events by lease, in order of opening.
  private var recentEntries: [(name: String, ring: Ring<LeaseEntry>)] = []

  /// Unanswered questions, by number.
  private var questions: [Int: (owner: Ticket, origin: String?)] = [:]
  private var lastQuestionNumber = 0

  private static let answerTimeout = Duration.seconds(60)
  private static let maximumCount = 16
  private static let maximumPeers = 32
  private static let maximumPeersOfAllLeases = 64
  /// The limit for all leases together.
  private static let maximumConcurrentRequests = 64
  private static let maximumEntriesPerLease = 64
  /// The number of leases, open or ended, whose events are kept.
  private static let maximumKeptLeases = 32

  /// Opens a lease, which ends with the request. `passed` is one end of a socket pair; `agent-lease` has the other.
  func open(_ request: LeaseRequest, _ ticket: Ticket, passed: [SharedDescriptor]) throws(Failure) {
    guard leases.count < Self.maximumCount else {
      throw Failure(.tooBusy, "there are already \(Self.maximumCount) leases", hint: "end a command that has one open")
    }
    guard passed.count == 1, UnixSocket.isConnection(passed[0].descriptor) else {
      throw Failure(.invalidRequest, "the request must pass one end of a pair of local sockets")
    }
    let account = try broker.resolve(request.account)
    for method in request.methods where ResourceMethod(method) == nil {
      throw .unsendableMethod
    }
    for name in request.headers where !LeaseRules.mayAllow(name) { throw .unallowableHeader(name) }
    _ = try TokenTarget.make(request.target, account: account.name.text)
    guard !request.lendsToken || !request.target.scope.isEmpty else {
      throw Failure(.invalidRequest, "a lease of tokens needs a scope", hint: "set it with --scope")
    }
    var origins = try request.origins.map { (text) throws(Failure) in try originEntry(text, account) }
    // UserInfo identifies the user, so it is lent only on request.
    if origins.isEmpty { origins = account.configuration.originEntries.filter { !$0.isMail } }
    guard !origins.isEmpty else {
      throw Failure(
        .originNotAllowed, "\(account.name.text) may not send its token anywhere",
        hint: "agent help account set")
    }
    let lease = Lease(
      request, name: HexDigit.text(Randomness.bytes(8)), owner: ticket, account: account.name, origins: origins,
      end: request.expiresInSeconds.map { loop.now.advanced(by: .seconds($0)) }, by: self)
    try begin(lease, passed[0])
  }

  /// Removes the sockets of leases whose command was killed, on a worker.
  func removeAbandonedSockets() {
    jobs.run({
      for path in UserDirectories.runtimeCandidates() + UserDirectories.pastRuntimeDirectories() {
        guard let leases = try? PrivateDirectory(opening: "\(path)/\(WireProtocol.leaseFolder)", create: false) else {
          continue
        }
        _ = try? leases.lockSockets(wait: .zero)
      }
    }) { _ in }
  }

  /// Parses a listed origin, or a URL at one.
  private func originEntry(_ text: String, _ account: Account) throws(Failure) -> OriginEntry {
    guard let entry = OriginEntry(text, allowHTTPLoopback: account.configuration.allowHTTPLoopback), entry.isBare,
      !entry.isMail
    else {
      throw Failure(.invalidRequest, "a lease accepts only hosts, origins and URLs without a query")
    }
    guard LeaseRules.segments(entry.path) != nil else { throw .ambiguousURL }
    guard let origin = ResourceOrigin(entry.origin, allowHTTPLoopback: true), account.configuration.lists(origin) else {
      throw Failure(.originNotListed(account: account.name.text, origin: entry.origin), account: account.name.text)
    }
    return entry
  }

  private func begin(_ lease: Lease, _ socket: SharedDescriptor) throws(Failure) {
    do { lease.channelConnection = try loop.admit(socket.descriptor.duplicate(), under: lease, mayIdle: true) } catch {
      throw Failure(
        .tooBusy, "the request has no descriptor for the lease", hint: "try again when some requests have ended")
    }
    leases[lease.ownerTicket] = lease
    if let end = lease.end { schedule(at: end) { [self] in self.end(lease, .time) } }
    note(.opened(account: lease.account.text), of: lease, nil)
    notifyOwner(of: lease)
  }

  func handle(_ request: LeasePeerRequest, _ ticket: Ticket, passed: [SharedDescriptor]) throws(Failure) {
    guard let lease = leases.values.first(where: { $0.channelConnection == ticket.connection }) else {
      throw Failure(.invalidRequest, "this socket is no lease")
    }
    let peer = LeaseEntry.Peer(userID: request.userID, processID: request.processID)
    if let code = request.refused {
      note(.refused(code), of: lease, peer)
    } else if passed.isEmpty {
      // Without a free descriptor, the kernel closed the passed one.
      note(.refused(.tooBusy), of: lease, peer)
    } else {
      guard passed.count == 1, UnixSocket.isConnection(passed[0].descriptor) else {
        throw Failure(.descriptorMissing, "the request must pass one end of a pair of local sockets")
      }
      admit(peer, passed[0], to: lease)
    }
    loop.send(.result(JSONObject()), to: ticket)
  }

  /// Refuses the peer if there are too many.
  private func admit(_ peer: LeaseEntry.Peer, _ socket: SharedDescriptor, to lease: Lease) {
    let peers = leases.values.reduce(0) { $0 + $1.peers.count }
    if lease.peers.count < Self.maximumPeers, peers < Self.maximumPeersOfAllLeases,
      let connection = try? loop.admit(socket.descriptor.duplicate(), under: lease, mayIdle: false)
    {
      return lease.addPeer(connection, peer)
    }
    // The first line always fits into the socket's buffer.
    _ = try? socket.descriptor.writeNow(Reply.failure(Self.tooManyConnections).serialized().span)
    note(.refused(.tooBusy), of: lease, peer)
  }

  private static let tooManyConnections = Failure(
    .tooBusy, "the lease has too many connections", hint: "try again when some have ended")

  func sendAccessRules(_ ticket: Ticket) throws(Failure) {
    guard let lease = leases.values.first(where: { $0.peers[ticket.connection] != nil }) else {
      throw Failure(.invalidRequest, "this socket is no lease")
    }
    loop.send(.result(lease.accessRules(now: loop.now)), to: ticket)
  }

  /// Sends a peer the token.
  func sendToken(_ request: TokenRequest, _ ticket: Ticket) throws(Failure) {
    guard let lease = leases.values.first(where: { $0.usesInProgress[ticket] != nil }) else { throw .leaseEnded }
    let account = try broker.resolve(request.account)
    let target = try TokenTarget.make(request.target, account: account.name.text)
    let need = TokenNeed(minimumValiditySeconds: request.minimumValiditySeconds, forceRefresh: false)
    broker.obtain(need, target, for: ticket, account, waitsUntil: waitDeadline(request.waitSeconds)) {
      [self] _, grant throws(Failure) in
      loop.send(try tokenResponse(grant, by: lease), to: ticket)
      lease.tokenSent(ticket)
    }
  }

  /// The response without the account's identity.
  private func tokenResponse(_ grant: AccessGrant, by lease: Lease) throws(Failure) -> SharedSecret {
    guard lease.hasOnlyRequestedScope(grant) else {
      throw Failure(.notPermitted, "the server did not limit the token to the scope of the lease")
    }
    guard grant.dpopKey == nil else {
      throw Failure(.notPermitted, "the token is bound to a key, so others cannot use it")
    }
    let description = TokenDescription(
      account: "lease", issuer: "lease", subject: nil, tokenType: grant.tokenType, scope: grant.scope,
      expiresAt: grant.expiresAtUnixSeconds)
    return try TokenLine(description, grant, TokenRequest.Extras()).line
  }

  // MARK: Questions

  func ask(_ lease: Lease, _ method: String, _ origin: String?, _ peer: LeaseEntry.Peer?) {
    lastQuestionNumber += 1
    let number = lastQuestionNumber
    questions[number] = (lease.ownerTicket, origin)
    let question = Event.LeaseQuestion(number: number, method: method, origin: origin, peer: peer)
    loop.send(.event(.leaseQuestion(question)), to: lease.ownerTicket)
    schedule(at: loop.now.advanced(by: Self.answerTimeout)) { [self] in answerQuestion(number, isAllowed: nil) }
  }

  func isOwner(_ ticket: Ticket) -> Bool { leases[ticket] != nil }

  func applyAnswer(_ answer: LeaseAnswerRequest, _ owner: Ticket) {
    if questions[answer.questionNumber]?.owner == owner {
      answerQuestion(answer.questionNumber, isAllowed: answer.isAllowed)
    }
  }

  /// `isAllowed` is nil after the timeout.
  private func answerQuestion(_ number: Int, isAllowed: Bool?) {
    guard let (owner, origin) = questions.removeValue(forKey: number), let lease = leases[owner] else { return }
    for held in lease.applyAnswer(about: origin, isAllowed: isAllowed) {
      if isAllowed == true {
        loop.resume(with: held.envelope, held.ticket, passed: held.passed)
      } else {
        loop.send(.failure(.notPermittedByLease), to: held.ticket)
      }
    }
  }

  // MARK: Ends

  var mayBeginRequest: Bool {
    leases.values.reduce(0) { $0 + $1.usesInProgress.count } < Self.maximumConcurrentRequests
  }

  /// Ends a used-up lease after its final response.
  func didEndUse(of lease: Lease) {
    guard lease.usesLeft == 0, lease.usesInProgress.isEmpty else { return }
    // The timer fires after the final response is sent.
    schedule(at: loop.now) { [self] in end(lease, .uses) }
  }

  private func end(_ lease: Lease, _ cause: LeaseEntry.Cause) {
    guard leases.removeValue(forKey: lease.ownerTicket) != nil else { return }
    lease.endCause = cause
    loop.dropPeers(of: lease, with: cause == .stopping ? stopFailure : .leaseEnded)
    note(.ended(cause), of: lease, nil)
    loop.send(.failure(failure(lease, cause)), to: lease.ownerTicket)
  }

  private func failure(_ lease: Lease, _ cause: LeaseEntry.Cause) -> Failure {
    switch cause {
    case .signedOut: Failure(.signedOut(account: lease.account.text), account: lease.account.text)
    case .removed: Failure(.noAccount(name: lease.account.text), account: lease.account.text)
    case .stopping: stopFailure
    case .time: .leaseExpired
    case .uses: .leaseUsedUp
    case .closed: .leaseEnded
    }
  }

  /// Ends the leases of an ended session. Renames accounts.
  func applyEvent(_ entry: SessionEntry) {
    if let old = entry.event.formerName, let name = entry.account.flatMap({ try? AccountName($0) }) {
      for lease in leases.values where lease.account.text.hasSameBytes(as: old) { lease.account = name }
      return
    }
    let cause: LeaseEntry.Cause
    switch entry.event.name {
    case .signedOut: cause = .signedOut
    case .accountRemoved: cause = .removed
    default: return
    }
    for lease in leases.values
    where entry.account.map({ $0.hasSameBytes(as: lease.account.text) }) ?? true {
      end(lease, cause)
    }
  }

  /// Ends the lease whose owner disconnected.
  func abandon(_ ticket: Ticket) {
    if let lease = leases[ticket] { end(lease, .closed) }
  }

  func stop() {
    for lease in leases.values { end(lease, .stopping) }
  }

  // MARK: Reports

  func didBeginUse(of lease: Lease) { notifyOwner(of: lease) }

  /// Reports the remaining uses.
  private func notifyOwner(of lease: Lease) {
    let event = Event.Lease(name: lease.name, account: lease.account.text, usesLeft: lease.usesLeft)
    loop.send(.event(.lease(event)), to: lease.ownerTicket)
  }

  /// Warns that `origin` included the access token in its response.
  private func warn(_ owner: Ticket, _ origin: String) {
    let notice = Phrase("\(origin) sent the access token back to a program that uses the lease; the answer was cut off")
    loop.send(.event(.notice(notice)), to: owner)
  }

  func note(_ event: LeaseEntry.Event, of lease: Lease, _ peer: LeaseEntry.Peer?) {
    let name = lease.name
    if !recentEntries.contains(where: { $0.name == name }) {
      recentEntries.append((name, Ring(capacity: Self.maximumEntriesPerLease)))
      if recentEntries.count > Self.maximumKeptLeases { recentEntries.removeFirst() }
    }
    guard let index = recentEntries.firstIndex(where: { $0.name == name }) else { return }
    let entry = LeaseEntry(time: services.time.wallSeconds(), lease: name, event: event, peer: peer)
    recentEntries[index].ring.append(entry)
    context.observer?.didPublish(entry)
    if case .used(_, let origin, _, _, _, .tokenReturned) = event { warn(lease.ownerTicket, origin) }
  }

  var eventsJSON: JSONObject {
    let entries = recentEntries.flatMap(\.ring.elements).sorted { $0.time < $1.time }
    let dropped = recentEntries.reduce(0) { $0 + $1.ring.dropped }
    return JSONObject([("events", .array(entries.map { .object($0.json) })), ("dropped", .int(dropped))])
  }
}
