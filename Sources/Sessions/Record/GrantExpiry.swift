internal import Encoding
internal import OAuth

/// When a session ends unless a person signs in again, as far as the server says it. It is for people alone: no session is
/// given up because of it.
package struct GrantExpiry: Sendable, Hashable {
  /// The end of the refresh token, in unix seconds.
  package private(set) var refreshToken: Int?
  /// The end of the whole grant, which no refresh moves, in unix seconds.
  package private(set) var authorization: Int?
  /// From when on people are told, in unix seconds.
  private var warnsFrom: Int?

  /// People are told so many seconds before.
  private static let lead = 3 * 86_400
  /// Ends that are no further apart are the same one, told in seconds from two moments.
  package static let tolerance = 60

  package init() {}

  /// The first of the ends, in unix seconds; nil when none is known.
  package var end: Int? { [refreshToken, authorization].compactMap { $0 }.min() }

  /// The end, if it is near enough to tell people, and not over.
  package func signInDue(now: Int) -> Int? {
    guard let end, now < end, warnsFrom.map({ $0 <= now }) ?? true else { return nil }
    return end
  }

  /// Adopts the ends that an answer names. One that it does not name has no bound
  /// (draft-ietf-oauth-refresh-token-expiration-03).
  ///
  /// - Parameters:
  ///   - response: Nil when it could not be read. Then a new refresh token has an unknown end, and the grant keeps its own.
  ///   - now: When the request was sent, in unix seconds.
  mutating func update(_ response: TokenResponse?, isNewToken: Bool, now: Int) {
    let before = end
    if response != nil || isNewToken { refreshToken = response?.refreshTokenExpiresIn.map { now + $0 } }
    if let response { authorization = response.authorizationExpiresIn.map { now + $0 } }
    guard let end else { return warnsFrom = nil }
    if let before, abs(before - end) <= Self.tolerance { return }
    // An end that each refresh moves on is near only when the refreshes fail.
    let moves = before.map { $0 < end } ?? false
    warnsFrom = end - (moves ? min(Self.lead, (end - now) / 4) : Self.lead)
  }

  init(json: JSON?) {
    refreshToken = json?["refresh_token"]?.int
    authorization = json?["authorization"]?.int
    warnsFrom = json?["told_from"]?.int
  }

  /// Nil when nothing is known.
  var json: JSON? {
    guard end != nil else { return nil }
    var object = JSONObject()
    object["refresh_token"] = refreshToken.map { .int($0) }
    object["authorization"] = authorization.map { .int($0) }
    object["told_from"] = warnsFrom.map { .int($0) }
    return .object(object)
  }
}
