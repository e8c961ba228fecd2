import Crypto
import OAuth
import TestSupport
import Testing
import Vocabulary

private let subject = OAuthError.Subject.endpoint(.token)

/// The compared properties of an outcome.
private enum Seen: Equatable {
  case token(String)
  case pending
  case slowDown(Int?)
  case transient(OAuthError)
}

// RFC 8628 section 3.4 and 3.5.
@Suite struct `Device polls` {
  private func poll(_ reply: ScriptedHTTP.Reply) throws -> Seen {
    let http = ScriptedHTTP([reply])
    let server = try testServer(http)
    let code = try secret("dc-1")
    defer { #expect(http.requests.count == 1) }
    switch try server.pollDevice(code) {
    case .token(let answer): return .token(try answer.tokens().accessToken.text)
    case .pending: return .pending
    case .slowDown(let interval): return .slowDown(interval)
    case .transient(let error): return .transient(error)
    }
  }

  private func poll(_ status: Int, _ body: String) throws -> Seen { try poll(.success(response(status, body))) }

  // RFC 8707 section 2.2.
  @Test func `names the resources, and asks a server that refuses them again without`() throws {
    let http = ScriptedHTTP(
      try response(400, #"{"error":"invalid_target"}"#), try response(400, #"{"error":"authorization_pending"}"#))
    _ = try testServer(http).pollDevice(secret("dc-1"), resources: ["https://api.example/a"])
    let resources = http.requests.map { ($0.form ?? []).filter { $0.hasPrefix("resource=") } }
    #expect(resources == [["resource=https://api.example/a"], []])
  }

  @Test func `one POST with the code and the client`() throws {
    let http = ScriptedHTTP(try response(400, #"{"error":"authorization_pending"}"#))
    _ = try testServer(http).pollDevice(secret("dc-1"))
    #expect(
      http.requests == [
        .init(
          method: .post, url: "https://as.example/token",
          form: [
            "grant_type=urn:ietf:params:oauth:grant-type:device_code", "device_code=dc-1", "client_id=agent",
          ])
      ])
  }

  @Test func `tokens end the wait`() throws {
    #expect(try poll(200, #"{"access_token":"a","token_type":"Bearer"}"#) == .token("a"))
  }

  // The specification requires 400; Google sends 428, GitHub 200, Auth0 403, older Dex 401.
  @Test(arguments: [200, 400, 401, 403, 428, 429]) func `pending and slow_down are known by their names`(status: Int)
    throws
  {
    #expect(try poll(status, #"{"error":"authorization_pending"}"#) == .pending)
    #expect(try poll(status, #"{"error":"slow_down"}"#) == .slowDown(nil))
    #expect(try poll(status, #"{"error":"slow_down","interval":10}"#) == .slowDown(10))
  }

  @Test func `a form works as well`() throws {
    let type = "application/x-www-form-urlencoded"
    #expect(try poll(.success(response(type: type, "error=authorization_pending"))) == .pending)
    #expect(try poll(.success(response(type: type, "error=slow_down&interval=15"))) == .slowDown(15))
  }

  @Test(arguments: ["-1", #""x""#, "1e99", "null"]) func `an unreadable interval is none`(value: String) throws {
    #expect(try poll(400, #"{"error":"slow_down","interval":\#(value)}"#) == .slowDown(nil))
  }

  @Test(arguments: [
    ("access_denied", OAuthError.Code.accessDenied), ("authorization_declined", .accessDenied),
    ("expired_token", .expiredToken), ("token_expired", .expiredToken), ("invalid_grant", .invalidGrant),
    ("incorrect_device_code", .invalidGrant), ("bad_verification_code", .invalidGrant),
    ("invalid_code", .invalidGrant), ("invalid_client", .invalidClient), ("server_error", .serverUnavailable),
    ("temporarily_unavailable", .serverUnavailable), ("anything", .otherServerError),
  ])
  func `any other error ends the sign-in`(value: String, code: OAuthError.Code) throws {
    for status in [200, 400, 403] {
      #expect(throws: expected(code, subject, status: status, error: value)) {
        try poll(status, #"{"error":"\#(value)"}"#)
      }
    }
  }

  @Test(arguments: [408, 425, 500, 502, 503, 504]) func `a server in trouble is asked again`(status: Int) throws {
    #expect(try poll(status, "<html>") == .transient(expected(.serverUnavailable, subject, status: status)))
    #expect(
      try poll(status, #"{"error":"server_error"}"#)
        == .transient(expected(.serverUnavailable, subject, status: status, error: "server_error")))
  }

  // The error page of a firewall, or a server that sends no error code: the code expires on its own.
  @Test(arguments: [400, 401, 403, 404, 451]) func `a refusal without an error is asked again`(status: Int) throws {
    let page = try response(status, type: "text/html", "<html>")
    #expect(
      try poll(.success(page)) == .transient(expected(.notJSON, subject, status: status, description: "text/html")))
    for body in ["", #"{"status":400,"message":"invalid device code"}"#, #"{"error":{"message":"x"}}"#, "{}"] {
      guard case .transient = try poll(status, body) else {
        Issue.record("\(body) ends the sign-in")
        continue
      }
    }
  }

  // GitHub sends the first for an app, Microsoft Entra ID the other for an organization.
  @Test func `a device grant that is forbidden leads to the browser, where the server has one`() throws {
    func error(_ body: String, _ name: ProviderName?, hasBrowser: Bool = true) throws -> OAuthError? {
      let server = try testServer(ScriptedHTTP(try response(400, body)), provider: name.map(Provider.named)) {
        if hasBrowser { $0[.authorization] = $0[.token] }
      }
      return #expect(throws: OAuthError.self) { try server.pollDevice(secret("d")) }
    }
    let unauthorized = #"{"error":"unauthorized_client"}"#
    #expect(try error(unauthorized, nil)?.needsBrowser == true)
    #expect(try error(unauthorized, nil, hasBrowser: false)?.needsBrowser == false)
    let blocked = #"{"error":"invalid_grant","error_description":"AADSTS53003: Access has been blocked"}"#
    #expect(try error(blocked, .entra)?.needsBrowser == true)
    #expect(try error(blocked, nil)?.needsBrowser == false)
    #expect(try error(#"{"error":"access_denied"}"#, .entra)?.needsBrowser == false)
    let device = try testServer(ScriptedHTTP(try response(400, unauthorized))) {
      $0[.authorization] = $0[.token]
    }
    let refused = #expect(throws: OAuthError.self) { try device.requestDeviceAuthorization(scope: nil) }
    #expect(refused?.needsBrowser == true)
  }

  @Test func `a rate limit is asked again after its wait`() throws {
    let answer = try response(429, headers: [("Retry-After", "42")], "")
    #expect(try poll(.success(answer)) == .transient(expected(.rateLimited, subject, status: 429, retryAfter: 42)))
  }

  @Test func `a server in trouble that names the grant ends it`() throws {
    #expect(throws: expected(.invalidGrant, subject, status: 500, error: "invalid_grant")) {
      try poll(500, #"{"error":"invalid_grant"}"#)
    }
  }

  @Test(arguments: [HTTPFailure.Code.resolve, .connect, .timeout, .tls, .send, .receive, .proxy])
  func `a failed connection is tried again`(code: HTTPFailure.Code) throws {
    let failure = HTTPFailure(code)
    #expect(try poll(.failure(failure)) == .transient(failed(failure)))
  }

  @Test(arguments: [HTTPFailure.Code.certificate, .pin, .cancelled, .tooLarge, .malformed, .redirect, .setup])
  func `a failure that will not pass ends the sign-in`(code: HTTPFailure.Code) throws {
    let failure = HTTPFailure(code)
    #expect(throws: failed(failure)) { try poll(.failure(failure)) }
  }

  @Test func `a success that is none ends the sign-in`() throws {
    #expect(throws: expected(.malformedResponse, subject, status: 200)) { try poll(200, "<html>") }
  }
}
