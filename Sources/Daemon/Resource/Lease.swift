internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Vocabulary
internal import Wire

/// The terms of a lease, and how much of it was used. Every request of its peers passes ``admit(_:_:)``, which pins account and
/// token before any part of the daemon sees it. Used on the loop only.
final class Lease: Admission {
  /// 16 hexadecimal digits.
  let name: String
  /// The request that opened it.
  let owner: Ticket
  /// A rename updates it.
  var account: AccountName
  private let places: [OriginEntry]
  private let methods: [String]
  private let target: TokenRequest.Target
  let end: Instant?
  private(set) var usesLeft: Int?

  /// Set when it is over.
  var cause: LeaseEntry.Cause?
  private(set) var underWay: [Ticket: Use] = [:]
  private(set) var peers: [UInt64: LeaseEntry.Peer] = [:]

  /// Told what happens.
  private let tell: (LeaseEntry.Happening, LeaseEntry.Peer?) -> Void
  /// Whether there is a place for another request among those of all leases.
  private let hasPlace: () -> Bool
  /// A request was answered, or its sender went.
  private let ended: () -> Void

  /// A request that is being made.
  struct Use {
    let method: String
    let origin: String
  }

  /// Limit of the requests that are made at a time.
  private static let mostAtOnce = 16

  init(
    _ request: LeaseRequest, name: String, owner: Ticket, account: AccountName, places: [OriginEntry], end: Instant?,
    telling tell: @escaping (LeaseEntry.Happening, LeaseEntry.Peer?) -> Void, hasPlace: @escaping () -> Bool,
    ended: @escaping () -> Void
  ) {
    self.name = name
    self.owner = owner
    self.account = account
    self.places = places
    methods = request.methods
    target = request.target
    self.end = end
    usesLeft = request.uses
    self.tell = tell
    self.hasPlace = hasPlace
    self.ended = ended
  }

  func came(_ connection: UInt64, _ peer: LeaseEntry.Peer) { peers[connection] = peer }

  // MARK: Requests

  func read(_ line: Span<UInt8>) throws(Failure) -> RequestEnvelope {
    let envelope: RequestEnvelope
    do throws(Failure) { envelope = try RequestEnvelope(parsing: line) } catch {
      // Only of a request that is permitted is it told what is wrong with it.
      let name = (try? JSON(parsing: line, limits: WireProtocol.requestLimits))?["request"]?.string
      throw refusal(["resource", "lease_status"].contains(name) ? error : Self.notPermitted, nil)
    }
    switch envelope.request {
    case .call, .leaseStatus: return envelope
    default: throw refusal(Self.notPermitted, nil)
    }
  }

  func admit(_ envelope: RequestEnvelope, _ ticket: Ticket) throws(Failure) -> RequestEnvelope {
    var envelope = envelope
    // Steps tell of servers and accounts that the peer knows nothing of.
    envelope.verbose = false
    switch envelope.request {
    case .leaseStatus: break
    case .call(let call):
      do throws(Failure) { envelope.request = .call(try pinned(call, ticket)) } catch { throw refusal(error, ticket) }
    default: throw refusal(Self.notPermitted, ticket)
    }
    return envelope
  }

  private func pinned(_ call: CallRequest, _ ticket: Ticket) throws(Failure) -> CallRequest {
    if cause != nil || usesLeft == 0 { throw Self.over }
    guard call.account == nil, call.target == TokenRequest.Target() || call.target == target else {
      throw Self.notPermitted
    }
    var call = call
    (call.account, call.target) = (account.text, target)
    let place = try ResourceCall.Target(call)
    guard methods.isEmpty || methods.contains(place.method.text), fits(place, &call) else { throw Self.notPermitted }
    guard underWay.count < Self.mostAtOnce, hasPlace() else {
      throw Failure(.tooBusy, "too many requests of the lease are under way", hint: "try again when some have ended")
    }
    underWay[ticket] = Use(method: place.method.text, origin: place.origin.text)
    usesLeft = usesLeft.map { $0 - 1 }
    return call
  }

