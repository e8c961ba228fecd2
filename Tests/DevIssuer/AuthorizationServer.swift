import Crypto
import Encoding
import Platform

/// The issuer itself: takes a request, gives an answer. Knows nothing of sockets.
///
/// Safe to call from many threads. The lock is never held while something waits or signs.
final class AuthorizationServer: Sendable {
  /// Waits, and tells whether it is worth going on: false when the client went away or all ends.
  typealias Pause = (Duration) -> Bool

  /// A hanging request is given up after this time.
  private static let hangLimit = 10 * 60 * 1000
  private static let hangStep = 20

  /// The user that approves where nobody is asked.
  static let demoUser = "alice"

  let issuer: String
  /// The clients known from the start.
  let clients: [RegisteredClient]
  let page: Page
  let formGuard: FormGuard
  let mint: RefreshTokenMint
  let claims: JSONObject
  /// What tokens may be for; empty for anything.
  let knownTargets: [String]
  let hasControl: Bool
  let clock: any TimeSource
  private let state: Monitor<IssuerState>
  private let host: String

  /// - Parameters:
  ///   - port: Where the server listens; it is part of the issuer's name.
  ///   - clientSecret: Of the confidential client.
  init(
    options: Options, port: UInt16, clientSecret: String, clock: any TimeSource
  ) throws(CryptoError) {
    host = "127.0.0.1:\(port)"
    issuer = "http://\(host)"
    var clients = [
      RegisteredClient(
        id: RegisteredClient.publicID, name: "Agent", authentication: .none, redirects: options.redirectRules),
      RegisteredClient(
        id: RegisteredClient.confidentialID, name: "Agent (confidential)",
        authentication: .secret(Array(clientSecret.utf8)), redirects: options.redirectRules),
    ]
    if let keys = options.clientKeys {
      clients.append(
        RegisteredClient(
          id: RegisteredClient.keyID, name: "Agent (with a key)", authentication: .keys(keys),
          redirects: options.redirectRules))
    }
    self.clients = clients
    page = try Page()
    formGuard = try FormGuard()
    mint = try RefreshTokenMint()
    claims = options.claims
    knownTargets = options.targets
    hasControl = options.hasControl
    self.clock = clock
    state = Monitor(try IssuerState(settings: options.settings, key: SigningKey(options.algorithm)))
  }

  /// Answers one request.
  func answer(_ request: Request, pause: Pause) -> Response {
    count(.requests)
    guard request.headers["host"] == host else {
      // Another name for this address is how a web page would reach it (DNS rebinding).
      return .text("This server answers to \(host) only.", status: RequestError.misdirected.status)
    }
    guard let endpoint = Endpoint(path: request.path), isOffered(endpoint) else {
      return .text("Nothing here.", status: 404)
    }
    guard endpoint.methods.contains(request.method) else { return Self.methodNotAllowed(endpoint) }
    return misbehaving(endpoint, pause: pause) ?? spoiled(carriedOut(endpoint, request), of: endpoint)
  }

  /// A cheap reading of one thing, or a change of it.
  func withState<R: Sendable, E: Error>(_ body: (inout IssuerState) throws(E) -> R) throws(E) -> R {
    try state.withLock { (state) throws(E) in try body(&state) }
  }

  func count(_ counter: Counter) {
    withState { $0.count(counter) }
  }

  /// Unix seconds as clients are to see them.
  func wallSeconds() -> Int {
    clock.wallSeconds() + withState { $0.settings.clockOffset }
  }

  /// Turns a fault of the cryptographic library into an answer.
  func checked<R: ~Copyable>(_ body: () throws(CryptoError) -> R) throws(OAuthFailure) -> R {
    do throws(CryptoError) {
      return try body()
    } catch {
      throw OAuthFailure(.serverError, "cryptographic operation failed")
    }
  }

  private func isOffered(_ endpoint: Endpoint) -> Bool {
    switch endpoint {
    case .control: hasControl
    case .pushed: withState { $0.settings.pushedRequests } != .off
    case .registration, .registeredClient: withState { $0.settings.opensRegistration }
    default: true
    }
  }

  private func carriedOut(_ endpoint: Endpoint, _ request: Request) -> Response {
    do throws(OAuthFailure) {
      switch endpoint {
      case .metadata: return metadata()
      case .jwks: return try jwks()
      case .authorization: return try authorize(request)
      case .decision: return try decideAuthorization(request)
      case .pushed: return try push(request)
      case .logout: return try endSession(request)
      case .registration: return try register(request)
      case .registeredClient: return try manageClient(request)
      case .device: return try authorizeDevice(request)
      case .verification: return try verification(request)
      case .token: return try tokenAnswer(request)
      case .userinfo: return userInfo(request)
      case .revocation: return try revoke(request)
      case .introspection: return try introspect(request)
      case .resource: return resource(request)
      case .resourceMetadata: return resourceMetadata(request)
      case .echo: return try echo(request)
      case .redirect: return redirectElsewhere(request)
      case .control: return try control(request)
      }
    } catch {
      if error.code == .invalidClient { count(.clientFailures) }
      return error.response
    }
  }

  /// What the switches say instead of an answer: wait, then perhaps fail.
  private func misbehaving(_ endpoint: Endpoint, pause: Pause) -> Response? {
    guard endpoint != .control else { return nil }
    var waited = 0
    while withState({ $0.settings.hangs }) == endpoint, waited < Self.hangLimit {
      if waited == 0 { count(.hangs) }
      guard pause(.milliseconds(Self.hangStep)) else { return .dropped }
      waited += Self.hangStep
    }
    if endpoint == .token {
      let delay = withState { $0.settings.tokenDelayMilliseconds }
      if delay > 0, !pause(.milliseconds(delay)) { return .dropped }
    }
    return withState { (state) -> Response? in
      guard let failure = state.settings.takeFailure(of: endpoint) else { return nil }
      state.count(.misbehaviours)
      return failure.response
    }
  }

  private static func methodNotAllowed(_ endpoint: Endpoint) -> Response {
    var response = Response.text("This method is not allowed here.", status: 405)
    let allowed = Request.Method.allCases.filter(endpoint.methods.contains).map(\.rawValue).joined(separator: ", ")
    response.headers.append(("Allow", allowed))
    return response
  }
}
