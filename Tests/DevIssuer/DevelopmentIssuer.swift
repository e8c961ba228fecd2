import Crypto
import Encoding
import JOSE
import Platform

/// The issuer itself: a value that takes a request and gives an answer. Knows nothing of sockets and threads.
struct DevelopmentIssuer: Sendable {
  /// The user that approves where nobody is asked.
  static let demoUser = "alice"

  let url: String
  let host: String
  let clock: any TimeSource
  var settings: IssuerSettings
  var key: IssuerKey
  /// For keyed hashes: of forms and of refresh tokens.
  let secret: [UInt8]
  /// Those known from the start.
  let clients: [IssuerClient]

  // More than these push out the oldest.
  var registrations = BoundedTable<IssuerClient>(capacity: 1000)
  /// Client assertions that came before.
  var assertions = BoundedTable<Bool>(capacity: 10_000)
  /// Authorization requests that wait for the user, and those that were pushed.
  var waiting = BoundedTable<Expiring<CodeRequest>>(capacity: 1000)
  var pushed = BoundedTable<Expiring<CodeRequest>>(capacity: 1000)
  var sessions = BoundedTable<BrowserSession>(capacity: 1000)
  var codes = BoundedTable<IssuedCode>(capacity: 1000)
  /// The one that was given out last, and the one before.
  var lastCodes: (last: String?, before: String?)
  var devices = BoundedTable<DeviceGrant>(capacity: 1000)
  /// Device codes by user code.
  var userCodes = BoundedTable<String>(capacity: 1000)
  var guesses: (count: Int, since: Instant)?
  var grants = BoundedTable<IssuerGrant>(capacity: 10_000)
  var accessTokens = BoundedTable<IssuedAccess>(capacity: 50_000)
  var nonces: [ProofRole: (current: String, previous: String?)] = [:]
  var usedProofs = BoundedTable<Bool>(capacity: 20_000)
  var counts: [IssuerCounter: Int] = [:]

  /// - Parameters:
  ///   - port: Where the server listens; it is part of the issuer's name.
  ///   - clientSecret: Of the confidential client.
  init(_ settings: IssuerSettings, port: UInt16, clientSecret: String, clock: any TimeSource) throws {
    host = "127.0.0.1:\(port)"
    url = "http://\(host)"
    self.settings = settings
    self.clock = clock
    key = try IssuerKey(settings.algorithm)
    secret = try Random.bytes(32)
    clients = IssuerClient.known(settings, secret: clientSecret)
    for role in ProofRole.allCases { nonces[role] = (try Self.opaque(), nil) }
  }

  /// 256 random bits (RFC 6749 section 10.10) as text, of which keys of tables are made too.
  static func opaque() throws -> String { Base64URL.encode(try Random.bytes(32)) }

  /// Unix seconds as clients are to see them.
  var wall: Int { clock.wallSeconds() + settings.clockOffset }

  var now: Instant { clock.now() }

  func instant(after seconds: Int) -> Instant { now.advanced(by: .seconds(seconds)) }

  mutating func count(_ counter: IssuerCounter) { counts[counter, default: 0] += 1 }

  /// A keyed hash, for one purpose.
  func seal(_ purpose: String, _ text: String) throws -> String {
    Base64URL.encode(try HMAC.sha256(key: secret.span, Array("\(purpose) \(text)".utf8).span))
  }

  // MARK: Requests

  /// Milliseconds to wait before a request is answered; nil when it has waited enough.
  mutating func wait(before request: IssuerRequest, waited: Int) -> Int? {
    guard request["host"] == host, let endpoint = IssuerRoute.of(request.path)?.endpoint else { return nil }
    // A hanging request is given up after ten minutes.
    if settings.hanging == endpoint, waited < 600_000 {
      if waited == 0 { count(.hangs) }
      return 20
    }
    let delay = endpoint == .token ? settings.tokenDelayMilliseconds - waited : 0
    return delay > 0 ? delay : nil
  }

