import Crypto
import Encoding
import OAuth
import Testing
import Vocabulary

private let subject = OAuthError.Subject.endpoint(.pushedAuthorization)
private let answer = #"{"request_uri":"urn:example:r1","expires_in":60}"#

// RFC 9126.
@Suite struct `A pushed authorization request` {
  private func server(
    _ http: ScriptedHTTP, _ authentication: ClientAuthentication = .none, required: Bool = false
  ) throws -> AuthorizationServer {
    try codeServer(http, authentication) {
      $0[.pushedAuthorization] = try endpoint("https://as.example/par")
      $0.requiresPushedRequests = required
    }
  }

  // Section 2.1 and 4.
  @Test func `carries everything, and the browser gets a reference only`() throws {
    let http = ScriptedHTTP(try response(201, answer))
    let server = try server(http)
    let request = try begin(server)
    let url = try server.requestAuthorizationURL(for: request)
    #expect(url.expiresIn == 60)
    #expect(
      url.text == "https://as.example/authorize?tenant=a%20b&client_id=agent&request_uri=urn%3Aexample%3Ar1")
    #expect(
      http.requests == [
        .init(
          method: .post, url: "https://as.example/par",
          form: [
            "response_type=code", "client_id=agent", "redirect_uri=\(redirectURI)", "scope=openid offline_access",
            "state=\(request.state)", "code_challenge=\(request.verifier.challenge)", "code_challenge_method=S256",
            "nonce=\(try #require(request.nonce))", "prompt=consent",
          ])
      ])
  }

  @Test func `a client with a secret proves itself as at the token endpoint, and is named once`() throws {
    for (authentication, hasField) in [
      (ClientAuthentication.basic(try secret("s")), false), (.post(try secret("s")), true),
    ] {
      let http = ScriptedHTTP(try response(201, answer))
      let server = try server(http, authentication)
      _ = try server.requestAuthorizationURL(for: try begin(server))
      let sent = try #require(http.requests.first)
      #expect((sent.authorization == nil) == hasField)
      #expect(sent.form?.filter { $0.hasPrefix("client_id=") } == ["client_id=agent"])
      #expect(sent.form?.contains("client_secret=s") == hasField)
    }
  }

  @Test func `an error of the protocol is final`() throws {
    let http = ScriptedHTTP(try response(400, #"{"error":"invalid_scope"}"#))
    let server = try server(http)
    #expect(throws: expected(.invalidScopeAnswer, subject, status: 400, error: "invalid_scope")) {
      try server.requestAuthorizationURL(for: try begin(server))
    }
    let busy = try self.server(ScriptedHTTP(try response(503, #"{"error":"temporarily_unavailable"}"#)))
    let error = #expect(throws: OAuthError.self) { try busy.requestAuthorizationURL(for: try begin(busy)) }
    #expect(error?.serverError == "temporarily_unavailable")
  }

  @Test func `is made only where it must be, if another machine is to check the plain one`() throws {
    var options = AuthorizationOptions()
    options.pushesIfNeeded = true
    let http = ScriptedHTTP(try response(201, answer))
    let server = try server(http)
    let request = try begin(server, options)
    #expect(
      try server.requestAuthorizationURL(for: request).text.contains("&code_challenge=\(request.verifier.challenge)&"))
    #expect(http.requests.isEmpty)
    let strict = try self.server(http, required: true)
    #expect(try strict.requestAuthorizationURL(for: try begin(strict, options)).text.contains("request_uri="))
  }

  @Test func `without an answer of the protocol the plain request is made, unless pushing is required`() throws {
    let failures: [ScriptedHTTP.Reply] = [
      .failure(HTTPFailure(.connect)), .failure(HTTPFailure(.timeout)), .success(try response(404, type: nil, "")),
      .success(try response(503, type: "text/html", "<p>")),
    ]
    for failure in failures {
      let server = try server(ScriptedHTTP([failure]))
      let request = try begin(server)
      let url = try server.requestAuthorizationURL(for: request)
      #expect(url.expiresIn == nil && url.text.contains("&state=\(request.state)&"))
      // Section 5.
      let strict = try self.server(ScriptedHTTP([failure]), required: true)
      #expect(throws: OAuthError.self) { try strict.requestAuthorizationURL(for: try begin(strict)) }
    }
  }

  // RFC 8414 section 2: the endpoint is announced, so a plain request would give up its protection.
  @Test(arguments: [true, false]) func `is not given up for an endpoint that is announced and of another shape`(
    isRequired: Bool
  ) throws {
    for value in ["7", #""http://as.example/par""#] {
      let parsed = try AuthorizationServerMetadata(
        parsing: Array(
          """
          {"issuer":"\(issuerText)","token_endpoint":"https://as.example/token",
          "authorization_endpoint":"https://as.example/authorize","require_pushed_authorization_requests":\(isRequired),
          "pushed_authorization_request_endpoint":\(value)}
          """.utf8), issuer: try testIssuer(), allowHTTPLoopback: false)
      let server = try codeServer(ScriptedHTTP()) { $0 = parsed }
      #expect(throws: OAuthError(.metadataInvalid, .name("pushed_authorization_request_endpoint"))) {
        try server.requestAuthorizationURL(for: try begin(server))
      }
    }
  }

  @Test func `a server that is not who it should be ends the sign-in`() throws {
    for code in [HTTPFailure.Code.certificate, .pin, .cancelled] {
      let server = try server(ScriptedHTTP([.failure(HTTPFailure(code))]))
      #expect(throws: failed(HTTPFailure(code), .pushedAuthorization)) {
        try server.requestAuthorizationURL(for: try begin(server))
      }
    }
  }

  @Test func `required without an endpoint is an error of the server`() throws {
    let server = try codeServer { $0.requiresPushedRequests = true }
    #expect(throws: OAuthError(.endpointMissing, subject)) {
      try server.requestAuthorizationURL(for: try begin(server))
    }
  }

  // Section 2.2.
  @Test(arguments: [
    ("request_uri", #"{"expires_in":60}"#), ("request_uri", #"{"request_uri":"","expires_in":60}"#),
    ("request_uri", #"{"request_uri":"no scheme","expires_in":60}"#),
    ("request_uri", #"{"request_uri":"urn:a\nb","expires_in":60}"#),
    ("request_uri", #"{"request_uri":"urn:","expires_in":60}"#),
    ("request_uri", #"{"request_uri":"1rn:a","expires_in":60}"#),
    ("expires_in", #"{"request_uri":"urn:a"}"#), ("expires_in", #"{"request_uri":"urn:a","expires_in":0}"#),
    ("expires_in", #"{"request_uri":"urn:a","expires_in":-1}"#),
  ])
  func `an answer that breaks the rules is not worked around`(member: String, body: String) throws {
    let server = try server(ScriptedHTTP(try response(201, body)))
    #expect(throws: expected(.malformedResponse, .member(member, of: subject), status: 201)) {
      try server.requestAuthorizationURL(for: try begin(server))
    }
  }

  @Test func `a reference that would not fit into a URL is refused`() throws {
    let long = "urn:" + String(repeating: "x", count: 1021)
    let server = try server(ScriptedHTTP(try response(201, #"{"request_uri":"\#(long)","expires_in":60}"#)))
    #expect(throws: expected(.malformedResponse, .member("request_uri", of: subject), status: 201)) {
      try server.requestAuthorizationURL(for: try begin(server))
    }
  }
}
