import Crypto
import Encoding
import JOSE

/// A client that the issuer knows, from its start or because it registered itself (RFC 6749 section 2, RFC 7591).
struct IssuerClient: Sendable {
  static let publicID = "agent-cli"
  static let confidentialID = "agent-confidential"
  /// The one whose keys an option names.
  static let keyID = "agent-jwt"

  let id: String
  /// Shown to the user.
  var name: String
  /// The `token_endpoint_auth_method` (RFC 7591 section 2); those with a secret may send it either way.
  var method = "none"
  var secret: String?
  /// Public keys, for `private_key_jwt`.
  var keys = JWKSet([])
  /// Where answers for this client may go; one of them must allow it.
  var redirects: [RedirectRule] = []
  /// What it may use at the token endpoint.
  var grantTypes = GrantType.all
  /// All its token requests must have a proof of possession (RFC 9449 section 5.2).
  var bindsTokensToKey = false
  /// Of a client that registered itself: for its management and nothing else (RFC 7592 section 1.2).
  var managementToken: String?
  /// Unix seconds.
  var registeredAt = 0
  /// What it said of itself, as it gets it back (RFC 7591 section 3.2.1).
  var members = JSONObject()

  static func known(_ settings: IssuerSettings, secret: String) -> [IssuerClient] {
    let redirects =
      settings.exactRedirectURIs.isEmpty
      ? [RedirectRule.loopback(pathPrefix: settings.redirectPath)] : settings.exactRedirectURIs.map(RedirectRule.exact)
    let signing = settings.clientKeys.map {
      IssuerClient(id: keyID, name: "Agent (with a key)", method: "private_key_jwt", keys: $0, redirects: redirects)
    }
    return [
      IssuerClient(id: publicID, name: "Agent", redirects: redirects),
      IssuerClient(
        id: confidentialID, name: "Agent (confidential)", method: "client_secret_basic", secret: secret,
        redirects: redirects),
    ] + [signing].compactMap(\.self)
  }

  /// False for a public client (RFC 6749 section 2.1).
  var isConfidential: Bool { method != "none" }

  func requireGrantType(_ grantType: String) throws {
    try check(grantTypes.contains(grantType), "unauthorized_client", "the client is not registered for this grant type")
  }

  /// The redirect URI when it is one of the client's own (RFC 6749 section 3.1.2).
  func redirect(_ text: String, _ name: String) throws -> URI {
    guard let uri = try? URI(text), uri.fragment == nil, redirects.contains(where: { $0.allows(uri) }) else {
      throw Refusal("invalid_request", "\(name) is malformed, or not registered for this client")
    }
    return uri
  }
}

/// The values of `grant_type` that are known here.
enum GrantType {
  static let authorizationCode = "authorization_code"
  /// RFC 8628 section 3.4.
  static let deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
  static let refreshToken = "refresh_token"
  static let clientCredentials = "client_credentials"
  /// RFC 8693 section 2.1.
  static let tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
  static let all = [authorizationCode, deviceCode, refreshToken, clientCredentials, tokenExchange]
}

/// Which redirect URIs are a client's own.
enum RedirectRule: Sendable {
  /// This one, byte for byte (RFC 6749 section 3.1.2.3).
  case exact(String)
  /// Any port of 127.0.0.1 and of [::1], with this path or one below it (RFC 8252 section 7.3).
  case loopback(pathPrefix: String)
  /// As registered but for the port (RFC 8252 section 7.3).
  case anyPort(of: URI)

  func allows(_ uri: URI) -> Bool {
    switch self {
    case .exact(let text): uri.text.utf8.elementsEqual(text.utf8)
    case .loopback(let prefix):
      uri.isHTTPLoopback
        && ((uri.path.isEmpty ? "/" : uri.path) == prefix
          || uri.path.hasPrefix(prefix.hasSuffix("/") ? prefix : prefix + "/"))
    case .anyPort(let registered):
      uri.isHTTPLoopback && uri.host == registered.host && uri.path == registered.path && uri.query == registered.query
    }
  }
}

/// Which client sent a request (RFC 6749 section 2.3).
extension DevelopmentIssuer {
  static let assertionAlgorithms = [JWSAlgorithm.ES256, .RS256, .PS256, .EdDSA, .Ed25519]
  private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

  /// The client of that identifier, without any proof that it sent something.
  func client(_ id: String) throws -> IssuerClient {
    return try check(knownClient(id), "invalid_request", "unknown client")
  }

  private func knownClient(_ id: String) -> IssuerClient? { clients.first { $0.id == id } ?? registrations[id] }

