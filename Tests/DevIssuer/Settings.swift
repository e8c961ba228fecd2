/// How the issuer behaves. Options set it at the start, the control endpoint changes it later.
struct Settings: Sendable, Hashable {
  enum Approval: String, Sendable, Hashable, CaseIterable {
    case ask, always, never
  }

  /// Pushed authorization requests (RFC 9126).
  enum PushedRequests: String, Sendable, Hashable, CaseIterable {
    case off, offered, required
  }

  static let accessRange = 0...315_360_000
  static let refreshRange = 1...315_360_000
  static let deviceRange = 1...86_400
  static let codeRange = 1...600
  static let intervalRange = 0...3600
  static let delayRange = 0...600_000

  /// Seconds; 0 leaves `expires_in` out and lets access tokens live for ever.
  var accessTokenLifetime = 3600
  /// Seconds.
  var refreshTokenLifetime = 2_592_000
  /// Seconds.
  var deviceCodeLifetime = 600
  /// Seconds; RFC 6749 section 4.1.2 allows ten minutes at most.
  var codeLifetime = 60
  /// Seconds between two polls; 0 enforces nothing.
  var interval = 5
  var approval = Approval.ask
  var pushedRequests = PushedRequests.offered
  var rotatesRefreshTokens = true
  /// Whether anyone may register a client (RFC 7591).
  var opensRegistration = false
  var issuesRefreshTokens = true
  var issuesIDTokens = true
  /// ID Tokens of a client with a secret are under it.
  var usesClientSecret = false
  var signsUserInfo = false
  /// Seconds in which the refresh token before the last one is still taken.
  var reuseLeeway = 0
  var tokenDelayMilliseconds = 0
  var dpop = DPoPRules()
  /// Seconds added to the clock that clients see.
  var clockOffset = 0

  var resourceRules = ResourceRules()
  /// How many good tokens the protected resources still refuse.
  var refusals = 0
  /// Where `/redirect` sends to.
  var redirectTarget = "http://resource.invalid/"

  var hangs: Endpoint?
  var failures: [Endpoint: PlannedFailure] = [:]
  var idTokenFault: IDTokenFault?
  var keySetFault: KeySetFault?
  var userInfoFault: UserInfoFault?
  var metadataFault: MetadataFault?
  var authorizationFault: AuthorizationFault?
  var resourceFault: ResourceFault?
  var registrationFault: RegistrationFault?
  var pushedRequestFault: PushedRequestFault?
  var bodyFault: BodyFault?
  /// Whose answers the body fault spoils.
  var bodyFaultEndpoint = Endpoint.token
  /// How many answers the body fault still spoils; nil for all.
  var bodyFaultsLeft: Int?

  /// The next failure planned for the endpoint, counted.
  mutating func takeFailure(of endpoint: Endpoint) -> PlannedFailure? {
    guard var failure = failures[endpoint], failure.remaining > 0 else { return nil }
    failure.remaining -= 1
    failures[endpoint] = failure.remaining > 0 ? failure : nil
    return failure
  }

  /// Whether the protected resources refuse the next good token, counted.
  mutating func takeRefusal() -> Bool {
    guard refusals > 0 else { return false }
    refusals -= 1
    return true
  }

  /// The fault for the next answer of the endpoint, counted.
  mutating func takeBodyFault(of endpoint: Endpoint) -> BodyFault? {
    guard let fault = bodyFault, endpoint == bodyFaultEndpoint else { return nil }
    guard let left = bodyFaultsLeft else { return fault }
    bodyFaultsLeft = left > 1 ? left - 1 : nil
    if left <= 1 { bodyFault = nil }
    return fault
  }
}
