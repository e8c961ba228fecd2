import Encoding
import Crypto

extension DevelopmentIssuer {
  /// How long clients may cache the metadata and keys.
  private static let cacheSeconds = 60

  /// Adds an ID Token to a token response (OpenID Connect Core sections 2 and 3.1.3.3).
  ///
  /// - Parameter nonce: The nonce of the authorization request, only for the grant's first ID Token.
  func addIDToken(to answer: inout IssuerAnswer, _ grant: IssuerGrant, _ username: String, nonce: String?) throws {
    var claims: JSONObject = [
      "iss": .string(url), "sub": .string(grant.subject), "aud": .string(grant.clientID),
      "exp": .int(wall + settings.number("id_token_lifetime")),
      "iat": .int(wall), "auth_time": .int(grant.authTime),
      "at_hash": .string(try key.leftHalfHash(of: answer.members["access_token"]?.string ?? "")),
    ]
    claims["nonce"] = nonce.map(JSON.string)
    claims["acr"] = grant.acr.map(JSON.string)
    // An option signs with the client secret (section 3.1.3.7, step 8).
    let secret = settings.isOn("id_token_secret") ? clients[grant.clientID]?.secret.map { Array($0.utf8) } : nil
    let key = key
    let signer: IssuerAnswer.Signer =
      if let secret { { try IssuerKey.authenticate($0, $1, secret: secret) } } else { { try key.sign($0, $1) } }
    let header = secret == nil ? key.header : ["alg": "HS256", "typ": "JWT"]
    answer.members["id_token"] = .string(try signer(header, JSON.object(about(username, claims)).serialized()))
    answer.signer = signer
  }

  /// Adds the user's standard claims, then those from options.
  func about(_ username: String, _ claims: JSONObject) -> JSONObject {
    var result = claims
    for more in [User.claims(username), settings.entries("--claim")] {
      for name in more.names { result[name] = more[name] }
    }
    return result
  }

  func jwks() -> IssuerAnswer { .json(["keys": [key.jwk]], cachedFor: Self.cacheSeconds) }

  /// The metadata for OpenID Connect Discovery 1.0 section 3 and RFC 8414 section 2.
  func metadata() -> IssuerAnswer {
    let list = { (names: [String]) in JSON.array(names.map(JSON.string)) }
    var document: JSONObject = [
      "issuer": .string(url),
      "scopes_supported": list(IssuerParameters.userScopes),
      "response_types_supported": ["code"],
      "response_modes_supported": ["query"],
      "grant_types_supported": list(grantTypes),
      "request_uri_parameter_supported": false,
      "code_challenge_methods_supported": ["S256"],
      "authorization_response_iss_parameter_supported": true,
      "acr_values_supported": list(User.contexts),
      "prompt_values_supported": list(CodeRequest.promptValues),
      "subject_types_supported": ["public"],
      "id_token_signing_alg_values_supported": [.string(key.algorithm.rawValue)],
      "dpop_signing_alg_values_supported": list(
        ProofRole.authorizationServer.algorithms(settings).filter { name in
          !isStrict || assertionAlgorithms.contains { $0.rawValue == name }
        }),
      "claims_supported": list(User.protocolClaims + about("", [:]).names),
    ]
    for name in ["token", "revocation", "introspection"] {
      let methods = isStrict ? ["private_key_jwt"] : Self.clientMethods
      document[name + "_endpoint_auth_methods_supported"] = list(
        methods.filter { $0 != "none" || name != "introspection" })
      document[name + "_endpoint_auth_signing_alg_values_supported"] = list(assertionAlgorithms.map(\.rawValue))
    }
    for route in Self.routes where isOffered(route.endpoint) && !(isStrict && route.endpoint == .device) {
      if let name = route.name { document[name] = .string(url + route.paths[0]) }
    }
    if settings.text("client_documents") != "off" { document["client_id_metadata_document_supported"] = true }
    if settings.text("par") == "required" { document["require_pushed_authorization_requests"] = true }
    return .json(document, cachedFor: Self.cacheSeconds)
  }
}
