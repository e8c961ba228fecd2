import Crypto
import OAuth
import Testing
import Vocabulary

private let subject = OAuthError.Subject.endpoint(.revocation)
private let url = "https://as.example/revoke"

// RFC 7009.
@Suite struct `Revocation` {
  private let byID = ScriptedHTTP.Recorded(
    method: .post, url: url, form: ["token=r", "token_type_hint=refresh_token", "client_id=agent"])
  private var byBearer: ScriptedHTTP.Recorded {
    var copy = byID
    copy.authorization = "Bearer at"
    return copy
  }

  private func revoke(_ http: ScriptedHTTP, bearer: String? = nil) throws {
    let server = try testServer(http)
    try server.revoke(secret("r"), hint: .refreshToken, bearer: bearer.map { try secret($0) })
  }

  @Test func `one POST with the token, its kind and the client`() throws {
    let http = ScriptedHTTP(try response(200, type: nil, ""))
    try revoke(http, bearer: "at")
    #expect(http.requests == [byID])
  }

  @Test func `an access token has its own hint`() throws {
    let http = ScriptedHTTP(try response(200, ""))
    try testServer(http, .post(secret("s"))).revoke(secret("a"), hint: .accessToken, bearer: nil)
    #expect(
      http.requests.map(\.form) == [
        ["token=a", "token_type_hint=access_token", "client_id=agent", "client_secret=s"]
      ])
  }

  // RFC 8414 section 2.
  @Test(
    arguments: [
      (["client_secret_post"], "client_id=agent"), (["client_secret_basic"], nil), (nil, nil),
      (["private_key_jwt"], nil),
    ] as [([String]?, String?)])
  func `the client proves itself as this endpoint takes it`(announced: [String]?, member: String?) throws {
    let http = ScriptedHTTP(try response(200, ""))
    let server = try testServer(http, .basic(secret("s"))) { $0.revocationEndpointAuthMethods = announced }
    try server.revoke(secret("a"), hint: .accessToken, bearer: nil)
    let sent = http.requests[0]
    #expect(sent.form?.contains("client_id=agent") == (member != nil))
    #expect((sent.authorization == nil) == (member != nil))
  }

  // RFC 8414 section 2.
  @Test func `at an endpoint that is announced and cannot be used is not the same as at none`() throws {
    let http = ScriptedHTTP([])
    let document = #"{"issuer":"\#(issuerText)","revocation_endpoint":"http://as.example/revoke"}"#
    for (text, error) in [
      (document, OAuthError(.metadataInvalid, .name("revocation_endpoint"))),
      (#"{"issuer":"\#(issuerText)"}"#, OAuthError(.endpointMissing, subject)),
    ] {
      let server = AuthorizationServer(
        metadata: try AuthorizationServerMetadata(
          parsing: Array(text.utf8), issuer: testIssuer(), allowHTTPLoopback: false),
        client: try Client(id: "agent", authentication: .none), transport: Transport(), http: http)
      #expect(throws: error) { try server.revoke(secret("r"), hint: .refreshToken, bearer: nil) }
    }
    #expect(http.requests == [])
  }

  // Section 2.2: the body of a success is ignored.
  @Test(arguments: ["", "{}", "<html>", #"{"error":"x"}"#]) func `a success is one whatever it says`(body: String)
    throws
  {
    let http = ScriptedHTTP(try response(200, body))
    try revoke(http)
    #expect(http.requests == [byID])
  }

  // Glewlwyd 2.7.5 requires a Bearer token from a public client.
  @Test func `a public client that is refused tries once more with an access token`() throws {
    let http = ScriptedHTTP(try response(401, type: nil, ""), try response(200, type: nil, ""))
    try revoke(http, bearer: "at")
    #expect(http.requests == [byID, byBearer])
  }

  @Test func `a second refusal is final`() throws {
    let http = ScriptedHTTP(try response(401, type: nil, ""), try response(401, type: nil, ""))
    #expect(throws: expected(.invalidClient, subject, status: 401)) { try revoke(http, bearer: "at") }
    #expect(http.requests == [byID, byBearer])
  }

  @Test func `without an access token there is no second try`() throws {
    let http = ScriptedHTTP(try response(401, type: nil, ""))
    #expect(throws: expected(.invalidClient, subject, status: 401)) { try revoke(http) }
    #expect(http.requests == [byID])
  }

  @Test func `a client with a secret has no second try`() throws {
    let http = ScriptedHTTP(try response(401, #"{"error":"invalid_client"}"#))
    let server = try testServer(http, .basic(secret("s")))
    #expect(throws: expected(.invalidClient, subject, status: 401, error: "invalid_client")) {
      try server.revoke(secret("r"), hint: .refreshToken, bearer: secret("at"))
    }
    #expect(http.requests.count == 1)
  }

  @Test(arguments: [400, 403, 404, 503]) func `another refusal has no second try`(status: Int) throws {
    let http = ScriptedHTTP(try response(status, ""))
    #expect(throws: OAuthError.self) { try revoke(http, bearer: "at") }
    #expect(http.requests == [byID])
  }

  // Section 2.2.1.
  @Test func `an unsupported kind and a server in trouble are told apart`() throws {
    let kind = ScriptedHTTP(try response(400, #"{"error":"unsupported_token_type"}"#))
    #expect(
      throws: expected(.unsupportedTokenRevocation, subject, status: 400, error: "unsupported_token_type")
    ) { try revoke(kind) }
    let busy = ScriptedHTTP(try response(503, headers: [("Retry-After", "9")], ""))
    #expect(throws: expected(.serverUnavailable, subject, status: 503, retryAfter: 9)) { try revoke(busy) }
  }

  @Test func `a failed connection is not a success`() throws {
    let http = ScriptedHTTP([.failure(HTTPFailure(.connect))])
    #expect(throws: OAuthError(.network, .host("as.example"))) { try revoke(http) }
  }

  @Test func `a server without the endpoint is named`() throws {
    let server = try testServer(ScriptedHTTP()) { $0[.revocation] = nil }
    #expect(throws: OAuthError(.endpointMissing, subject)) {
      try server.revoke(secret("r"), hint: .refreshToken, bearer: nil)
    }
  }
}
