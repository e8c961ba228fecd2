import Crypto
import Encoding
import OAuth
import TestSupport
import Testing
import Vocabulary

private let subject = OAuthError.Subject.endpoint(.token)

// RFC 6749 section 6.
@Suite struct `Refresh` {
  private let success = #"{"access_token":"a2","token_type":"bearer","expires_in":60,"refresh_token":"r2"}"#

  private func refresh(_ answer: HTTPResponse) throws -> OAuthError? {
    let http = ScriptedHTTP(answer)
    let server = try testServer(http)
    let token = try secret("r1")
    defer { #expect(http.requests.count == 1) }
    do throws(OAuthError) {
      _ = try server.refresh(token)
      return nil
    } catch {
      return error
    }
  }

  @Test func `one POST with the token and the client`() throws {
    let http = ScriptedHTTP(try response(success))
    let tokens = try testServer(http).refresh(secret("r/1&=")).tokens()
    #expect(tokens.accessToken.text == "a2")
    #expect(tokens.refreshToken?.text == "r2")
    #expect(tokens.expiresIn == 60)
    #expect(
      http.requests == [
        .init(
          method: .post, url: "https://as.example/token",
          form: ["grant_type=refresh_token", "refresh_token=r/1&=", "client_id=agent"])
      ])
  }