  /// - Throws: `invalid_client` when the client is unknown or did not prove itself, `invalid_request` when it used two
  ///   methods or two names at once.
  mutating func authenticate(_ request: IssuerRequest, _ form: IssuerParameters) throws -> IssuerClient {
    let hasHeader = !request.values(of: "authorization").isEmpty
    let used = [hasHeader, form["client_secret"] != nil, form["client_assertion"] != nil].count { $0 }
    try check(used <= 1, "invalid_request", "two client authentication methods")
    let basic = hasHeader ? try Self.basic(request) : nil
    let assertion = try form["client_assertion"].map { text in
      try check(form["client_assertion_type"] == Self.assertionType, "invalid_request", "unknown client_assertion_type")
      return try Self.assertion(text)
    }
    guard let id = form["client_id"] ?? basic?.id ?? assertion?.clientID,
      form["client_secret"] == nil || form["client_id"] != nil
    else { throw Refusal("invalid_client", "client_id is missing") }
    try check(id == basic?.id ?? assertion?.clientID ?? id, "invalid_request", "two client identifiers")
    let client = try check(knownClient(id), "invalid_client", "unknown client")
    let secret = form["client_secret"] ?? basic?.secret
    switch (client.method, secret, assertion) {
    case ("none", nil, nil): return client
    case ("private_key_jwt", nil, let assertion?):
      try use(assertion.token, of: client, request)
      return client
    case (_, let found?, nil)
    where client.secret.map { isSame($0, found) } == true:
      return client
    default: throw Refusal("invalid_client", "client authentication failed")
    }
  }

  /// RFC 6749 section 2.3.1: identifier and secret are form-encoded, then joined as RFC 7617 has it. No secret is none.
  private static func basic(_ request: IssuerRequest) throws -> (id: String, secret: String?) {
    let parts = (request["authorization"] ?? "").split(separator: " ", maxSplits: 1).map(String.init)
    guard parts.count == 2, parts[0].lowercased() == "basic", let bytes = try? Base64.decode(parts[1]),
      let colon = bytes.firstIndex(of: UInt8(ascii: ":")), let id = formDecoded(bytes[..<colon]),
      let secret = formDecoded(bytes[(colon + 1)...])
    else { throw Refusal("invalid_client", "malformed Authorization header") }
    return (id, secret.isEmpty ? nil : secret)
  }

  private static func formDecoded(_ bytes: ArraySlice<UInt8>) -> String? {
    var decoded: [UInt8] = []
    let isWhole = Form.decode(Array(bytes).span, to: &decoded)
    return isWhole && decoded.allSatisfy(ASCII.isPrintable) ? String(decoding: decoded, as: UTF8.self) : nil
  }

  /// A JWT by which a client shows that it has its private key; nothing is verified yet (RFC 7523 section 2.2).
  private static func assertion(_ text: String) throws -> (clientID: String, token: UnverifiedJWS) {
    guard let token = try? UnverifiedJWS(compact: Array(text.utf8).span),
      let subject = try? JWTClaims(payload: token.unverifiedPayload).subject
    else { throw Refusal("invalid_client", "client_assertion is malformed") }
    return (subject, token)
  }

  /// Checks the signature and the claims (RFC 7523 section 3). The issuer, its token endpoint and the endpoint that was
  /// called are all names of this server (section 3, item 3; RFC 9126 section 2).
  private mutating func use(_ token: UnverifiedJWS, of client: IssuerClient, _ request: IssuerRequest) throws {
    let jti = try? verified(token, of: client, [url, url + "/token", url + request.path])
    let use = "\(client.id) \(try check(jti, "invalid_client", "client_assertion is not good"))"
    // Section 3, item 7: good once.
    try check(assertions[use] == nil, "invalid_client", "client_assertion was used before")
    assertions[use] = true
    count(.clientAssertions)
  }

  /// - Returns: The `jti`; nil when a claim is not as it must be.
  private func verified(_ token: UnverifiedJWS, of client: IssuerClient, _ audiences: [String]) throws -> String? {
    let types = AllowedTypes.optional(["JWT", "client-authentication+jwt"])
    let jws = try token.verified(by: client.keys, algorithms: Set(Self.assertionAlgorithms), allowedTypes: types)
    let claims = try JWTClaims(payload: jws.payload)
    // The client's clock may be a minute ahead, and the token lives for an hour at most.
    guard try claims.issuer == client.id, try claims.subject == client.id,
      try claims.audience?.contains(where: audiences.contains) == true, let expiresAt = try claims.expiresAt,
      expiresAt > wall, expiresAt <= wall + 3600, try claims.issuedAt ?? wall <= wall + 60,
      try claims.notBefore ?? wall <= wall + 60, let jti = try claims.string("jti"), !jti.isEmpty
    else { return nil }
    return jti
  }
}
