import Crypto
import Encoding
import OAuth
import Testing
import Vocabulary

private let subject = OAuthError.Subject.endpoint(.authorization)

/// The result for a response, for comparison.
private enum Judgement: Equatable {
  case foreign
  case code(String)
  case failure(OAuthError)

  init(_ answer: AuthorizationResponse) {
    self =
      switch answer {
      case .unrelated: .foreign
      case .code(let code): .code(code.text)
      case .failure(let error): .failure(error)
      }
  }
}

// RFC 6749 section 4.1.2, RFC 9207.
@Suite struct `An authorization answer` {
  private let request: AuthorizationRequest
  private let strict: AuthorizationRequest
  private let iss = "iss=https%3A%2F%2Fas.example%2Ftenant"

  init() throws {
    request = try begin(try codeServer())
    strict = try begin(try codeServer { $0.responsesNameIssuer = true })
  }

  private func judge(_ query: String, _ request: AuthorizationRequest? = nil) -> Judgement {
    let bytes = Array(query.utf8)
    return Judgement((request ?? self.request).answer(in: bytes.span))
  }

  private var state: String { "state=\(request.state)" }
  private let unnamed = Judgement.failure(OAuthError(.responseIssuerMissing, .issuer))

  /// The result for a response that contains this issuer, if any.
  private func mismatch(_ issuer: String?) -> Judgement {
    var error = OAuthError(.responseIssuerMismatch, .configuredIssuer)
    error.serverDescription = issuer
    return .failure(error)
  }
  private let malformed = Judgement.failure(OAuthError(.malformedResponse, subject))

  @Test func `a code with our state is taken, decoded`() {
    #expect(judge("code=c1&\(state)") == .code("c1"))
    #expect(judge("\(state)&code=a%2Bb+c%3D") == .code("a+b c="))
    // RFC 6749 section 4.1.2: unknown parameters are ignored.
    #expect(judge("\(state)&code=c1&session_state=x&scope=openid") == .code("c1"))
    let long = String(repeating: "x", count: 8000)
    #expect(judge("\(state)&code=\(long)") == .code(long))
  }

  // CSRF: RFC 6749 section 10.12, RFC 8252 section 8.9. The sign-in continues, whatever else is in the response.
  @Test func `without exactly our state nothing is looked at`() {
    for other in [
      "", "code=c1", "code=c1&state=", "code=c1&state=\(request.state)x", "code=c1&state=\(request.state.dropLast())",
      "code=c1&state=\(request.state.lowercased())", "error=access_denied", "error=access_denied&state=x",
      "iss=https%3A%2F%2Fevil.example&state=x", "code=c1&state=\(strict.state)", "code=c1&\(state)&\(state)",
      "code=c1&\(state)&state=x", "code=c1&state=%zz", "code=c1&st%zzate=\(request.state)", "code=c1&\(state)%",
      "\(state)&" + String(repeating: "a=1&", count: 70), "\(state)&code=" + String(repeating: "x", count: 16_400),
    ] {
      #expect(judge(other) == .foreign, "\(other)")
    }
  }

  @Test func `a field that is not form-encoded spoils itself alone`() {
    #expect(judge("code=c1&\(state)&utm=50%&%=1") == .code("c1"))
    #expect(judge("error=access_denied&error_description=100%&\(state)") == judge("error=access_denied&\(state)"))
    #expect(judge("error=access_denied&error_description=%u00e9&\(state)") == judge("error=access_denied&\(state)"))
  }

  @Test(arguments: ["code=%", "code=%zz", "code=\u{7F}", "error=%", "code=c1&error=%", "code=c1&code=%"])
  func `a code or an error that is not form-encoded ends the sign-in`(field: String) {
    #expect(judge("\(field)&\(state)") == .failure(OAuthError(.malformedResponse, .endpoint(.authorization))))
  }

  @Test func `an issuer that is not form-encoded is another one`() {
    #expect(judge("code=c1&\(state)&iss=%") == mismatch(nil))
  }

