internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// Manages all leases: limits their requests, logs their events and asks the user.
protocol Lessor: AnyObject {
  /// Whether all leases together permit another request.
  var mayBeginRequest: Bool { get }
  func note(_ event: LeaseEntry.Event, of lease: Lease, _ peer: LeaseEntry.Peer?)
  /// Called when a request is recorded as a use.
  func didBeginUse(of lease: Lease)
  /// Called once a request is answered or its sender disconnects.
  func didEndUse(of lease: Lease)
  /// Asks the user. `origin` is nil for the token itself.
  func ask(_ lease: Lease, _ method: String, _ origin: String?, _ peer: LeaseEntry.Peer?)
}

/// A lease's access rules and use so far.
final class Lease: ConnectionRules {
  let name: String
  /// The request that opened the lease.
  let ownerTicket: Ticket
  var account: AccountName
  private let request: LeaseRequest
  private let rules: LeaseRules
  /// Nil for no limit.
  let end: Instant?
  /// The number of requests still permitted. Nil for no limit.
  private(set) var usesLeft: Int?

  /// Nil while the lease is open.
  var endCause: LeaseEntry.Cause?
  private(set) var usesInProgress: [Ticket: Use] = [:]
  /// Peers by connection number.
  private(set) var peers: [UInt64: LeaseEntry.Peer] = [:]

  /// The answers by origin or ``token``. Nil if the lease never asks.
  private var userAnswers: [String: Bool]?
  /// Requests waiting for an answer, by origin or ``token``.
  private var heldRequests: [String: [HeldRequest]] = [:]

  private unowned let lessor: any Lessor
  /// The number of header fields removed from all requests.
  private var droppedFields = 0

  struct Use {
    /// The HTTP method, or ``token``.
    let method: String
    /// Nil for the token itself.
    let origin: String?
    /// The number of removed header fields.
    var dropped = 0
  }

  /// A request that waits for the user's answer.
  struct HeldRequest {
    let envelope: RequestEnvelope
    let ticket: Ticket
    let passed: [SharedDescriptor]
  }

  private static let maximumConcurrent = 16

  init(
    _ request: LeaseRequest, name: String, owner: Ticket, account: AccountName, origins: [OriginEntry], end: Instant?,
    by lessor: any Lessor
  ) {
    self.lessor = lessor
    self.request = request
    userAnswers = request.requiresConfirmation ? [:] : nil
    self.name = name
    self.ownerTicket = owner
    self.account = account
    rules = LeaseRules(origins: origins, methods: request.methods, allowedFields: request.headers)
    self.end = end
    usesLeft = request.uses
  }

  func addPeer(_ connection: UInt64, _ peer: LeaseEntry.Peer) { peers[connection] = peer }

  /// The connection to `agent-lease`. Nil until the lease is open.
  var channelConnection: UInt64?

  // MARK: Requests

  func read(_ line: Span<UInt8>) throws(Failure) -> RequestEnvelope {
    do throws(Failure) { return try envelope(parsing: line, where: isPermitted) } catch { throw logRefusal(error, nil) }
  }

  private func isPermitted(_ properties: RequestProperties) -> Bool {
    properties.has(.allowedForPeers) || properties.has(.allowedForLeaseProcess)
      || request.lendsToken && properties.has(.allowedForTokenPeers)
  }

