internal import Encoding
internal import OAuth

/// When the server will end a session unless the user signs in again. Only shown to users: no session is ended because
/// of it.
package struct GrantExpiry: Sendable, Hashable {
  /// When the refresh token expires, in unix seconds.
  package private(set) var refreshToken: Int?
  /// When the grant expires even if it is refreshed, in unix seconds.
  package private(set) var authorization: Int?
  /// When to start warning users, in unix seconds.
  private var warnsFrom: Int?

  /// How long before the end to warn users, in seconds.
  private static let lead = 3 * 86_400
  /// The maximum difference between two measurements of the same time, in seconds. Each is computed from a duration in
  /// a response.
  package static let tolerance = 60

  package init() {}

  /// The earlier of both times, in unix seconds. Nil if neither is known.
  package var end: Int? { [refreshToken, authorization].compactMap { $0 }.min() }

  /// When to renew an unused session so that its refresh token does not expire, in seconds after a response: a day or a
  /// quarter of its lifetime before its expiry, whichever is less. Nil if the expiry is unknown or soon, or if the
  /// grant ends as well.
  ///
  /// - Parameter sentAt: When the response arrived, in unix seconds.
  func idleRenewal(after sentAt: Int) -> Int? {
    guard let refreshToken, authorization.map({ $0 - refreshToken > Self.tolerance }) ?? true else { return nil }
    let lifetime = refreshToken - sentAt
    return lifetime < Self.shortestIdleLifetime ? nil : lifetime - min(86_400, lifetime / 4)
  }

  /// In seconds. Also ends the renewals of a token whose expiry does not move.
  private static let shortestIdleLifetime = 600

  /// The end of the session, if it is near enough to warn users and has not passed.
  package func signInDue(now: Int) -> Int? {
    guard let end, now < end, warnsFrom.map({ $0 <= now }) ?? true else { return nil }
    return end
  }

  /// Updates the times from a response. A missing time means no limit (draft-ietf-oauth-refresh-token-expiration-03).
  ///
  /// - Parameters:
  ///   - response: Nil if it could not be parsed. The expiry of a new refresh token is then unknown, and that of the
  ///     grant stays.
  ///   - now: When the request was sent, in unix seconds.
  mutating func update(_ response: TokenResponse?, isNewToken: Bool, now: Int) {
    let before = end
    if response != nil || isNewToken { refreshToken = response?.refreshTokenExpiresIn.map { now + $0 } }
    if let response { authorization = response.authorizationExpiresIn.map { now + $0 } }
    guard let end else { return warnsFrom = nil }
    if let before, abs(before - end) <= Self.tolerance { return }
    // If each refresh postpones the end, it becomes near only when refreshes fail.
    let moves = before.map { $0 < end } ?? false
    warnsFrom = end - (moves ? min(Self.lead, (end - now) / 4) : Self.lead)
  }

  init(json: JSON?) {
    refreshToken = json?["refresh_token"]?.int
    authorization = json?["authorization"]?.int
    warnsFrom = json?["told_from"]?.int
  }

  /// Nil if neither time is known.
  var json: JSON? {
    guard end != nil else { return nil }
    var object = JSONObject()
    object["refresh_token"] = refreshToken.map { .int($0) }
    object["authorization"] = authorization.map { .int($0) }
    object["told_from"] = warnsFrom.map { .int($0) }
    return .object(object)
  }
}
