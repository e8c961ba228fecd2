import Encoding
import JOSE

/// The clients, and which of them sent a request (RFC 6749 section 2.3).
struct ClientStore: Sendable {
  static let assertionAlgorithms = [JWSAlgorithm.ES256, .RS256, .PS256, .EdDSA, .Ed25519]
  private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

  private let known: [IssuerClient]
  var registered = BoundedTable<IssuerClient>(capacity: 1000)
  /// Those that publish what they are, by their URLs.
  var published = BoundedTable<IssuerClient>(capacity: 1000)
  /// Client assertions that came before.
  private var assertions = BoundedTable<Bool>(capacity: 10_000)

  /// - Parameters:
  ///   - redirects: Of the clients that are known from the start.
  ///   - keys: A JWK Set; nil when no client signs.
  init(_ redirects: [RedirectRule], secret: String, keys: JSON?) {
    let rows: [(String, String, String, String?)] = [
      (IssuerClient.publicID, "Agent", "none", nil),
      (IssuerClient.confidentialID, "Agent (confidential)", "client_secret_basic", secret),
      (IssuerClient.workloadID, "Agent (a workload)", "platform_jwt", nil),
      (IssuerClient.keyID, "Agent (with a key)", "private_key_jwt", nil),
    ]
    known = rows.prefix(keys == nil ? 3 : 4).map { id, name, method, secret in
      var members: JSONObject = ["client_name": .string(name), "token_endpoint_auth_method": .string(method)]
      members["grant_types"] = .array(GrantType.all.map(JSON.string))
      members["jwks"] = keys
      members["client_secret"] = secret.map(JSON.string)
      return IssuerClient(id: id, members: members, redirects: redirects)
    }
  }

  subscript(id: String) -> IssuerClient? { known.first { $0.id == id } ?? registered[id] ?? published[id] }

  /// The client of that identifier, without any proof that it sent something.
  func named(_ id: String) throws -> IssuerClient { try check(self[id], "invalid_request", "unknown client") }

  /// - Parameters:
  ///   - url: Of the issuer.
  ///   - wall: Unix seconds.
  /// - Throws: `invalid_client` when the client is unknown or did not prove itself, `invalid_request` when it used two
  ///   methods or two names at once.
  mutating func authenticate(
    _ request: IssuerRequest, _ form: IssuerParameters, _ url: String, at wall: Int
  ) throws -> IssuerClient {
    let header = request.values(of: "authorization").first
    let used = [header, form["client_secret"], form["client_assertion"]].count { $0 != nil }
    try check(used <= 1, "invalid_request", "two client authentication methods")
    let basic = try header.map { _ in try Self.basic(request) }
    let assertion = try Self.assertion(form)
    let id = form["client_id"] ?? basic?.id ?? assertion?.clientID
    try check(id == basic?.id ?? assertion?.clientID ?? id, "invalid_request", "two client identifiers")
    let client = try check(
      id.flatMap { self[$0] }, "invalid_client", id == nil ? "client_id is missing" : "unknown client")
    switch (client.method, form["client_secret"] ?? basic?.secret, assertion) {
    case ("none", nil, nil): break
    case ("private_key_jwt", nil, let assertion?):
      // The issuer, its token endpoint and the endpoint that was called are all names of this server (RFC 7523 section 3,
      // item 3; RFC 9126 section 2).
      let names = [url, url + "/token", url + request.path]
      let jti = try? Self.verified(assertion.token, of: client, names, at: wall)
      let use = "\(client.id) \(try check(jti, "invalid_client", "client_assertion is not good"))"
      // Item 7: good once.
      try check(assertions[use] == nil, "invalid_client", "client_assertion was used before")
      assertions[use] = true
    case (_, let found?, nil) where client.secret.map { Seal.isSame($0, found) } == true: break
    default: throw Refusal("invalid_client", "client authentication failed")
    }
    return client
  }

  /// RFC 6749 section 2.3.1: identifier and secret are form-encoded, then joined as RFC 7617 has it. No secret is none.
  private static func basic(_ request: IssuerRequest) throws -> (id: String, secret: String?) {
    guard case let (scheme, text?)? = request["authorization"].map({ ASCII.halves($0, at: " ") }),
      scheme.lowercased() == "basic", let bytes = try? Base64.decode(text),
      case let (id, secret?) = ASCII.halves(String(decoding: bytes, as: UTF8.self), at: ":"),
      let fields = try? Form.parse("id=\(id)&secret=\(secret)"), fields.count == 2,
      fields.allSatisfy({ $0.value.utf8.allSatisfy(ASCII.isPrintable) })
    else { throw Refusal("invalid_client", "malformed Authorization header") }
    return (fields[0].value, secret.isEmpty ? nil : fields[1].value)
  }

  /// A JWT by which a client shows that it has its private key; nothing is verified yet (RFC 7523 section 2.2).
  private static func assertion(_ form: IssuerParameters) throws -> (clientID: String, token: UnverifiedJWS)? {
    guard let text = form["client_assertion"] else { return nil }
    try check(form["client_assertion_type"] == assertionType, "invalid_request", "unknown client_assertion_type")
    guard let token = try? UnverifiedJWS(compact: Array(text.utf8).span),
      let subject = try? JWTClaims(payload: token.unverifiedPayload).subject
    else { throw Refusal("invalid_client", "client_assertion is malformed") }
    return (subject, token)
  }

  /// Checks the signature and the claims (RFC 7523 section 3).
  ///
  /// - Returns: The `jti`; nil when a claim is not as it must be.
  private static func verified(
    _ token: UnverifiedJWS, of client: IssuerClient, _ audiences: [String], at wall: Int
  ) throws -> String? {
    let types = AllowedTypes.optional(["JWT", "client-authentication+jwt"])
    let jws = try token.verified(by: client.keys, algorithms: Set(assertionAlgorithms), allowedTypes: types)
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
