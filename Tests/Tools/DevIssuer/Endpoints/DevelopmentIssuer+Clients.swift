import Crypto
import Encoding

/// Authenticates clients (RFC 6749 section 2.3), and accepts and issues assertions for clients, workloads and users
/// (RFC 7523).
extension DevelopmentIssuer {
  static let assertionAlgorithms = [JWSAlgorithm.ES256, .RS256, .PS256, .EdDSA, .Ed25519]
  /// draft-ietf-oauth-identity-assertion-authz-grant-04.
  private static let userType = "oauth-id-jag+jwt"

  /// The algorithms of the FAPI 2.0 Security Profile (final, February 2025, section 5.4.1, item 1).
  private static let profileAlgorithms = [JWSAlgorithm.PS256, .ES256, .EdDSA, .Ed25519]

  /// Whether the server enforces the FAPI 2.0 Security Profile.
  var isStrict: Bool { settings.isOn("fapi2") }
  var assertionAlgorithms: [JWSAlgorithm] { isStrict ? Self.profileAlgorithms : Self.assertionAlgorithms }
  var grantTypes: [String] { isStrict ? GrantType.profile : GrantType.all }

  /// The form of a request and its authenticated client.
  ///
  /// - Throws: `invalid_client` for an unknown or unauthenticated client, `invalid_request` for two methods or client
  ///   IDs.
  mutating func authenticated(_ request: IssuerRequest) throws -> (IssuerParameters, IssuerClient) {
    let form = try request.form()
    let (header, assertion) = (request.values(of: "authorization").first, form["client_assertion"])
    let used = [header, form["client_secret"], assertion].count { $0 != nil }
    try check(used <= 1, "invalid_request", "two client authentication methods")
    let isKnown = form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    try check(isKnown || assertion == nil, "invalid_request", "unknown client_assertion_type")
    let basic = try header.map { _ in try Self.basic(request) }
    // The subject of a workload's assertion is the workload, not the client.
    let subject = try form["client_id"] == IssuerClient.workloadID ? nil : assertion.map(Self.subject)
    let id = form["client_id"] ?? basic?.id ?? subject
    try check(id == basic?.id ?? subject ?? id, "invalid_request", "two client identifiers")
    let reason = id == nil ? "client_id is missing" : "unknown client"
    let client = try check(id.flatMap { clients[$0] }, "invalid_client", reason)
    // Section 5.3.2.1, item 6, of the profile.
    let isAllowed = client.method == "private_key_jwt" || !isStrict
    try check(isAllowed, "invalid_client", "only private_key_jwt")
    switch (client.method, form["client_secret"] ?? basic?.secret, assertion) {
    case ("none", nil, nil): break
    case ("platform_jwt", nil, let assertion?): _ = try verifiedSubject(of: assertion, or: "invalid_client")
    case ("private_key_jwt", nil, let assertion?): try verify(assertion, of: client, at: request.path)
    case (_, let found?, nil) where client.secret.map { Seal.isSame($0, found) } == true: break
    default: throw Refusal("invalid_client", "client authentication failed")
    }
    if assertion != nil { count(.clientAssertions) }
    return (form, client)
  }

  /// The form-encoded client ID and secret of HTTP Basic (RFC 6749 section 2.3.1, RFC 7617). The secret is nil if
  /// empty.
  private static func basic(_ request: IssuerRequest) throws -> (id: String, secret: String?) {
    guard case let (scheme, text?)? = request["authorization"].map({ ASCII.halves($0, at: " ") }),
      scheme.lowercased() == "basic", let bytes = try? Base64.decode(text),
      case let (id, secret?) = ASCII.halves(String(decoding: bytes, as: UTF8.self), at: ":"),
      let fields = try? Form.parse("id=\(id)&secret=\(secret)"), fields.count == 2,
      fields.allSatisfy({ $0.value.utf8.allSatisfy(ASCII.isPrintable) })
    else { throw Refusal("invalid_client", "malformed Authorization header") }
    return (fields[0].value, secret.isEmpty ? nil : fields[1].value)
  }

  /// The unverified subject of a JWT (RFC 7523 section 2.2).
  private static func subject(of assertion: String) throws -> String {
    let subject = try? JWTClaims(ofSigned: Array(assertion.utf8).span).subject
    return try check(subject, "invalid_client", "client_assertion is malformed")
  }

  /// Verifies a client assertion (RFC 7523 section 3) and marks it as used.
  private mutating func verify(_ assertion: String, of client: IssuerClient, at path: String) throws {
    // The issuer, the token endpoint and the called endpoint (item 3; RFC 9126 section 2); in the profile only the
    // issuer, as a string (section 5.3.2.1, item 8).
    let names = isStrict ? [url] : [url, url + "/token", url + path]
    // The client's clock may be a minute ahead. An assertion is valid for at most an hour.
    guard
      let claims = try? Self.claims(
        of: assertion, by: client.keys, assertionAlgorithms, types: ["JWT", "client-authentication+jwt"]
      ).claims, (try? claims.issuer) == client.id, (try? claims.subject) == client.id,
      (try? claims.audience)?.contains(where: names.contains) == true, !isStrict || claims["aud"]?.string != nil,
      let expiresAt = try? claims.expiresAt, expiresAt > wall, expiresAt <= wall + 3600,
      let issuedAt = try? claims.issuedAt ?? wall, let notBefore = try? claims.notBefore ?? wall,
      max(issuedAt, notBefore) <= wall + 60, let jti = try? claims.string("jti"), !jti.isEmpty
    else { throw Refusal("invalid_client", "client_assertion is not good") }
    // Each assertion is valid once (item 7).
    try check(used.use("assertion \(client.id) \(jti)"), "invalid_client", "client_assertion was used before")
  }

