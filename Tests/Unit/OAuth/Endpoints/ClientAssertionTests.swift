import Crypto
import Encoding
import OAuth
import Testing
import Vocabulary

@Suite struct `A client assertion (RFC 7523)` {
  private static let answer = #"{"access_token":"a","token_type":"Bearer"}"#
  private static let now = 1_700_000_000

  private func server(
    _ http: ScriptedHTTP, _ key: ClientKey, audience: AssertionAudience = .issuer,
    announced: [String]? = nil
  ) throws -> AuthorizationServer {
    let assertion = ClientAssertion(key, audience: audience) { Self.now }
    return try testServer(http, .privateKeyJWT(assertion)) {
      $0.tokenEndpointAuthSigningAlgorithms = announced
    }
  }

  /// The tokens of `count` requests, verified with the public key.
  private func tokens(
    _ key: ClientKey, audience: AssertionAudience = .issuer, announced: [String]? = nil, count: Int = 1,
    verifying algorithm: JWSAlgorithm
  ) throws -> [(header: JSONObject, claims: JSONObject, form: [String])] {
    let http = ScriptedHTTP(try response(Self.answer), try response(Self.answer))
    let server = try server(http, key, audience: audience, announced: announced)
    for _ in 0..<count { _ = try server.refresh(secret("r")) }
    let set = JWKSet([try JWK(try key.publicJWK())])
    return try http.requests.map { request in
      let form = try #require(request.form)
      let token = try #require(form.last?.dropFirst("client_assertion=".count))
      let bytes = Array(token.utf8)
      let verified = try UnverifiedJWS(compact: bytes.span).verified(
        by: set, algorithms: [algorithm], allowedTypes: .required(["client-authentication+jwt"]))
      return (verified.header, try #require(JSON(parsing: verified.payload).object), form)
    }
  }

  private func key(
    _ key: consuming PrivateKey, _ keyID: String? = nil, _ algorithm: JWSAlgorithm? = nil
  ) throws -> ClientKey {
    try ClientKey(key, keyID: keyID, algorithm: algorithm)
  }

  // RFC 7521 section 4.2, RFC 7523 section 2.2.
  @Test func `goes into the body beside its type and the client's id`() throws {
    let sent = try tokens(try key(.generateEC(.p256)), verifying: .ES256)[0]
    #expect(
      sent.form.dropLast() == [
        "grant_type=refresh_token", "refresh_token=r", "client_id=agent",
        "client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      ])
  }

  // RFC 7523 section 3, OpenID Connect Core 1.0 section 9.
  @Test func `says who asks whom, and until when`() throws {
    let sent = try tokens(try key(.generateEC(.p256)), verifying: .ES256)[0]
    var claims = sent.claims
    let id = try #require(claims["jti"]?.string)
    #expect(try Base64URL.decode(id).count == 16)
    claims["jti"] = nil
    #expect(
      claims == [
        "iss": "agent", "sub": "agent", "aud": .string(issuerText), "iat": .int(Self.now),
        "exp": .int(Self.now + 60),
      ])
    #expect(sent.header == ["typ": "client-authentication+jwt", "alg": "ES256"])
  }

  @Test func `is a new one for each request`() throws {
    let sent = try tokens(try key(.generateEC(.p256)), count: 2, verifying: .ES256)
    #expect(sent.count == 2 && sent[0].claims["jti"] != sent[1].claims["jti"])
  }

  @Test func `names the token endpoint only where that is asked for`() throws {
    let sent = try tokens(try key(.generateEC(.p256)), audience: .tokenEndpoint, verifying: .ES256)[0]
    #expect(sent.claims["aud"] == "https://as.example/token")
  }

  @Test func `names the endpoint that is asked where that is asked for`() throws {
    let http = ScriptedHTTP(try response("{}"), try response(Self.answer))
    let server = try server(http, try key(.generateEC(.p256)), audience: .endpoint)
    _ = try? server.requestDeviceAuthorization(scope: nil)
    _ = try server.refresh(secret("r"))
    let audiences = try http.requests.map { request in
      let token = try #require(request.form?.last?.split(separator: ".").dropFirst().first)
      return try JSON(parsing: Base64URL.decode(String(token)))["aud"]
    }
    #expect(audiences == ["https://as.example/device", "https://as.example/token"])
  }

  @Test func `names the key when it has a name`() throws {
    #expect(try tokens(try key(.generateEC(.p256), "k 1"), verifying: .ES256)[0].header["kid"] == "k 1")
  }

  @Test func `is signed as the key can and the server announces`() throws {
    #expect(try tokens(try key(.generateEC(.p384)), verifying: .ES384).count == 1)
    #expect(try tokens(try key(.generate(.ed25519)), verifying: .EdDSA).count == 1)
    #expect(try tokens(try key(.generate(.ed25519)), announced: ["Ed25519"], verifying: .Ed25519).count == 1)
    let rsa = try key(.generateRSA(bits: 2048))
    #expect(try tokens(rsa, verifying: .RS256).count == 1)
    #expect(try tokens(rsa, announced: ["RS256", "PS256"], verifying: .PS256).count == 1)
    #expect(try tokens(rsa, announced: ["HS256"], verifying: .RS256).count == 1)
  }

  @Test func `is signed as chosen, if the key can`() throws {
    let rsa = try key(.generateRSA(bits: 2048), nil, .PS256)
    #expect(try tokens(rsa, announced: ["RS256"], verifying: .PS256).count == 1)
    #expect(throws: JOSEError(.unsuitableKey)) { try key(.generateEC(.p256), nil, .RS256) }
  }

  // Errors must not repeat the assertion, which the server may put there (RFC 6749 section 5.2).
  @Test func `is not shown when the server repeats it`() throws {
    let http = ScriptedHTTP(
      try response(
        401, #"{"error":"invalid_client","error_description":"bad eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJhZ2VudCJ9.c2ln"}"#))
    #expect(throws: expected(.invalidClient, .endpoint(.token), status: 401, error: "invalid_client")) {
      try server(http, try key(.generateEC(.p256))).refresh(secret("r"))
    }
  }

  @Test func `lets the client ask about tokens`() throws {
    let server = try testServer(
      ScriptedHTTP(), .privateKeyJWT(ClientAssertion(try key(.generateEC(.p256))) { 0 })
    ) { $0[.introspection] = try? endpoint("https://as.example/introspect") }
    #expect(server.canIntrospect)
  }
}
