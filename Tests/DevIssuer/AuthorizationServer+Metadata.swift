import Encoding
import JOSE

extension AuthorizationServer {
  /// How long a client may keep the metadata and the keys, in seconds.
  private static let cacheSeconds = 60

  /// OpenID Connect Discovery 1.0 section 3 and RFC 8414 section 2; one document serves both.
  func metadata() -> Response {
    let (settings, algorithm) = withState { (state) -> (Settings, String) in
      state.count(.metadata)
      if state.settings.metadataFault != nil { state.count(.misbehaviours) }
      return (state.settings, state.key.algorithm.rawValue)
    }
    let fault = settings.metadataFault
    var document = abilities
    document["issuer"] = .string(fault == .issuer ? issuer + "/" : issuer)
    for (name, path) in Self.endpoints(settings) { document[name] = .string(issuer + path) }
    if fault == .httpEndpoint { document["token_endpoint"] = "http://issuer.invalid/token" }
    document["id_token_signing_alg_values_supported"] = [.string(algorithm)]
    document["authorization_response_iss_parameter_supported"] = .bool(fault != .noISSParameter)
    if fault != .noS256 { document["code_challenge_methods_supported"] = fault == .plain ? ["plain"] : ["S256"] }
    if settings.pushedRequests == .required { document["require_pushed_authorization_requests"] = true }
    return Self.cacheable(.object(document))
  }

  private static func endpoints(_ settings: Settings) -> [(name: String, path: String)] {
    var result = [
      (name: "authorization_endpoint", path: "/authorize"), (name: "token_endpoint", path: "/token"),
      (name: "device_authorization_endpoint", path: "/device_authorization"),
      (name: "userinfo_endpoint", path: "/userinfo"), (name: "end_session_endpoint", path: "/end_session"),
      (name: "jwks_uri", path: "/jwks"), (name: "revocation_endpoint", path: "/revoke"),
      (name: "introspection_endpoint", path: "/introspect"),
    ]
    if settings.pushedRequests != .off {
      result.append((name: "pushed_authorization_request_endpoint", path: "/par"))
    }
    if settings.opensRegistration { result.append((name: "registration_endpoint", path: "/register")) }
    return result
  }

  /// What no setting changes.
  private var abilities: JSONObject {
    let confidential: JSON = ["client_secret_basic", "client_secret_post", "private_key_jwt"]
    let all = JSON.array(ClientMetadata.methods.map(JSON.string))
    let algorithms = JSON.array(ClientAssertion.algorithms.map { .string($0.rawValue) })
    return [
      "scopes_supported": ["openid", "profile", "email", "offline_access"],
      "response_types_supported": ["code"],
      "response_modes_supported": ["query"],
      "grant_types_supported": .array(GrantType.all.map(JSON.string)),
      "request_uri_parameter_supported": false,
      "acr_values_supported": .array(BrowserSession.contexts.map(JSON.string)),
      "prompt_values_supported": .array(AuthorizationRequest.promptValues.map(JSON.string)),
      "subject_types_supported": ["public"],
      "token_endpoint_auth_methods_supported": all,
      "revocation_endpoint_auth_methods_supported": all,
      "introspection_endpoint_auth_methods_supported": confidential,
      "token_endpoint_auth_signing_alg_values_supported": algorithms,
      "revocation_endpoint_auth_signing_alg_values_supported": algorithms,
      "introspection_endpoint_auth_signing_alg_values_supported": algorithms,
      "dpop_signing_alg_values_supported": .array(DPoPProof.algorithms.map { .string($0.rawValue) }),
      "claims_supported": .array(
        (IDTokenClaims.protocolNames + Self.userClaims("").names + claims.names).map(JSON.string)),
    ]
  }

  /// A public document.
  static func cacheable(_ document: JSON) -> Response {
    Response(
      status: 200,
      headers: [("Content-Type", "application/json"), ("Cache-Control", "max-age=\(cacheSeconds)")],
      body: document.serialized())
  }
}
