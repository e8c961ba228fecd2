import Encoding
import JOSE

extension AuthorizationServer {
  /// How long a client may keep the metadata and the keys, in seconds.
  private static let cacheSeconds = 60

  /// OpenID Connect Discovery 1.0 section 3 and RFC 8414 section 2; one document serves both.
  ///
  /// There is no authorization endpoint, so there are no response types, and an empty list is left
  /// out (RFC 8414 section 3.2).
  func metadata() -> Response {
    let (fault, algorithm) = withState { (state) -> (MetadataFault?, String) in
      state.count(.metadata)
      if state.settings.metadataFault != nil { state.count(.misbehaviours) }
      return (state.settings.metadataFault, state.key.algorithm.rawValue)
    }
    let confidential: JSON = ["client_secret_basic", "client_secret_post"]
    let document: JSON = [
      "issuer": .string(fault == .issuer ? issuer + "/" : issuer),
      "token_endpoint": .string(fault == .httpEndpoint ? "http://issuer.invalid/token" : issuer + "/token"),
      "device_authorization_endpoint": .string(issuer + "/device_authorization"),
      "userinfo_endpoint": .string(issuer + "/userinfo"),
      "jwks_uri": .string(issuer + "/jwks"),
      "revocation_endpoint": .string(issuer + "/revoke"),
      "introspection_endpoint": .string(issuer + "/introspect"),
      "scopes_supported": ["openid", "profile", "email", "offline_access"],
      "grant_types_supported": [.string(GrantType.deviceCode), .string(GrantType.refreshToken)],
      "subject_types_supported": ["public"],
      "id_token_signing_alg_values_supported": [.string(algorithm)],
      "token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
      "revocation_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
      "introspection_endpoint_auth_methods_supported": confidential,
      "dpop_signing_alg_values_supported": .array(DPoPProof.algorithms.map { .string($0.rawValue) }),
      "claims_supported": .array(
        (IDTokenClaims.protocolNames + Self.userClaims("").names + claims.names).map(JSON.string)),
    ]
    return Self.cacheable(document)
  }

  /// The JWK Set (RFC 7517 section 5).
  func jwks() -> Response {
    let key = withState { (state) -> SigningKey in
      state.count(.jwks)
      return state.key
    }
    return Self.cacheable(["keys": [key.jwk]])
  }

  private static func cacheable(_ document: JSON) -> Response {
    Response(
      status: 200,
      headers: [("Content-Type", "application/json"), ("Cache-Control", "max-age=\(cacheSeconds)")],
      body: document.serialized())
  }
}
