import Encoding
import JOSE

extension AuthorizationServer {
  /// How long a client may keep the metadata and the keys, in seconds.
  private static let cacheSeconds = 60

  /// OpenID Connect Discovery 1.0 section 3 and RFC 8414 section 2; one document serves both.
  func metadata() -> Response {
    let (fault, algorithm, pushedRequests) = withState { (state) -> (MetadataFault?, String, Settings.PushedRequests) in
      state.count(.metadata)
      if state.settings.metadataFault != nil { state.count(.misbehaviours) }
      return (state.settings.metadataFault, state.key.algorithm.rawValue, state.settings.pushedRequests)
    }
    let confidential: JSON = ["client_secret_basic", "client_secret_post"]
    var document: JSONObject = [
      "issuer": .string(fault == .issuer ? issuer + "/" : issuer),
      "authorization_endpoint": .string(issuer + "/authorize"),
      "token_endpoint": .string(fault == .httpEndpoint ? "http://issuer.invalid/token" : issuer + "/token"),
      "device_authorization_endpoint": .string(issuer + "/device_authorization"),
      "userinfo_endpoint": .string(issuer + "/userinfo"),
      "end_session_endpoint": .string(issuer + "/end_session"),
      "jwks_uri": .string(issuer + "/jwks"),
      "revocation_endpoint": .string(issuer + "/revoke"),
      "introspection_endpoint": .string(issuer + "/introspect"),
      "scopes_supported": ["openid", "profile", "email", "offline_access"],
      "response_types_supported": ["code"],
      "response_modes_supported": ["query"],
      "grant_types_supported": .array(GrantType.all.map(JSON.string)),
      "authorization_response_iss_parameter_supported": .bool(fault != .noISSParameter),
      "request_uri_parameter_supported": false,
      "acr_values_supported": .array(BrowserSession.contexts.map(JSON.string)),
      "prompt_values_supported": .array(AuthorizationRequest.promptValues.map(JSON.string)),
      "subject_types_supported": ["public"],
      "id_token_signing_alg_values_supported": [.string(algorithm)],
      "token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
      "revocation_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
      "introspection_endpoint_auth_methods_supported": confidential,
      "claims_supported": .array(
        (IDTokenClaims.protocolNames + Self.userClaims("").names + claims.names).map(JSON.string)),
    ]
    if fault != .noS256 {
      document["code_challenge_methods_supported"] = fault == .plain ? ["plain"] : ["S256"]
    }
    if pushedRequests != .off {
      document["pushed_authorization_request_endpoint"] = .string(issuer + "/par")
      document["require_pushed_authorization_requests"] = .bool(pushedRequests == .required)
    }
    return Self.cacheable(.object(document))
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