  @Test(arguments: [(16_384, true), (16_385, false)])
  func `a query has at most 16,384 bytes`(length: Int, isRead: Bool) {
    let query = "\(state)&code=c1&x="
    let judgement = judge(query + String(repeating: "x", count: length - query.utf8.count))
    #expect((judgement == .code("c1")) == isRead)
    #expect((judgement == .foreign) != isRead)
  }

  @Test func `no change of a bit of the state is our state`() {
    let bytes = Array(request.state.utf8)
    for index in bytes.indices {
      for bit in 0..<7 {
        var changed = bytes
        changed[index] ^= 1 << UInt8(bit)
        var query = Array("code=c1&state=".utf8)
        for byte in changed { query += Array("%\(String(byte >> 4, radix: 16))\(String(byte & 15, radix: 16))".utf8) }
        #expect(Judgement(request.answer(in: query.span)) == .foreign)
      }
    }
  }

  // Mix-up: RFC 9207 section 2.4, RFC 9700 section 4.4.
  @Test func `an answer of another issuer ends the sign-in, error answers too`() {
    for (wrong, named) in [
      ("https%3A%2F%2Fevil.example", "https://evil.example"),
      ("https%3A%2F%2Fas.example%2Ftenant%2F", "https://as.example/tenant/"),
      ("https%3A%2F%2FAS.example%2Ftenant", "https://AS.example/tenant"),
      ("https%3A%2F%2Fas.example%3A443%2Ftenant", "https://as.example:443/tenant"), ("x", nil),
    ] {
      #expect(judge("code=c1&\(state)&iss=\(wrong)") == mismatch(named), "\(wrong)")
      #expect(judge("error=access_denied&\(state)&iss=\(wrong)") == mismatch(named), "\(wrong)")
    }
    #expect(judge("code=c1&\(state)&\(iss)") == .code("c1"))
  }

  @Test func `a server that says it names itself must do so`() {
    #expect(judge("code=c1&state=\(strict.state)", strict) == unnamed)
    #expect(judge("error=access_denied&state=\(strict.state)", strict) == unnamed)
    #expect(judge("code=c1&state=\(strict.state)&iss=", strict) == unnamed)
    #expect(judge("code=c1&state=\(strict.state)&\(iss)", strict) == .code("c1"))
  }

  // RFC 6749 section 3.1.
  @Test func `no parameter comes twice`() {
    for twice in ["code=c1&code=c1", "code=c1&code=c2", "code=c1&\(iss)&\(iss)", "code=c1&x=1&x=2"] {
      #expect(judge("\(state)&\(twice)") == malformed, "\(twice)")
    }
    // A parameter without a value counts as absent.
    #expect(judge("\(state)&code=c1&code=") == .code("c1"))
  }

  // RFC 9700 section 2.1.2: tokens do not belong in the browser's URL.
  @Test(arguments: ["access_token", "id_token"]) func `tokens are not accepted`(name: String) {
    #expect(judge("code=c1&\(state)&\(name)=t") == malformed)
  }

  @Test(arguments: ["", "code=", "code=a%0Ab", "code=a%00", "code=%C3%A9"])
  func `an answer without a usable code is malformed`(rest: String) {
    #expect(judge("\(state)&\(rest)") == malformed)
  }

