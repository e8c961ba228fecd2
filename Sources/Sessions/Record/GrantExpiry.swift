internal import Encoding
internal import OAuth

/// When the server will end a session unless the user signs in again. Used only for warnings.
package struct GrantExpiry: Sendable, Hashable {
  /// In unix seconds.
  package private(set) var refreshTokenExpiresAt: Int?
  /// In unix seconds. Not extended by refreshing.
  package private(set) var authorizationExpiresAt: Int?
  /// In unix seconds.
  private var warningStart: Int?

  /// The usual seconds between the first warning and the end.
  private static let warningLead = 3 * 86_400
  /// The maximum seconds between two estimates of the same time.
  package static let tolerance = 60

  package init() {}

  package var earliest: Int? { [refreshTokenExpiresAt, authorizationExpiresAt].compactMap { $0 }.min() }

  /// The seconds from a response at `sentAt` (unix seconds) until an unused session must be renewed: a day, at most a
  /// quarter of the lifetime, before its refresh token expires. Nil if the lifetime is unknown or too short, or the
  /// grant does not outlast the token.
  func idleRenewalSeconds(after sentAt: Int) -> Int? {
    guard let refreshTokenExpiresAt, authorizationExpiresAt.map({ $0 - refreshTokenExpiresAt > Self.tolerance }) ?? true
    else { return nil }
    let lifetime = refreshTokenExpiresAt - sentAt
    return lifetime < Self.shortestIdleLifetime ? nil : lifetime - min(86_400, lifetime / 4)
  }

  /// When to renew an unused session without a daemon, in unix seconds: before its refresh token expires, or after a
  /// day if that is unknown. Nil if renewing does not postpone the end.
  package func renewalDue(after refreshedAt: Int) -> Int? {
    guard refreshTokenExpiresAt != nil else { return refreshedAt + 86_400 }
    return idleRenewalSeconds(after: refreshedAt).map { refreshedAt + $0 }
  }

  /// In seconds. Shorter-lived refresh tokens are not renewed while unused.
  private static let shortestIdleLifetime = 600

  /// In unix seconds. Nil if the end has passed or is too far away for a warning.
  package func endToWarnAbout(now: Int) -> Int? {
    guard let earliest, now < earliest, warningStart.map({ $0 <= now }) ?? true else { return nil }
    return earliest
  }

  /// Updates both expiries from a response sent at `now` (unix seconds). A missing one means no limit
  /// (draft-ietf-oauth-refresh-token-expiration-03). After an unparsable response (nil), the grant's expiry is
  /// unchanged, and a new refresh token's is unknown.
  mutating func update(_ response: TokenResponse?, isNewToken: Bool, now: Int) {
    let before = earliest
    if response != nil || isNewToken { refreshTokenExpiresAt = response?.refreshTokenExpiresIn.map { now + $0 } }
    if let response { authorizationExpiresAt = response.authorizationExpiresIn.map { now + $0 } }
    guard let earliest else { return warningStart = nil }
    if let before, abs(before - earliest) <= Self.tolerance { return }
    // If refreshes postpone the end, only failing ones bring it near.
    let moves = before.map { $0 < earliest } ?? false
    warningStart = earliest - (moves ? min(Self.warningLead, (earliest - now) / 4) : Self.warningLead)
  }

  init(json: JSON?) {
    refreshTokenExpiresAt = json?["refresh_token"]?.int
    authorizationExpiresAt = json?["authorization"]?.int
    warningStart = json?["told_from"]?.int
  }

  var json: JSON? {
    guard earliest != nil else { return nil }
    var object = JSONObject()
    object["refresh_token"] = refreshTokenExpiresAt.map { .int($0) }
    object["authorization"] = authorizationExpiresAt.map { .int($0) }
    object["told_from"] = warningStart.map { .int($0) }
    return .object(object)
  }
}