  /// Checks a peer's request and limits it to the lease's account and token. Returns nil if the request must wait for
  /// the user.
  func admit(
    _ envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor] = []
  ) throws(Failure) -> RequestEnvelope? {
    var envelope = envelope
    // Steps describe servers and accounts, which the peer must not know.
    envelope.verbose = false
    envelope.directory = nil
    guard envelope.request.has(.allowedForLeaseProcess) == (ticket.connection == channelConnection) else {
      throw logRefusal(.notPermittedByLease, ticket)
    }
    switch envelope.request {
    case .leasePeer: return envelope
    case .leaseStatus, .resourceBody: break
    case .call(let call):
      // The peer could block reads and writes of any other descriptor.
      guard passed.allSatisfy({ UnixSocket.isConnection($0.descriptor) }) else {
        throw logRefusal(
          Failure(.descriptorMissing, "a lease accepts request bodies only through local sockets"), ticket)
      }
      do throws(Failure) { envelope.request = .call(try restrictAndRecord(call, ticket)) } catch {
        throw logRefusal(error, ticket)
      }
    case .token(let token) where request.lendsToken:
      do throws(Failure) { envelope.request = .token(try restrictAndRecord(token, ticket)) } catch {
        throw logRefusal(error, ticket)
      }
    default: throw logRefusal(.notPermittedByLease, ticket)
    }
    return try askUserIfUndecided(HeldRequest(envelope: envelope, ticket: ticket, passed: passed)) ? envelope : nil
  }

  /// Whether the user has allowed requests to the origin. If undecided, keeps the request and asks. Throws
  /// `not_permitted` if refused.
  private func askUserIfUndecided(_ request: HeldRequest) throws(Failure) -> Bool {
    guard let userAnswers, let use = usesInProgress[request.ticket] else { return true }
    let subject = use.origin ?? Self.token
    switch userAnswers[subject] {
    case true?: return true
    case false?: throw .notPermittedByLease
    case nil:
      let isAsked = heldRequests[subject] != nil
      heldRequests[subject, default: []].append(request)
      if !isAsked { lessor.ask(self, use.method, use.origin, peers[request.ticket.connection]) }
      return false
    }
  }

  /// The token's key in ``userAnswers``.
  private static let token = "token"

  /// Applies the user's answer about an origin, or the token if nil. Returns the requests that waited. `isAllowed` is
  /// nil after the timeout; later requests then ask again.
  func applyAnswer(about origin: String?, isAllowed: Bool?) -> [HeldRequest] {
    let subject = origin ?? Self.token
    if let isAllowed { userAnswers?[subject] = isAllowed }
    return heldRequests.removeValue(forKey: subject) ?? []
  }

  private func restrictAndRecord(_ token: TokenRequest, _ ticket: Ticket) throws(Failure) -> TokenRequest {
    if endCause != nil || usesLeft == 0 { throw .leaseEnded }
    guard token.account == nil, token.destination == nil, !token.forceRefresh, !token.extras.wantsIDToken,
      !token.extras.wantsClaims,
      token.target == TokenRequest.Target() || token.target == request.target
    else { throw .notPermittedByLease }
    try recordUse(Use(method: Self.token, origin: nil), ticket)
    var token = token
    (token.account, token.target, token.isLent) = (account.text, request.target, true)
    token.extras = TokenRequest.Extras()
    return token
  }

  /// Throws `too_busy` if too many requests are in progress.
  private func recordUse(_ use: Use, _ ticket: Ticket) throws(Failure) {
    guard usesInProgress.count < Self.maximumConcurrent, lessor.mayBeginRequest else {
      throw Failure(.tooBusy, "too many requests of the lease are in progress", hint: "try again when some have ended")
    }
    usesInProgress[ticket] = use
    usesLeft = usesLeft.map { $0 - 1 }
    droppedFields += use.dropped
    lessor.didBeginUse(of: self)
  }

  /// Whether the server confirmed that the token has no scope beyond the lease's.
  func hasOnlyRequestedScope(_ grant: AccessGrant) -> Bool {
    guard grant.isScopeFromServer, let scope = grant.scope else { return false }
    return scope.split(separator: " ").allSatisfy { value in
      request.target.scope.contains { $0.hasSameBytes(as: String(value)) }
    }
  }

  private func restrictAndRecord(_ call: CallRequest, _ ticket: Ticket) throws(Failure) -> CallRequest {
    if endCause != nil || usesLeft == 0 { throw .leaseEnded }
    guard call.account == nil, call.target == TokenRequest.Target() || call.target == request.target else {
      throw .notPermittedByLease
    }
    var call = call
    (call.account, call.target) = (account.text, request.target)
    let target = try ResourceCall.Target(call)
    let passed = try rules.check(target, sendsBody: call.sendsBody)
    call.headers = passed.fields.map(\.line)
    // A redirect could lead to another path.
    if passed.restrictsPaths { call.refusesRedirects = true }
    call.lease = RequestLease(name: name, isNarrow: passed.restrictsPaths || !request.methods.isEmpty)
    try recordUse(Use(method: target.method.text, origin: target.origin.text, dropped: passed.dropped), ticket)
    return call
  }

  private func logRefusal(_ failure: Failure, _ ticket: Ticket?) -> Failure {
    lessor.note(.refused(failure.code), of: self, ticket.flatMap { peers[$0.connection] })
    return failure
  }

  // MARK: Answers

  /// Removes cookies and the account's data from a response line.
  func filtering(_ reply: Reply, of ticket: Ticket) -> Reply {
    switch reply {
    case .event(.response(var head)):
      head.headers.removeAll { ["set-cookie", "set-cookie2"].contains($0.name.lowercased()) }
      return .event(.response(head))
    case .event: return reply
    case .failure(let failure):
      finish(ticket, nil, nil, failure.code)
      return .failure(redacted(failure))
    case .result(var result):
      guard usesInProgress[ticket] != nil else { return reply }
      finish(ticket, result["status"]?.int, result["body_bytes"]?.int, nil)
      result["account"] = "lease"
      if let problem = result["problem"].flatMap({ Failure(json: $0) }) { result["problem"] = redacted(problem).json }
      return .result(result)
    }
  }

  /// Whether the request is for the token itself.
  func lendsToken(to ticket: Ticket) -> Bool { usesInProgress[ticket].map { $0.origin == nil } ?? false }

  func tokenSent(_ ticket: Ticket) { finish(ticket, nil, nil, nil) }

  /// Removes a request in progress and logs its result.
  private func finish(_ ticket: Ticket, _ status: Int?, _ bytes: Int?, _ code: FailureCode?) {
    guard let use = usesInProgress.removeValue(forKey: ticket) else { return }
    // The request may have timed out while the user was asked.
    for subject in heldRequests.keys { heldRequests[subject]?.removeAll { $0.ticket == ticket } }
    let event =
      use.origin.map {
        LeaseEntry.Event.used(method: use.method, origin: $0, status: status, bytes: bytes, dropped: use.dropped, code)
      } ?? .tokenRequested(code)
    lessor.note(event, of: self, peers[ticket.connection])
    lessor.didEndUse(of: self)
  }

  func didDisconnect(_ connection: UInt64) {
    for ticket in usesInProgress.keys where ticket.connection == connection { finish(ticket, nil, nil, .cancelled) }
    peers[connection] = nil
  }

  /// Removes the account's name and hints that peers cannot follow.
  private func redacted(_ failure: Failure) -> Failure {
    switch failure.code {
    case .locked: Failure(.locked, "the account of the lease is locked")
    case .tokenRefused, .stepUpNeeded:
      Failure(failure.code, "the resource requires a different sign-in from the one of the lease")
    case .assertionNeeded where !failure.variables.isEmpty:
      Failure(
        failure.code,
        "the account of the lease needs environment variables of the lending machine, which a lease cannot pass",
        hint: "run a command on that machine to renew the token")
    case _ where failure.code.exitStatus == .signInNeeded:
      Failure(
        failure.code, "the account of the lease needs a sign-in", hint: "on the lending machine, run: agent login")
    case _ where failure.message.hasPart(account.text):
      Failure(failure.code, "the request cannot be made with this lease")
    default: Failure(failure.code, failure.text)
    }
  }

  func accessRules(now: Instant) -> JSONObject {
    var object = JSONObject([("lease", .string(name))])
    object["places"] = .array(rules.origins.map { .string($0.origin + $0.path) })
    object["methods"] = request.methods.isEmpty ? nil : .array(request.methods.map { .string($0) })
    object["headers"] = request.headers.isEmpty ? nil : .array(request.headers.map { .string($0) })
    object["dropped_headers"] = droppedFields == 0 ? nil : .int(droppedFields)
    object["expires_in"] = end.map { .int(max(0, Int(now.duration(to: $0).components.seconds))) }
    object["uses_left"] = usesLeft.map { .int($0) }
    object["hand_out_token"] = request.lendsToken ? true : nil
    return object
  }
}
