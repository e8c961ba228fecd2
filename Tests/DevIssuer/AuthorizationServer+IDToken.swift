import Encoding
import JOSE

extension AuthorizationServer {
  /// The ID Token for a new access token; nil when the grant is not an OpenID one or none is wanted.
  func idToken(for issued: IssuedTokens) throws(JOSEError) -> String? {
    let settings = issued.settings
    guard let username = issued.grant.username, issued.issuedTokenType == nil, settings.issuesIDTokens,
      issued.scope.contains("openid"), settings.idTokenFault != .missing
    else {
      return nil
    }
    let claims = try IDTokenClaims(
      issuer: issuer, grant: issued.grant, accessToken: issued.accessToken, nonce: issued.nonce,
      issuedAt: issued.issuedAt, userClaims: userClaims(username)
    ).object(for: issued.key.algorithm, fault: settings.idTokenFault)
    if settings.usesClientSecret, let token = try secretIDToken(claims, for: issued.grant) { return token }
    return try token(claims, by: issued.key, settings.idTokenFault)
  }

  /// About the user: the standard claims, then the ones that options set.
  func userClaims(_ username: String) -> JSONObject {
    var result = Self.userClaims(username)
    for name in claims.names { result[name] = claims[name] }
    return result
  }

  /// OpenID Connect Core 1.0 section 5.1.
  static func userClaims(_ username: String) -> JSONObject {
    let name = username.prefix(1).uppercased() + username.dropFirst()
    return [
      "name": .string(name + " Example"),
      "preferred_username": .string(username),
      "email": .string(username.contains("@") ? username : username + "@example.com"),
      "email_verified": true,
    ]
  }
}