  private static func claims(
    of text: String, by keys: JWKSet, _ algorithms: [JWSAlgorithm], types: [String] = ["JWT"]
  ) throws(JOSEError) -> (header: JSONObject, claims: JWTClaims) {
    let jws = try UnverifiedJWS(compact: Array(text.utf8).span)
      .verified(by: keys, algorithms: Set(algorithms), allowedTypes: .optional(types))
    return (jws.header, try JWTClaims(payload: jws.payload))
  }

  /// The claims of an ID Token of this issuer, even an expired one; nil for other texts.
  func idTokenClaims(_ text: String) -> (subject: String, audience: String, expiresAt: Int)? {
    guard let keys = try? JWKSet(parsing: key.published.serialized()),
      let claims = try? Self.claims(of: text, by: keys, [key.algorithm]).claims, (try? claims.issuer) == url,
      let subject = try? claims.subject, let audience = try? claims.audience?.first
    else { return nil }
    return (subject, audience, (try? claims.expiresAt) ?? 0)
  }

  /// The verified subject of a platform's assertion (RFC 7523 section 3).
  ///
  /// - Parameters:
  ///   - client: The client that an assertion for a user must name.
  ///   - code: The error code for an invalid assertion.
  mutating func verifiedSubject(of assertion: String, from client: String? = nil, or code: String) throws -> String {
    try counting(.assertionFailures) { issuer in
      let (url, wall) = (issuer.url, issuer.wall)
      let token = try? Self.claims(
        of: assertion, by: issuer.clients.named(IssuerClient.workloadID).keys, Self.assertionAlgorithms,
        types: ["JWT", Self.userType])
      let (header, claims) = try check(token, code, "the assertion is not signed by the platform")
      let isForThis = (try? claims.audience)?.contains { [url, url + "/token"].contains($0) } ?? false
      let end = try check(try? claims.expiresAt, code, "exp is missing")
      let isOfClient = header["typ"]?.string != Self.userType || (try? claims.string("client_id")) == client
      for (holds, problem) in [
        ((try? claims.issuer) == issuer.settings.text("platform_issuer"), "iss: another issuer than the platform"),
        (isForThis, "aud: the assertion is for another server"), (end > wall, "exp: the assertion has expired"),
        (((try? claims.notBefore) ?? wall) <= wall, "nbf: the assertion is not valid yet"),
        (isOfClient, "client_id: the assertion is for another client"),
      ] { try check(holds, code, problem) }
      return try check(try? claims.subject, code, "sub is missing")
    }
  }

  /// - Parameter client: The client of an assertion for a user; nil for a job.
  private func signedAssertion(
    _ subject: String, for audience: String, client: String? = nil, scope: String? = nil
  ) throws -> JSON {
    var claims: JSONObject = [
      "iss": .string(url), "sub": .string(subject), "aud": .string(settings.text("assertion_audience") ?? audience),
      "jti": .string(try Seal.opaque()), "iat": .int(wall), "exp": .int(wall + settings.number("assertion_lifetime")),
    ]
    claims["scope"] = scope.map(JSON.string)
    claims["client_id"] = client.map { .string(settings.text("assertion_client") ?? $0) }
    if let missing = settings.text("assertion_without") { claims[missing] = nil }
    var header = key.header
    if client != nil { header["typ"] = .string(Self.userType) }
    return .string(try key.sign(header, JSON.object(claims).serialized()))
  }

  /// Exchanges an ID Token for an assertion about its user (draft-ietf-oauth-identity-assertion-authz-grant-04).
  mutating func exchangeIDToken(_ order: TokenOrder) throws -> IssuerAnswer {
    let (form, id) = (order.form, order.client.id)
    try check(form["subject_token_type"] == TokenType.idToken, "invalid_request", "subject_token_type: only id_token")
    let claims = try check(
      idTokenClaims(try form.required("subject_token")), "invalid_request",
      "the subject_token is no ID Token of this issuer")
    try check(claims.audience == id, "invalid_request", "the subject_token is for another client")
    try check(claims.expiresAt > wall, "invalid_request", "the subject_token has expired")
    let text = try signedAssertion(
      claims.subject, for: try form.required("audience"), client: id, scope: form["scope"])
    count(.identityAssertions)
    return .json([
      "access_token": text, "issued_token_type": .string(TokenType.identityAssertion), "token_type": "N_A",
      "expires_in": .int(max(0, settings.number("assertion_lifetime"))),
    ])
  }

  /// Issues a platform's assertion for the requested audience to a job.
  mutating func jobAssertion(_ request: IssuerRequest) throws -> IssuerAnswer {
    let isJob = settings.text("--job-token").map { request["authorization"] == "Bearer \($0)" } ?? false
    guard isJob else { throw Refusal("invalid_token", "it is not the token of a job", status: 401) }
    let audience = try request.queryParameters().required("audience")
    count(.jobAssertions)
    return .json(["value": try signedAssertion("repo:example/project:ref:refs/heads/main", for: audience)])
  }
}

/// Token type identifiers (RFC 8693 section 3).
enum TokenType {
  static let access = "urn:ietf:params:oauth:token-type:access_token"
  static let jwt = "urn:ietf:params:oauth:token-type:jwt"
  static let idToken = "urn:ietf:params:oauth:token-type:id_token"
  static let identityAssertion = "urn:ietf:params:oauth:token-type:id-jag"
}
