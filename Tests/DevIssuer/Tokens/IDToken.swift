import Crypto
import Encoding
import JOSE

/// The key that signs ID Tokens, made at the start and gone with the process.
final class IssuerKey: Sendable {
  let algorithm: JWSAlgorithm
  let keyID: String
  /// The public half (RFC 7517 section 4).
  let jwk: JSON
  private let key: PrivateKey

  init(_ algorithm: JWSAlgorithm) throws {
    self.algorithm = algorithm
    keyID = Base64URL.encode(try Random.bytes(12))
    key =
      switch algorithm {
      case .ES256: try .generateEC(.p256)
      case .ES384: try .generateEC(.p384)
      case .ES512: try .generateEC(.p521)
      case .EdDSA, .Ed25519: try .generateEd25519()
      case .RS256, .RS384, .RS512, .PS256, .PS384, .PS512: try .generateRSA(bits: 2048)
      }
    jwk = .object(try JWK(key.publicComponents, keyID: keyID, algorithm: algorithm).published)
  }

  var header: JSONObject { ["alg": .string(algorithm.rawValue), "typ": "JWT", "kid": .string(keyID)] }

  /// In compact form (RFC 7515 section 7.1).
  ///
  /// - Parameter algorithm: Nil for the one of the key.
  func sign(_ header: JSONObject, _ payload: [UInt8], algorithm: JWSAlgorithm? = nil) throws -> String {
    try JWSSigner.sign(header: header, payload: payload, key: key, algorithm: algorithm ?? self.algorithm)
  }

  /// HS256 (RFC 7518 section 3.2).
  static func authenticate(_ header: JSONObject, _ payload: [UInt8], secret: [UInt8]) throws -> String {
    let text = Base64URL.encode(JSON.object(header).serialized()) + "." + Base64URL.encode(payload)
    return text + "." + Base64URL.encode(try HMAC.sha256(key: secret.span, Array(text.utf8).span))
  }
}

extension DevelopmentIssuer {
  /// Claims that the issuer sets by itself and that no option may set.
  static let protocolClaims = ["iss", "sub", "aud", "exp", "iat", "auth_time", "at_hash", "nonce", "acr"]
  /// How long a client may keep the metadata and the keys, in seconds.
  private static let cacheSeconds = 60

  /// Adds the ID Token that goes with the access token of the answer (OpenID Connect Core 1.0 sections 2 and 3.1.3.3).
  ///
  /// - Parameter nonce: Of the authorization request, for the token that answers it and for no later one.
  func addIDToken(to answer: inout IssuerAnswer, _ grant: IssuerGrant, _ username: String, nonce: String?) throws {
    let accessToken = Array((answer.members["access_token"]?.string ?? "").utf8)
    var claims: JSONObject = [
      "iss": .string(url), "sub": .string(grant.subject), "aud": .string(grant.clientID), "exp": .int(wall + 3600),
      "iat": .int(wall), "auth_time": .int(grant.authTime),
      "at_hash": .string(try key.algorithm.leftHalfHash(of: accessToken.span)),
    ]
    claims["nonce"] = nonce.map(JSON.string)
    claims["acr"] = grant.acr.map(JSON.string)
    let user = userClaims(username)
    for name in user.names { claims[name] = user[name] }
    // An option has the client's secret protect it (section 3.1.3.7, step 8).
    let secret = settings.usesClientSecret ? try? client(grant.clientID).secret.map { Array($0.utf8) } : nil
    let key = key
    let signer: IssuerAnswer.Signer =
      if let secret { { try IssuerKey.authenticate($0, $1, secret: secret) } } else { { try key.sign($0, $1) } }
    let header = secret == nil ? key.header : ["alg": "HS256", "typ": "JWT"]
    answer.members["id_token"] = .string(try signer(header, JSON.object(claims).serialized()))
    answer.signer = signer
  }

  /// About the user: the standard claims (OpenID Connect Core 1.0 section 5.1), then the ones that options set.
  func userClaims(_ username: String) -> JSONObject {
    let name = username.prefix(1).uppercased() + username.dropFirst()
    var result: JSONObject = [
      "name": .string(name + " Example"), "preferred_username": .string(username),
      "email": .string(username.contains("@") ? username : username + "@example.com"), "email_verified": true,
    ]
    for claim in settings.claims { result[claim.name] = claim.value }
    return result
  }

  /// The JWK Set (RFC 7517 section 5).
  mutating func jwks() -> IssuerAnswer {
    count(.jwks)
    return .json(["keys": [key.jwk]], cachedFor: Self.cacheSeconds)
  }

  /// OpenID Connect Discovery 1.0 section 3 and RFC 8414 section 2; one document serves both.
  mutating func metadata() -> IssuerAnswer {
    count(.metadata)
    let list = { (names: [String]) in JSON.array(names.map(JSON.string)) }
    let signing = list(Self.assertionAlgorithms.map(\.rawValue))
    var document: JSONObject = [
      "issuer": .string(url),
      "scopes_supported": ["openid", "profile", "email", "offline_access"],
      "response_types_supported": ["code"],
      "response_modes_supported": ["query"],
      "grant_types_supported": list(GrantType.all),
      "request_uri_parameter_supported": false,
      "code_challenge_methods_supported": ["S256"],
      "authorization_response_iss_parameter_supported": true,
      "acr_values_supported": list(BrowserSession.contexts),
      "prompt_values_supported": list(CodeRequest.promptValues),
      "subject_types_supported": ["public"],
      "id_token_signing_alg_values_supported": [.string(key.algorithm.rawValue)],
      "dpop_signing_alg_values_supported": list(Self.proofAlgorithms),
      "claims_supported": list(Self.protocolClaims + userClaims("").names),
    ]
    for (name, methods) in [
      ("token", Self.clientMethods), ("revocation", Self.clientMethods),
      ("introspection", Self.clientMethods.filter { $0 != "none" }),
    ] {
      document[name + "_endpoint_auth_methods_supported"] = list(methods)
      document[name + "_endpoint_auth_signing_alg_values_supported"] = signing
    }
    for (name, path) in [
      ("authorization_endpoint", "/authorize"), ("token_endpoint", "/token"), ("userinfo_endpoint", "/userinfo"),
      ("device_authorization_endpoint", "/device_authorization"), ("end_session_endpoint", "/end_session"),
      ("jwks_uri", "/jwks"), ("revocation_endpoint", "/revoke"), ("introspection_endpoint", "/introspect"),
    ] { document[name] = .string(url + path) }
    if settings.pushedRequests != .off { document["pushed_authorization_request_endpoint"] = .string(url + "/par") }
    if settings.pushedRequests == .required { document["require_pushed_authorization_requests"] = true }
    if settings.opensRegistration { document["registration_endpoint"] = .string(url + "/register") }
    return .json(document, cachedFor: Self.cacheSeconds)
  }
}