  /// Whether the request is for a place of the lease, as its sender wrote it and as a server may read it.
  private func fits(_ place: ResourceCall.Target, _ call: inout CallRequest) -> Bool {
    let names = place.fields.map { $0.name.lowercased() }
    if !methods.isEmpty, names.contains(where: Self.methodFields.contains) { return false }
    let own = places.filter { $0.origin.utf8.elementsEqual(place.origin.text.utf8) }
    if own.contains(where: \.path.isEmpty) { return true }
    let path = place.endpoint.uri.path
    guard own.contains(where: { $0.covers(path) }), Self.isPlain(path), !names.contains(where: Self.pathFields.contains)
    else { return false }
    // A redirect could lead to another path.
    call.refusesRedirects = true
    return true
  }

  /// Header fields by which servers take another method, or another path, than those of the request.
  private static let methodFields = ["x-http-method-override", "x-http-method", "x-method-override"]
  private static let pathFields = ["x-original-url", "x-rewrite-url", "x-forwarded-uri", "x-forwarded-prefix"]

  /// Whether all servers read a path alike: it has no separator that is encoded, doubled or of another kind.
  private static func isPlain(_ path: String) -> Bool {
    let path = path.lowercased()
    return !["//", "\\", "%2f", "%5c", "%2e", "%25", "%00", ";"].contains { path.hasPart($0) }
  }

  private func refusal(_ failure: Failure, _ ticket: Ticket?) -> Failure {
    tell(.refused(failure.code), ticket.flatMap { peers[$0.connection] })
    return failure
  }

  private static let notPermitted = Failure(.notPermitted, "the lease does not permit this request")
  static let over = Failure(.leaseEnded, "the lease is over")

  // MARK: Answers

  func shown(_ reply: Reply, of ticket: Ticket) -> Reply {
    switch reply {
    case .event: return reply
    case .failure(let failure):
      finish(ticket, nil, nil, failure.code)
      return .failure(hidden(failure))
    case .result(var result):
      guard underWay[ticket] != nil else { return reply }
      finish(ticket, result["status"]?.int, result["body_bytes"]?.int, nil)
      result["account"] = "lease"
      if let problem = result["problem"].flatMap({ Failure(json: $0) }) { result["problem"] = hidden(problem).json }
      return .result(result)
    }
  }

  private func finish(_ ticket: Ticket, _ status: Int?, _ bytes: Int?, _ code: FailureCode?) {
    guard let use = underWay.removeValue(forKey: ticket) else { return }
    tell(
      .used(method: use.method, origin: use.origin, status: status, bytes: bytes, code), peers[ticket.connection])
    ended()
  }

  func left(_ connection: UInt64) {
    for ticket in underWay.keys where ticket.connection == connection { finish(ticket, nil, nil, .cancelled) }
    peers[connection] = nil
  }

  /// A failure without the account's name, and without a command that the peer cannot run.
  private func hidden(_ failure: Failure) -> Failure {
    switch failure.code {
    case .locked: Failure(.locked, "the account of the lease is locked")
    case .tokenRefused, .stepUpNeeded:
      Failure(failure.code, "the resource wants another sign-in than the one that the lease is for")
    case _ where failure.code.exitStatus == .signInNeeded:
      Failure(failure.code, "the account of the lease needs a sign-in")
    case _ where failure.message.hasPart(account.text):
      Failure(failure.code, "the request cannot be made with this lease")
    default: Failure(failure.code, failure.text)
    }
  }

  /// The terms, for its peers.
  func terms(now: Instant) -> JSONObject {
    var object = JSONObject([("lease", .string(name))])
    object["places"] = .array(places.map { .string($0.origin + $0.path) })
    object["methods"] = methods.isEmpty ? nil : .array(methods.map { .string($0) })
    object["expires_in"] = end.map { .int(max(0, Int(now.duration(to: $0).components.seconds))) }
    object["uses_left"] = usesLeft.map { .int($0) }
    return object
  }
}
