import Crypto
import Encoding
import JOSE

/// JWTs that stand for a workload or a user at another server (RFC 7523): what the issuer hands out, and what it takes.
struct IssuerAssertion: Sendable {
  static let tokenType = "urn:ietf:params:oauth:token-type:id-jag"
  static let idTokenType = "urn:ietf:params:oauth:token-type:id_token"
  /// The `typ` of one for a user (draft-ietf-oauth-identity-assertion-authz-grant-04).
  private static let userType = "oauth-id-jag+jwt"

  /// The subject of each job.
  static let jobSubject = "repo:example/project:ref:refs/heads/main"

  let issuer: String
  /// Unix seconds.
  let wall: Int

  /// Signs an assertion as the settings want it.
  ///
  /// - Parameter client: Of one for a user; nil for a job.
  func make(
    _ subject: String, for audience: String, client: String? = nil, scope: String? = nil,
    _ settings: IssuerSettings, _ key: IssuerKey
  ) throws -> String {
    var claims: JSONObject = [
      "iss": .string(issuer), "sub": .string(subject),
      "aud": .string(settings.text("assertion_audience") ?? audience),
      "jti": .string(try Seal.opaque()), "iat": .int(wall),
      "exp": .int(wall + settings.number("assertion_lifetime")),
    ]
    claims["scope"] = scope.map(JSON.string)
    claims["client_id"] = client.map { .string(settings.text("assertion_client") ?? $0) }
    if let missing = settings.text("assertion_without") { claims[missing] = nil }
    var header = key.header
    if client != nil { header["typ"] = .string(Self.userType) }
    return try key.sign(header, JSON.object(claims).serialized())
  }

  /// The subject of an ID Token of this issuer for a client.
  func subject(ofIDToken text: String, _ client: String, _ key: IssuerKey) throws -> String {
    let keys = try JWKSet(parsing: key.published.serialized())
    let jws = try? UnverifiedJWS(compact: Array(text.utf8).span).verified(by: keys, algorithms: [key.algorithm])
    let token = try check(jws, "invalid_request", "the subject_token is no ID Token of this issuer")
    let claims = try JWTClaims(payload: token.payload)
    let isOfClient = try claims.audience?.contains(client) ?? false
    try check(isOfClient, "invalid_request", "the subject_token is for another client")
    try check(try claims.expiresAt ?? 0 > wall, "invalid_request", "the subject_token has expired")
    return try check(try claims.subject, "invalid_request", "the subject_token has no subject")
  }

  /// The subject of an assertion of a platform, by the rules of RFC 7523 section 3; what breaks one is named, as the
  /// error `code`.
  ///
  /// - Parameter client: The one that sent it, which one for a user must name.
  func verifiedSubject(
    of assertion: String, by keys: JWKSet, of platform: String?, from client: String?, or code: String
  ) throws -> String {
    let jws = try? UnverifiedJWS(compact: Array(assertion.utf8).span).verified(
      by: keys, algorithms: Set(ClientStore.assertionAlgorithms), allowedTypes: .optional(["JWT", Self.userType]))
    let token = try check(jws, code, "the assertion is not signed by the platform")
    guard let claims = try? JWTClaims(payload: token.payload) else {
      throw Refusal(code, "the assertion has no claims")
    }
    try check((try? claims.issuer) == platform, code, "iss: another issuer than the platform")
    let isForThis = (try? claims.audience)?.contains { [issuer, issuer + "/token"].contains($0) } ?? false
    try check(isForThis, code, "aud: the assertion is for another server")
    let end = try check(try? claims.expiresAt, code, "exp is missing")
    try check(end > wall, code, "exp: the assertion has expired")
    try check(((try? claims.notBefore) ?? wall) <= wall, code, "nbf: the assertion is not valid yet")
    if token.header["typ"]?.string == Self.userType {
      try check((try? claims.string("client_id")) == client, code, "client_id: the assertion is for another client")
    }
    return try check(try? claims.subject, code, "sub is missing")
  }
}
