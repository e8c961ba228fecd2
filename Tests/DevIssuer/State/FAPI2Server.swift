import Encoding
import JOSE

/// What the FAPI 2.0 Security Profile (final of February 2025) demands of a server beyond what the issuer does anyway.
enum FAPI2Server {
  /// Section 5.4.1, item 1.
  private static let algorithms = [JWSAlgorithm.PS256, .ES256, .EdDSA, .Ed25519].map(\.rawValue)
  private static let grantTypes = [GrantType.authorizationCode, GrantType.refreshToken, GrantType.clientCredentials]

  /// Announces that and nothing weaker.
  static func narrow(_ document: inout JSONObject) {
    for name in document.names where name.hasSuffix("_auth_methods_supported") { document[name] = ["private_key_jwt"] }
    for name in document.names where name.hasSuffix("_auth_signing_alg_values_supported") {
      document[name] = .array(algorithms.map(JSON.string))
    }
    let proofs = (document["dpop_signing_alg_values_supported"]?.array ?? []).filter {
      $0.string.map(algorithms.contains) ?? false
    }
    document["dpop_signing_alg_values_supported"] = .array(proofs)
    document["grant_types_supported"] = .array(grantTypes.map(JSON.string))
    document["device_authorization_endpoint"] = nil
  }

  /// Takes a client only if it signs with its key, for this issuer alone (section 5.3.2.1, items 3, 6 and 8; section
  /// 5.4.1, item 1).
  static func check(_ client: IssuerClient, _ form: IssuerParameters, issuer: String) throws {
    try devissuer.check(client.method == "private_key_jwt", "invalid_client", "only private_key_jwt")
    let assertion = try form["client_assertion"].map { try UnverifiedJWS(compact: Array($0.utf8).span) }
    let isAllowed = assertion.map { algorithms.contains($0.algorithm.rawValue) } ?? false
    try devissuer.check(isAllowed, "invalid_client", "alg: only PS256, ES256 and EdDSA")
    let claims = try JSON(parsing: assertion?.unverifiedPayload ?? [])
    try devissuer.check(claims["aud"] == .string(issuer), "invalid_client", "aud: only the issuer, as a string")
    let grantType = form["grant_type"] ?? GrantType.authorizationCode
    try devissuer.check(grantTypes.contains(grantType), "unsupported_grant_type", "not one of grant_types_supported")
  }
}