  // RFC 6749 section 4.1.2.1, OpenID Connect Core 1.0 section 3.1.2.6.
  @Test(arguments: [
    ("access_denied", OAuthError.Code.accessDenied), ("invalid_request", .invalidRequest),
    ("unauthorized_client", .unauthorizedClient), ("invalid_scope", .invalidScopeAnswer),
    ("server_error", .serverUnavailable), ("temporarily_unavailable", .serverUnavailable),
    ("unsupported_response_type", .otherServerError), ("login_required", .otherServerError),
    ("consent_required", .otherServerError),
  ])
  func `an error ends the sign-in`(name: String, code: OAuthError.Code) {
    #expect(
      judge("error=\(name)&\(state)&error_description=no%1B%5B31m+way")
        == .failure(expected(code, subject, error: name, description: "no[31m way")))
    // An additional code is ignored.
    #expect(judge("error=\(name)&code=c1&\(state)") == .failure(expected(code, subject, error: name)))
  }

  @Test func `an error that is none is malformed`() {
    #expect(judge("error=a%22b&\(state)") == malformed)
    #expect(judge("error=" + String(repeating: "x", count: 65) + "&\(state)") == malformed)
  }

  // MARK: Pasted

  @Test func `a pasted address is our redirect URI and a query`() {
    func pasted(_ url: String) -> Judgement { Judgement(request.answer(inPasted: url)) }
    #expect(pasted("\(redirectURI)?code=c1&\(state)") == .code("c1"))
    #expect(pasted(" \(redirectURI)?code=c1&\(state)#_=_\r\n") == .code("c1"))
    #expect(
      pasted("\(redirectURI)?code=c1&\(state)&iss=https%3A%2F%2Fevil.example") == mismatch("https://evil.example"))
    for other in [
      "", "c1", redirectURI, "?code=c1&\(state)", "\(redirectURI)/?code=c1&\(state)", "\(redirectURI)?code=c1&state=x",
      "http://127.0.0.1:8401/as.example/tenant?code=c1&\(state)",
      "http://localhost:8400/as.example/tenant?code=c1&\(state)",
      "https://127.0.0.1:8400/as.example/tenant?code=c1&\(state)", "http://127.0.0.1:8400/as.example?code=c1&\(state)",
      "http://127.0.0.1:8400/as.example/tenant#code=c1&\(state)",
    ] {
      #expect(pasted(other) == .foreign, "\(other)")
    }
  }

  @Test func `the slash that a browser adds to an empty path is known`() throws {
    let server = try codeServer()
    let request = try server.makeAuthorizationRequest(scope: nil, redirectURI: "http://127.0.0.1:8400")
    for place in ["http://127.0.0.1:8400", "http://127.0.0.1:8400/"] {
      #expect(Judgement(request.answer(inPasted: "\(place)?code=c1&state=\(request.state)")) == .code("c1"))
    }
    #expect(Judgement(request.answer(inPasted: "http://127.0.0.1:8400//?code=c1&state=\(request.state)")) == .foreign)
  }
}

// RFC 6749 section 4.1.3, RFC 7636 section 4.5.
@Suite struct `The exchange of a code` {
  private let success = #"{"access_token":"a","token_type":"Bearer","expires_in":60}"#

  @Test func `is one POST with the code, the redirect URI and the verifier`() throws {
    let http = ScriptedHTTP(try response(success))
    let server = try codeServer(http)
    var options = AuthorizationOptions()
    options.resources = ["https://api.example/"]
    let request = try begin(server, options)
    let tokens = try server.exchange(try secret("c/1&="), of: request).tokens()
    #expect(tokens.accessToken.text == "a")
    #expect(
      http.requests == [
        .init(
          method: .post, url: "https://as.example/token",
          form: [
            "grant_type=authorization_code", "code=c/1&=", "redirect_uri=\(redirectURI)",
            "code_verifier=\(request.verifier.secret.text)", "resource=https://api.example/", "client_id=agent",
          ])
      ])
  }

  // A code is not a session, so its expiry does not end one. Glewlwyd and GitHub have their own error codes.
  @Test(arguments: [(400, "invalid_grant"), (403, "invalid_code"), (200, "bad_verification_code")])
  func `a code that is not accepted is told as such`(status: Int, name: String) throws {
    let http = ScriptedHTTP(try response(status, #"{"error":"\#(name)"}"#))
    let server = try codeServer(http)
    #expect(throws: expected(.codeRejected, .endpoint(.token), status: status, error: name)) {
      try server.exchange(try secret("c1"), of: try begin(server))
    }
    // RFC 6749 section 4.1.2: a code is used once, whatever the result.
    #expect(http.requests.count == 1)
  }

  @Test func `is not repeated when the answer is lost`() throws {
    let http = ScriptedHTTP([.failure(HTTPFailure(.receive, requestMayHaveArrived: true))])
    let server = try codeServer(http)
    let error = #expect(throws: OAuthError.self) { try server.exchange(try secret("c1"), of: try begin(server)) }
    #expect(error?.isResponseLost == true)
    #expect(http.requests.count == 1)
  }
}