  /// Answers one request: with a failure that was planned, else honestly, and then with the faults of the endpoint.
  mutating func answer(_ request: IssuerRequest) -> IssuerAnswer {
    count(.requests)
    // Another name for this address is how a web page would reach it (DNS rebinding).
    guard request["host"] == host else { return .text("This server answers to \(host) only.", status: 421) }
    guard let route = IssuerRoute.of(request.path), isOffered(route.endpoint) else {
      return .text("Nothing here.", status: 404)
    }
    guard route.methods.isEmpty || route.methods.contains(request.method) else {
      var answer = IssuerAnswer.text("This method is not allowed here.", status: 405)
      answer[header: "Allow"] = route.methods.joined(separator: ", ")
      return answer
    }
    if let failure = takeFailure(of: route.endpoint) { return failure }
    var answer: IssuerAnswer
    do {
      answer = try route.answer(&self, request)
    } catch {
      let refusal = error as? Refusal ?? Refusal("server_error", "cryptographic operation failed", status: 500)
      if refusal.code == "invalid_client" { count(.clientFailures) }
      answer = refusal.answer
    }
    spoil(&answer, of: route.endpoint)
    return answer
  }

  private func isOffered(_ endpoint: IssuerEndpoint) -> Bool {
    switch endpoint {
    case .control: settings.hasControl
    case .par: settings.pushedRequests != .off
    case .registration, .client: settings.opensRegistration
    default: true
    }
  }

  private mutating func takeFailure(of endpoint: IssuerEndpoint) -> IssuerAnswer? {
    guard let failure = settings.failures[endpoint], failure.remaining > 0 else { return nil }
    settings.failures[endpoint]?.remaining -= 1
    count(.misbehaviours)
    var answer = IssuerAnswer.json(["error": .string(failure.error)], status: failure.status)
    answer[header: "Retry-After"] = failure.retryAfter.map(String.init)
    return answer
  }
}

/// Compares in a time that says nothing of where texts differ.
func isSame(_ one: String, _ other: String) -> Bool {
  ConstantTime.isEqual(Array(one.utf8).span, Array(other.utf8).span)
}

/// What is counted; the names in snake case are the members of the control endpoint's answer.
enum IssuerCounter: Sendable, CaseIterable {
  case requests, connections, metadata, jwks, authorizations, pushedRequests, registrations, deletions, codeGrants
  case codeReplays, deviceAuthorizations, devicePolls, slowDowns, deviceGrants, approvals, denials, refreshes
  case refreshFailures, reuseDetected, clientFailures, clientGrants, exchanges, clientAssertions, revocations, logouts
  case introspections, userinfo, resource, resourceMetadata, echoes, redirects, proofs, proofRefusals, proofReplays
  case misbehaviours, hangs

  var name: String { "\(self)".map { $0.isUppercase ? "_" + $0.lowercased() : String($0) }.joined() }
}

/// A dictionary of the entries that came last, so that no client can make it grow.
struct BoundedTable<Value: Sendable>: Sendable {
  private(set) var entries: [String: Value] = [:]
  /// In the order of their arrival; some may have been removed since.
  private var order: [String] = []
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  /// Changing the value of a key that is there keeps its age; nil removes it.
  subscript(key: String) -> Value? {
    get { entries[key] }
    set {
      guard let newValue else {
        entries[key] = nil
        return
      }
      guard entries.updateValue(newValue, forKey: key) == nil else { return }
      order.append(key)
      if order.count > capacity { entries[order.removeFirst()] = nil }
    }
  }

  mutating func removeAll(where isRemoved: (Value) -> Bool = { _ in true }) {
    for (key, value) in entries where isRemoved(value) { entries[key] = nil }
  }
}

/// What is good for a while only.
struct Expiring<Value: Sendable>: Sendable {
  let value: Value
  let expiresAt: Instant
}
