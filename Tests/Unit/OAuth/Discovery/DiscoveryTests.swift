import Encoding
import Crypto
import OAuth
import Testing
import Vocabulary

@Suite struct `Discovery of metadata` {
  private let document = #"{"issuer":"https://as.example/tenant","token_endpoint":"https://as.example/token"}"#
  private let places = [
    "https://as.example/tenant/.well-known/openid-configuration",
    "https://as.example/.well-known/oauth-authorization-server/tenant",
    "https://as.example/.well-known/openid-configuration/tenant",
  ]

  private func fetch(_ http: ScriptedHTTP) throws(OAuthError) -> FetchedDocument<AuthorizationServerMetadata> {
    try Discovery.fetchMetadata(try Issuer(issuerText, allowHTTPLoopback: false), transport: Transport(), http: http)
  }

  private func gets(_ count: Int) -> [ScriptedHTTP.Recorded] {
    places.prefix(count).map { .init(method: .get, url: $0, followsRedirects: true) }
  }

  @Test func `the first place that has the document is the last one asked`() throws {
    let http = ScriptedHTTP(try response(headers: [("Cache-Control", "max-age=60")], document))
    let found = try fetch(http)
    #expect(found.value[.token]?.text == "https://as.example/token")
    #expect(found.body == Array(document.utf8))
    #expect(found.maxAgeSeconds == 60)
    #expect(http.requests == gets(1))
  }

  // RFC 8414 section 5.
  @Test func `a place without the document leads to the next one`() throws {
    let http = ScriptedHTTP(
      try response(404, type: "text/html", "<html>"), try response(type: "text/html", "<html>"), try response(document))
    #expect(try fetch(http).value.issuer.text == issuerText)
    #expect(http.requests == gets(3))
  }

  @Test(arguments: [400, 401, 403, 404, 410]) func `any refusal leads to the next place`(status: Int) throws {
    let http = ScriptedHTTP(try response(status, ""), try response(document))
    #expect(try fetch(http).value.issuer.text == issuerText)
    #expect(http.requests == gets(2))
  }

  @Test(arguments: ["[]", "null", "", "{"]) func `a body that is no JSON object leads to the next place`(body: String)
    throws
  {
    let http = ScriptedHTTP(try response(body), try response(document))
    #expect(try fetch(http).value.issuer.text == issuerText)
    #expect(http.requests == gets(2))
  }

  @Test func `no document anywhere is an error of its own`() throws {
    let http = ScriptedHTTP(try response(404, ""), try response(403, ""), try response(410, ""))
    #expect(
      throws: expected(
        .metadataMissing, .name("https://as.example/tenant/.well-known/openid-configuration"), status: 410)
    ) { try fetch(http) }
    #expect(http.requests == gets(3))
  }

  // RFC 8414 section 3.3.
  @Test func `the document of another issuer ends the search`() throws {
    let http = ScriptedHTTP(try response(#"{"issuer":"https://evil.example"}"#), try response(document))
    var error = OAuthError(.issuerMismatch, .configuredIssuer)
    error.serverDescription = "https://evil.example"
    #expect(throws: error) { try fetch(http) }
    #expect(http.requests == gets(1))
  }

  @Test(arguments: [
    (502, OAuthError.Code.serverUnavailable), (503, .serverUnavailable), (408, .serverUnavailable),
    (425, .serverUnavailable), (429, .rateLimited), (204, .malformedResponse),
  ])
  func `a server in trouble ends the search`(status: Int, code: OAuthError.Code) throws {
    let http = ScriptedHTTP(try response(status, ""), try response(document))
    #expect(throws: expected(code, .endpoint(.metadata), status: status)) { try fetch(http) }
    #expect(http.requests == gets(1))
  }

  // RFC 8414 section 5: a server may have only one of the URLs, and redirect others to another host's sign-in page.
  @Test(arguments: [(302, OAuthError.Code.redirectRefused), (500, .serverUnavailable), (501, .serverUnavailable)])
  func `a place that is redirected or fails is told of if no other has the document`(
    status: Int, code: OAuthError.Code
  ) throws {
    let good = ScriptedHTTP(try response(status, ""), try response(document))
    #expect(try fetch(good).value.issuer == testIssuer())
    let bad = ScriptedHTTP(try response(status, ""), try response(404, ""), try response("<html>"))
    #expect(throws: expected(code, .endpoint(.metadata), status: status)) { try fetch(bad) }
  }

  @Test func `an answer without an issuer is no document`() throws {
    let good = ScriptedHTTP(try response(#"{"error":"not found"}"#), try response(document))
    #expect(try fetch(good).value.issuer == testIssuer())
  }

  @Test func `a wait that the server asks for is passed on`() throws {
    let http = ScriptedHTTP(
      try response(
        503,
        headers: [("Date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Retry-After", "Sun, 06 Nov 1994 08:50:37 GMT")], ""))
    #expect(throws: expected(.serverUnavailable, .endpoint(.metadata), status: 503, retryAfter: 60)) {
      try fetch(http)
    }
  }

  @Test(arguments: [HTTPFailure.Code.certificate, .connect, .redirect, .tooLarge])
  func `a failed connection ends the search`(code: HTTPFailure.Code) throws {
    let http = ScriptedHTTP([.failure(HTTPFailure(code)), .success(try response(document))])
    #expect(throws: failed(HTTPFailure(code), .metadata)) { try fetch(http) }
    #expect(http.requests == gets(1))
  }

  @Test func `a cancelled search fails as cancelled`() throws {
    let cancellation = Cancellation()
    cancellation.cancel()
    let http = ScriptedHTTP(try response(document))
    #expect(throws: OAuthError(.cancelled, .endpoint(.metadata))) {
      try Discovery.fetchMetadata(try testIssuer(), transport: Transport(), http: http, cancellation: cancellation)
    }
  }
}

@Suite struct `JWK Set retrieval` {
  private func fetch(_ http: ScriptedHTTP) throws -> Int {
    let place = try endpoint("https://as.example/jwks")
    return try Discovery.fetchKeys(at: place, transport: Transport(), http: http).value.keys.count
  }

  @Test(arguments: ["application/jwk-set+json", "application/octet-stream", "text/plain"])
  func `the body decides and not the media type`(type: String) throws {
    let key = try SigningKey.shared.get(.ES256)
    let http = ScriptedHTTP(try response(type: type, bytes: key.set.serialized()))
    #expect(try fetch(http) == 1)
    #expect(
      http.requests == [
        .init(method: .get, url: "https://as.example/jwks", followsRedirects: true, limit: JWKSet.maximumByteCount)
      ])
  }

  @Test(arguments: ["", "[]", "{}", "<html>"]) func `a body that is no key set is malformed`(body: String) throws {
    let http = ScriptedHTTP(try response(body))
    #expect(throws: expected(.malformedResponse, .endpoint(.keys), status: 200)) { try fetch(http) }
  }

  @Test(arguments: [
    (404, OAuthError.Code.otherServerError), (401, .otherServerError), (503, .serverUnavailable),
  ])
  func `another status is an error`(status: Int, code: OAuthError.Code) throws {
    let http = ScriptedHTTP(try response(status, ""))
    #expect(throws: expected(code, .endpoint(.keys), status: status)) { try fetch(http) }
  }
}
