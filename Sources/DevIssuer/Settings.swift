/// How the issuer behaves. Options set it at the start, the control endpoint changes it later.
struct Settings: Sendable, Hashable {
  enum Approval: String, Sendable, Hashable, CaseIterable {
    case ask, always, never
  }

  static let accessRange = 0...315_360_000
  static let refreshRange = 1...315_360_000
  static let deviceRange = 1...86_400
  static let intervalRange = 0...3600
  static let delayRange = 0...600_000

  /// Seconds; 0 leaves `expires_in` out and lets access tokens live for ever.
  var accessTokenLifetime = 3600
  /// Seconds.
  var refreshTokenLifetime = 2_592_000
  /// Seconds.
  var deviceCodeLifetime = 600
  /// Seconds between two polls; 0 enforces nothing.
  var interval = 5
  var approval = Approval.ask
  var rotatesRefreshTokens = true
  var issuesRefreshTokens = true
  var issuesIDTokens = true
  /// Seconds in which the refresh token before the last one is still taken.
  var reuseLeeway = 0
  var tokenDelayMilliseconds = 0
  var dpop = DPoPRules()
  /// Seconds added to the clock that clients see.
  var clockOffset = 0

  var hangs: Endpoint?
  var failures: [Endpoint: PlannedFailure] = [:]
  var idTokenFault: IDTokenFault?
  var metadataFault: MetadataFault?
  var bodyFault: BodyFault?
  /// How many answers the body fault still spoils; nil for all.
  var bodyFaultsLeft: Int?

  /// The next failure planned for the endpoint, counted.
  mutating func takeFailure(of endpoint: Endpoint) -> PlannedFailure? {
    guard var failure = failures[endpoint], failure.remaining > 0 else { return nil }
    failure.remaining -= 1
    failures[endpoint] = failure.remaining > 0 ? failure : nil
    return failure
  }

  /// The fault for the next answer of the token endpoint, counted.
  mutating func takeBodyFault() -> BodyFault? {
    guard let fault = bodyFault else { return nil }
    guard let left = bodyFaultsLeft else { return fault }
    bodyFaultsLeft = left > 1 ? left - 1 : nil
    if left <= 1 { bodyFault = nil }
    return fault
  }
}
