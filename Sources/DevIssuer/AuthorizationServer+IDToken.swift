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
    return switch settings.idTokenFault {
    case .unsigned: Self.unsigned(claims)
    case .signature: Self.withWrongSignature(try issued.key.sign(claims))
    case .kid: try Self.strangeKey(issued.key.algorithm).sign(claims)
    default: try issued.key.sign(claims)
    }
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

  /// A key that the JWK Set does not hold.
  private static func strangeKey(_ algorithm: JWSAlgorithm) throws(JOSEError) -> SigningKey {
    do {
      return try SigningKey(algorithm)
    } catch {
      throw JOSEError(.library)
    }
  }

  /// An unsecured JWT (RFC 7519 section 6).
  private static func unsigned(_ claims: JSONObject) -> String {
    let header: JSON = ["alg": "none", "typ": "JWT"]
    return Base64URL.encode(header.serialized()) + "." + Base64URL.encode(JSON.object(claims).serialized()) + "."
  }

  /// The same token with one bit of the signature changed.
  private static func withWrongSignature(_ token: String) -> String {
    let parts = token.split(separator: ".").map(String.init)
    guard parts.count == 3, var signature = try? Base64URL.decode(parts[2]), !signature.isEmpty else { return token }
    signature[signature.count / 2] ^= 1
    return parts[0] + "." + parts[1] + "." + Base64URL.encode(signature)
  }
}
