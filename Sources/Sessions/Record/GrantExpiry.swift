internal import Encoding
internal import OAuth

/// When the server will end a session unless the user signs in again. Used only for warnings.
package struct GrantExpiry: Sendable, Hashable {
  /// The refresh token's expiry, in unix seconds.
  package private(set) var refreshToken: Int?
  /// The grant's expiry, which refreshing does not extend, in unix seconds.
  package private(set) var authorization: Int?
  /// The time to start warning users, in unix seconds.
  private var warnsFrom: Int?

  /// The usual time between the first warning and the end, in seconds.
  private static let lead = 3 * 86_400
  /// The maximum difference in seconds between two estimates of the same time.
  package static let tolerance = 60

  package init() {}

  /// The earlier of both times, if known.
  package var end: Int? { [refreshToken, authorization].compactMap { $0 }.min() }

  /// The seconds from a response at `sentAt` (unix seconds) until an unused session must be renewed to keep its refresh
  /// token: until a day or a quarter of its lifetime before expiry, whichever is less. Nil if the expiry is unknown or
  /// soon, or the grant ends at the same time.
  func idleRenewal(after sentAt: Int) -> Int? {
    guard let refreshToken, authorization.map({ $0 - refreshToken > Self.tolerance }) ?? true else { return nil }
    let lifetime = refreshToken - sentAt
    return lifetime < Self.shortestIdleLifetime ? nil : lifetime - min(86_400, lifetime / 4)
  }

  /// When to renew an unused session without a daemon, in unix seconds: before its refresh token expires, or after a
  /// day if the expiry is unknown. Nil if a renewal does not postpone the end.
  package func renewalDue(after refreshedAt: Int) -> Int? {
    guard refreshToken != nil else { return refreshedAt + 86_400 }
    return idleRenewal(after: refreshedAt).map { refreshedAt + $0 }
  }

  /// In seconds. Refresh tokens with a shorter lifetime are not renewed while unused.
  private static let shortestIdleLifetime = 600

  /// The end of the session in unix seconds, or nil if it has passed or is too far away for a warning.
  package func signInDue(now: Int) -> Int? {
    guard let end, now < end, warnsFrom.map({ $0 <= now }) ?? true else { return nil }
    return end
  }

  /// Updates the times from a response. A missing time means no limit (draft-ietf-oauth-refresh-token-expiration-03).
  ///
  /// - Parameters:
  ///   - response: Nil if it could not be parsed. The refresh token's expiry is then unknown, and the grant's
  ///     unchanged.
  ///   - isNewToken: Whether the server sent another refresh token.
  ///   - now: The request's time, in unix seconds.
  mutating func update(_ response: TokenResponse?, isNewToken: Bool, now: Int) {
    let before = end
    if response != nil || isNewToken { refreshToken = response?.refreshTokenExpiresIn.map { now + $0 } }
    if let response { authorization = response.authorizationExpiresIn.map { now + $0 } }
    guard let end else { return warnsFrom = nil }
    if let before, abs(before - end) <= Self.tolerance { return }
    // If each refresh postpones the end, it comes near only when refreshes fail.
    let moves = before.map { $0 < end } ?? false
    warnsFrom = end - (moves ? min(Self.lead, (end - now) / 4) : Self.lead)
  }

  init(json: JSON?) {
    refreshToken = json?["refresh_token"]?.int
    authorization = json?["authorization"]?.int
    warnsFrom = json?["told_from"]?.int
  }

  /// The stored form, or nil if neither time is known.
  var json: JSON? {
    guard end != nil else { return nil }
    var object = JSONObject()
    object["refresh_token"] = refreshToken.map { .int($0) }
    object["authorization"] = authorization.map { .int($0) }
    object["told_from"] = warnsFrom.map { .int($0) }
    return .object(object)
  }
}
