internal import Encoding
internal import OAuth

/// When a session will end without another sign-in, according to the server. Only shown to users: no session is ended
/// because of it.
package struct GrantExpiry: Sendable, Hashable {
  /// When the refresh token expires, in unix seconds.
  package private(set) var refreshToken: Int?
  /// When the grant expires, whatever is refreshed, in unix seconds.
  package private(set) var authorization: Int?
  /// When to start warning users, in unix seconds.
  private var warnsFrom: Int?

  /// How long before the end to warn users, in seconds.
  private static let lead = 3 * 86_400
  /// The maximum difference between two times that are the same, computed from seconds in two responses.
  package static let tolerance = 60

  package init() {}

  /// The earlier of the two, in unix seconds; nil if neither is known.
  package var end: Int? { [refreshToken, authorization].compactMap { $0 }.min() }

  /// When to renew an unused session so that its refresh token does not expire, in seconds after a response: a day before
  /// its expiry, at most a quarter of its lifetime. Nil if that is unknown or soon, or if the grant itself ends.
  ///
  /// - Parameter sentAt: When the response arrived, in unix seconds.
  func idleRenewal(after sentAt: Int) -> Int? {
    guard let refreshToken, authorization.map({ $0 - refreshToken > Self.tolerance }) ?? true else { return nil }
    let lifetime = refreshToken - sentAt
    return lifetime < Self.shortestIdleLifetime ? nil : lifetime - min(86_400, lifetime / 4)
  }

  /// In seconds. Also ends the renewals of a token whose expiry does not move.
  private static let shortestIdleLifetime = 600

  /// The end, if users should be warned and it has not passed.
  package func signInDue(now: Int) -> Int? {
    guard let end, now < end, warnsFrom.map({ $0 <= now }) ?? true else { return nil }
    return end
  }

  /// Updates the times from a response. One that is missing means no limit
  /// (draft-ietf-oauth-refresh-token-expiration-03).
  ///
  /// - Parameters:
  ///   - response: Nil if it could not be parsed. A new refresh token then has an unknown expiry, and the grant keeps
  ///     its own.
  ///   - now: When the request was sent, in unix seconds.
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