  // A challenge of Microsoft Entra ID: if a refresh with the claims is not enough, a sign-in requests them.
  @Test func `the claims that a resource wants are sent, and asked for at the sign-in that follows`() throws {
    let claims = try #require(RequestedClaims(#"{"access_token":{"nbf":{"value":"1"}}}"#))
    let http = ScriptedHTTP(try response(success), try response(400, #"{"error":"interaction_required"}"#))
    let server = try testServer(http)
    _ = try server.refresh(secret("r"), claims: claims)
    #expect(http.requests[0].form?.contains("claims=" + claims.text) == true)
    let error = #expect(throws: OAuthError.self) { try server.refresh(secret("r"), claims: claims) }
    #expect(error?.code == .interactionRequired && error?.claims == claims)
  }

  @Test func `a scope is sent only to ask for less`() throws {
    let http = ScriptedHTTP(try response(success), try response(success))
    let server = try testServer(http)
    _ = try server.refresh(
      secret("r"), for: TokenTarget(scope: ["openid email"], resources: [], audience: nil))
    _ = try server.refresh(secret("r"))
    #expect(
      http.requests.map(\.form) == [
        ["grant_type=refresh_token", "refresh_token=r", "scope=openid email", "client_id=agent"],
        ["grant_type=refresh_token", "refresh_token=r", "client_id=agent"],
      ])
  }

  @Test func `without a new refresh token there is none`() throws {
    let http = ScriptedHTTP(try response(#"{"access_token":"a2","token_type":"Bearer"}"#))
    #expect(try testServer(http).refresh(secret("r")).refreshToken == nil)
  }

  // A proxy may send such a 400 for any server.
  @Test func `a 400 without an error passes, unless the provider's data name it for a dead refresh token`() throws {
    let answers = [
      try response(400, type: nil, ""), try response(400, type: "text/html; charset=utf-8", "<html>Oauth error</html>"),
    ]
    for answer in answers {
      #expect(try refresh(answer)?.isRefusalOutsideProtocol == true)
      for name in [ProviderName.shopify, .glewlwyd] {
        let error = #expect(throws: OAuthError.self) {
          try testServer(ScriptedHTTP(answer), provider: .named(name)).refresh(secret("r1"))
        }
        #expect(error?.code == .refreshRefused && error?.code.effect == .signInNeeded, "\(name)")
      }
    }
    // Neither another status nor another request.
    for status in [401, 403, 404] {
      let server = try testServer(ScriptedHTTP(try response(status, type: nil, "")), provider: .named(.shopify))
      let error = #expect(throws: OAuthError.self) { try server.refresh(secret("r1")) }
      #expect(error?.code == .refreshBlocked)
    }
    let poll = try testServer(ScriptedHTTP(answers[0]), provider: .named(.glewlwyd)).pollDevice(secret("d"))
    guard case .transient(let error) = poll else {
      Issue.record("it ends the sign-in")
      return
    }
    #expect(error == expected(.otherServerError, subject, status: 400))
  }

  // OpenID Connect Core 1.0 section 3.1.2.6; `invalid_token` is UAA's response for an expired refresh token.
  @Test(arguments: [
    "interaction_required", "login_required", "consent_required", "account_selection_required", "invalid_token",
    "access_denied",
  ])
  func `a server that wants the person asks for a sign-in and does not end the grant`(name: String) throws {
    for status in [200, 400, 401, 403] {
      let error = try refresh(response(status, #"{"error":"\#(name)"}"#))
      #expect(error?.code == .interactionRequired && error?.serverError == name)
      #expect(error?.code.effect == .signInNeeded)
    }
  }

  // Conditional access of Microsoft Entra ID.
  @Test(arguments: ["interaction_required", "invalid_grant"])
  func `a server that names the claims that it wants asks for a sign-in with them, and ends no grant`(
    name: String
  ) throws {
    let claims = #"{"access_token":{"acrs":{"value":"c1"}}}"#
    func error(_ claims: String) throws -> OAuthError? {
      let member = String(decoding: JSON.string(claims).serialized(), as: UTF8.self)
      return try refresh(response(400, #"{"error":"\#(name)","claims":\#(member)}"#))
    }
    let wanted = try #require(try error(claims))
    #expect(wanted.code == .interactionRequired && wanted.claims?.text == claims)
    for other in ["", "1", "[]", "{", #"{"a":"r"}"# + String(repeating: " ", count: 5000)] {
      let plain = try #require(try error(other))
      #expect(plain.claims == nil && (plain.code == .invalidGrant) == (name == "invalid_grant"))
    }
  }

  private func expectSignIn(_ error: OAuthError?, _ place: SourceLocation = #_sourceLocation) {
    #expect(error?.code == .interactionRequired && error?.code.effect == .signInNeeded, sourceLocation: place)
  }

  // The values are from widely used services; none is about the client or the request.
  @Test(arguments: [
    "expired_token", "token_expired", "invalid_session", "session_expired", "unauthorized_client", "invalid_code",
    "authorization_declined", "insufficient_scope", "unsupported_token_type", "mfa_required", "Token has expired",
  ])
  func `an error that is not about the client or the request asks for a sign-in`(name: String) throws {
    for type in ["application/json", "text/html", "text/plain"] {
      for status in [200, 400, 403] {
        let error = try refresh(response(status, type: type, #"{"error":"\#(name)"}"#))
        expectSignIn(error)
        #expect(error?.serverError == name)
      }
    }
    let form = try response(400, type: "application/x-www-form-urlencoded", "error=session_gone&error_description=x")
    expectSignIn(try refresh(form))
    // The text is not a valid error code, but still a string.
    let odd = try refresh(response(400, #"{"error":"Sitzung ungültig"}"#))
    expectSignIn(odd)
    #expect(odd?.serverError == nil && odd?.serverDescription == "Sitzung ungültig")
  }

  @Test(arguments: [
    ("invalid_client", OAuthError.Code.invalidClient), ("incorrect_client_credentials", .invalidClient),
    ("invalid_scope", .invalidScopeAnswer), ("invalid_target", .invalidTargetAnswer),
    ("invalid_resource", .invalidTargetAnswer), ("unsupported_grant_type", .unsupportedGrantType),
    ("invalid_request", .invalidRequest), ("temporarily_unavailable", .serverUnavailable),
    ("server_error", .serverUnavailable), ("slow_down", .rateLimited), ("too_many_requests", .rateLimited),
  ])
  func `an error about the client, the request or the moment asks for no sign-in`(
    name: String, code: OAuthError.Code
  ) throws {
    #expect(try refresh(response(400, #"{"error":"\#(name)"}"#))?.code == code)
  }

  // RFC 6749 section 5.2: 401 is for client authentication.
  @Test func `an error that only its status makes one of the client is told apart`() throws {
    #expect(try refresh(response(401, #"{"error":"unauthorized_client"}"#))?.code == .unauthorizedClient)
    expectSignIn(try refresh(response(401, #"{"error":"session_gone"}"#)))
    #expect(try refresh(response(503, #"{"error":"session_gone"}"#))?.code == .serverUnavailable)
    #expect(try refresh(response(429, #"{"error":"session_gone"}"#))?.code == .rateLimited)
  }

  @Test(arguments: [
    "Invalid refresh_token", "Refresh token expired.", "The RefreshToken is malformed", "unknown refresh-token",
  ])
  func `a request that is invalid for its refresh token asks for a sign-in`(description: String) throws {
    let body = #"{"error":"invalid_request","error_description":"\#(description)"}"#
    expectSignIn(try refresh(response(400, body)))
    let other = #"{"error":"invalid_request","error_description":"client_secret is missing."}"#
    #expect(try refresh(response(400, other))?.code == .invalidRequest)
  }

  @Test(arguments: [
    (ProviderName.dex, 400, "invalid_request", "Refresh token expired."),
    (.dex, 400, "invalid_request", "Refresh token is invalid or has already been claimed by another client."),
    (.atlassian, 403, "unauthorized_client", "refresh_token is invalid"),
    (.atlassian, 401, "unauthorized_client", "refresh_token is invalid"),
    (.bitbucket, 400, "invalid_request", "Invalid refresh_token"),
  ])
  func `a dead refresh token in a provider's own words asks for a sign-in`(
    name: ProviderName, status: Int, error: String, description: String
  ) throws {
    let body = #"{"error":"\#(error)","error_description":"\#(description)"}"#
    #expect(throws: expected(.interactionRequired, subject, status: status, error: error, description: description)) {
      try testServer(ScriptedHTTP(try response(status, body)), provider: .named(name)).refresh(secret("r1"))
    }
  }

  // Such responses come from a server that gives no reason, or from an intermediary.
  @Test(arguments: [
    (403, #"{"message":"Forbidden"}"#, "Forbidden"), (401, #"{"errorSummary":"Not allowed"}"#, "Not allowed"),
    (404, #"{"timestamp":1,"status":404,"error":"Not Found","path":"/token"}"#, nil),
    (403, #"{"status":403,"error":"Forbidden","message":"no route"}"#, "no route"),
    (400, #"{"error":{"code":400,"message":"API key not valid","status":"X"}}"#, "API key not valid"),
    (400, #"{"error":400,"message":"Bad"}"#, "Bad"), (400, #"{"errors":[{"message":"x y"}]}"#, "x y"),
    (400, #"{"errors":"[API] Invalid"}"#, "[API] Invalid"),
    (401, #"{"fault":{"faultstring":"Invalid ApiKey","detail":{"errorcode":"x"}}}"#, "Invalid ApiKey"),
    (403, #"{"Message":"not authorized"}"#, "not authorized"), (400, #"{"code":7,"msg":"wrong"}"#, "wrong"),
    (400, #"{"error":{"code":7,"description":"too old"}}"#, "too old"), (400, #"{"errorMessage":"no"}"#, "no"),
    (400, #"{"errors":[{"status":"400","detail":"bad one"}]}"#, "bad one"), (400, "", nil),
    (422, #"{"type":"about:blank","title":"Unprocessable","detail":"gone away"}"#, "gone away"),
    (400, #"{"title":"Unprocessable"}"#, "Unprocessable"), (400, "{}", nil), (400, "null", nil), (400, "\"no\"", "no"),
    (400, #"{"detail":"\u001b[31mred\n\u202eline"}"#, "[31mred line"), (403, "", nil), (401, "", nil),
  ])
  func `a refusal without an error passes, with the words of whoever answered`(
    status: Int, body: String, words: String?
  ) throws {
    let error = try refresh(response(status, body))
    #expect(error?.code == .refreshBlocked && error?.code.effect == .temporary, "\(body)")
    #expect(error?.serverDescription == words && error?.isRefusalOutsideProtocol == true, "\(body)")
  }

  @Test(arguments: [400, 401, 403, 404, 451]) func `a page in the place of a refusal passes`(status: Int) throws {
    let page = try refresh(response(status, type: "text/html", "<html>blocked</html>"))
    #expect(page == expected(.notJSON, subject, status: status, description: "text/html"))
    #expect(page?.code.effect == .temporary && page?.isRefusalOutsideProtocol == true)
    let line = try refresh(response(status, type: "text/plain", "Access denied by policy 7\n"))
    #expect(line == expected(.notJSON, subject, status: status, description: "Access denied by policy 7"))
    let untyped = try refresh(response(status, type: nil, "<html>blocked</html>"))
    #expect(untyped?.code == .notJSON && untyped?.serverDescription == nil)
  }

  @Test func `the words of a refusal repeat no secret of the request`() throws {
    let token = "canary-refresh-token-0123456789"
    for body in [#"{"message":"\#(token)"}"#, #"{"error":{"message":"bad \#(token)"}}"#, #"{"errors":["\#(token)"]}"#] {
      let server = try testServer(ScriptedHTTP(try response(403, body)))
      #expect(throws: expected(.refreshBlocked, subject, status: 403)) { try server.refresh(secret(token)) }
    }
    let line = try testServer(ScriptedHTTP(try response(403, type: "text/plain", "no \(token)")))
    #expect(throws: expected(.notJSON, subject, status: 403, description: "text/plain")) {
      try line.refresh(secret(token))
    }
  }

  /// The refresh responses that end the grant, or require user interaction.
  private static let answers = [
    "invalid_grant", "bad_refresh_token", "interaction_required", "login_required", "consent_required",
    "account_selection_required",
  ]

  @Test func `each code that ends a grant or wants the person is the meaning of some answer`() throws {
    let codes = try Self.answers.map { name in try refresh(response(400, #"{"error":"\#(name)"}"#))?.code }
    // Errors about the key do not come from a server, and the refusal without an error is a provider's.
    for code in OAuthError.Code.allCases
    where code != .keyForeign && code != .refreshRefused && [.grantEnded, .signInNeeded].contains(code.effect) {
      #expect(codes.contains(code), "no answer means \(code)")
    }
  }

  @Test func `a 400 with a blank body does not end it`() throws {
    #expect(try refresh(response(400, type: "text/html", " ")) == expected(.refreshBlocked, subject, status: 400))
  }

  @Test(arguments: [401, 403, 404, 429, 500, 502, 503]) func `another status without a body does not end it`(
    status: Int
  ) throws {
    let error = try #require(try refresh(response(status, type: nil, "")))
    #expect(error.code != .invalidGrant)
  }

  @Test func `the name that GitHub has for a dead refresh token is known`() throws {
    #expect(
      try refresh(response(#"{"error":"bad_refresh_token"}"#))
        == expected(.invalidGrant, subject, status: 200, error: "bad_refresh_token"))
  }

  @Test func `a lost answer is told apart from a request that never left`() throws {
    let failures: [(HTTPFailure, Bool)] = [
      (HTTPFailure(.connect), false), (HTTPFailure(.timeout, requestMayHaveArrived: true), true),
      (HTTPFailure(.receive, responseStarted: true, requestMayHaveArrived: true), false),
    ]
    for (failure, lost) in failures {
      let http = ScriptedHTTP([.failure(failure)])
      let token = try secret("r")
      let server = try testServer(http)
      var error = failed(failure)
      error.isResponseUnusable = failure.responseStarted
      #expect(throws: error) { try server.refresh(token) }
      #expect(error.isResponseLost == lost)
      #expect(http.requests.count == 1)
    }
  }

  // RFC 9700 section 4.14.2: the response may contain the next refresh token, and reusing this one may end the grant.
  @Test(arguments: ["", "{", #"{"access_token":1}"#, "<html>", #"{"token_type":"Bearer"}"#])
  func `a success of which nothing can be read is told apart`(body: String) throws {
    let error = try refresh(response(body))
    #expect(error?.code == .malformedResponse && error?.isResponseUnusable == true)
    #expect(try refresh(response(500, body))?.isResponseUnusable == false)
    #expect(try refresh(response(400, #"{"error":"invalid_request"}"#))?.isResponseUnusable == false)
  }

  /// The token to store from a successful response in raw form.
  private func stored(_ body: String, status: Int = 200, type: String? = "application/json") throws -> String? {
    let http = ScriptedHTTP(try response(status, type: type, body))
    let server = try testServer(http)
    let token = try secret("r1")
    do { return try server.refresh(token).refreshToken?.text } catch { return nil }
  }

  /// Responses with a refresh token that are otherwise invalid.
  private static let oddAnswers = [
    #"{"access_token":"a","token_type":1,"refresh_token":"r2"}"#,
    #"{"access_token":"a","token_type":"mac","refresh_token":"r2"}"#,
    #"{"access_token":"a","token_type":"bearer ","refresh_token":"r2"}"#,
    #"{"token_type":"Bearer","refresh_token":"r2"}"#, #"{"refresh_token":"r2"}"#,
    #"{"access_token":"","token_type":"Bearer","refresh_token":"r2"}"#,
    #"{"access_token":"a b","token_type":"Bearer","refresh_token":"r2"}"#,
    #"{"access_token":"a","token_type":"Bearer","refresh_token":"r2","id_token":"a b"}"#,
    #"{"access_token":"a","token_type":"Bearer","refresh_token":"r2","id_token":5}"#,
    #"{"access_token":"a","token_type":"Bearer","refresh_token":"r2","error":"server_error"}"#,
    #"{"error":"invalid_grant","refresh_token":"r2"}"#, #"{"error":{"x":1},"refresh_token":"r2"}"#,
    // JSON that parsers interpret differently, in the other members.
    #"{"access_token":"a","access_token":"b","token_type":"Bearer","refresh_token":"r2"}"#,
    #"{"access_token":"a","token_type":"Bearer","refresh_token":"r2","message":"\ud800"}"#,
    #"{"access_token":"a","token_type":"Bearer","refresh_token":"r2","n":\#(String(repeating: "9", count: 99))}"#,
    #"{"access_token":"a","refresh_token":"r2","deep":\#(String(repeating: "[", count: 40))"#
      + String(repeating: "]", count: 40) + "}",
    // Truncated after the token.
    #"{"access_token":"a","token_type":"Bearer","refresh_token":"r2""#,
  ]

  // Store first: the server may have ended the token that was sent.
  @Test(arguments: oddAnswers) func `a new refresh token is read whatever else is wrong with the answer`(
    body: String
  ) throws {
    let http = ScriptedHTTP(try response(body))
    let answer = try testServer(http).refresh(secret("r1"))
    #expect(answer.refreshToken?.text == "r2")
    do {
      _ = try answer.tokens()
      Issue.record("it is taken as if nothing were wrong")
    } catch {
      #expect(error.followsSuccess && !error.isResponseUnusable)
    }
  }

  @Test func `a new refresh token is read with any success status and media type`() throws {
    let body = #"{"access_token":"a","token_type":"Bearer","refresh_token":"r2"}"#
    for status in [200, 201, 202, 299] { #expect(try stored(body, status: status) == "r2") }
    for type in [nil, "text/html", "text/plain"] { #expect(try stored(body, type: type) == "r2") }
    for status in [301, 400, 401, 500] { #expect(try stored(body, status: status) == nil) }
  }

  @Test(arguments: [
    #"{"refresh_token":"r2","refresh_token":"r3"}"#, #"{"refresh_token":"r2","refresh\u005ftoken":"r3"}"#,
    #"{"refresh_token":""}"#, #"{"refresh_token":5}"#, #"{"refresh_token":null}"#, #"{"refresh_token":"é"}"#,
    #"{"refresh_token":"a\u0000"}"#, #"[{"refresh_token":"r2"}]"#, #"{"refresh_token":"r2"} {}"#,
    #"{"refresh_token":"r2"#, #"{"a":{"refresh_token":"r2"}}"#,
    #"{"refresh_token":"\#(String(repeating: "r", count: 65_537))"}"#,
  ])
  func `what is not one refresh token in one object is none`(body: String) throws {
    #expect(try stored(body) == nil)
  }

  // Reusing the token in the same call could end the grant.
  @Test func `a success that names an error is never asked for again elsewhere, nor ends the grant by another name`()
    throws
  {
    for name in ["unsupported_grant_type", "temporarily_unavailable", "slow_down"] {
      #expect(try refresh(response(#"{"error":"\#(name)"}"#))?.isResponseUnusable == true)
    }
    #expect(try refresh(response(#"{"error":"invalid_grant"}"#))?.isResponseUnusable == false)
  }

  @Test func `a server without a token endpoint is named`() throws {
    let http = ScriptedHTTP()
    let server = try testServer(http) { $0[.token] = nil }
    #expect(throws: OAuthError(.endpointMissing, subject)) { try server.refresh(secret("r")) }
    #expect(http.requests == [])
  }

  // RFC 9449 section 5: the request proved no key.
  @Test func `a token bound to a key that we did not prove is useless`() throws {
    #expect(try refresh(response(#"{"access_token":"a","token_type":"DPoP"}"#))?.code == .unsupportedTokenType)
  }

  @Test func `a text that repeats a secret of the request is dropped`() throws {
    let token = "canary-refresh-token-0123456789"
    let key = "canary-secret"
    let answers = [
      (#"{"error":"invalid_grant","error_description":"token \#(token) is unknown"}"#, OAuthError.Code.invalidGrant),
      (#"{"error":"invalid_grant","error_description":"token \#(token.prefix(20))… is unknown"}"#, .invalidGrant),
      (#"{"error":"invalid_grant","error_description":"\u0063anary-secret"}"#, .invalidGrant),
      (#"{"error":"\#(token)"}"#, .interactionRequired),
    ]
    for (body, code) in answers {
      let http = ScriptedHTTP(try response(400, body))
      let server = try testServer(http, .post(secret(key)))
      let value = code == .invalidGrant ? "invalid_grant" : nil
      #expect(throws: expected(code, subject, status: 400, error: value)) { try server.refresh(secret(token)) }
    }
  }

  @Test func `a description that repeats nothing is kept`() throws {
    #expect(
      try refresh(response(400, #"{"error":"invalid_grant","error_description":"Token r2 is not active"}"#))
        == expected(
          .invalidGrant, subject, status: 400, error: "invalid_grant", description: "Token r2 is not active"))
  }

  @Test func `a cancelled refresh fails as cancelled`() throws {
    let cancellation = Cancellation()
    cancellation.cancel()
    let server = try testServer(ScriptedHTTP(try response(success)))
    #expect(throws: OAuthError(.cancelled, subject)) { try server.refresh(secret("r"), cancellation: cancellation) }
  }
}
