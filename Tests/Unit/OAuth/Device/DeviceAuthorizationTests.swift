import Crypto
import OAuth
import Testing
import Vocabulary

private let subject = OAuthError.Subject.endpoint(.deviceAuthorization)

private func malformed(_ member: String) -> OAuthError {
  expected(.malformedResponse, .member(member, of: subject), status: 200)
}

// RFC 8628 section 3.1 and 3.2.
@Suite struct `Device authorization` {
  private static let members = [
    ("device_code", #""dc-1""#), ("user_code", #""WDJB-MJHT""#), ("verification_uri", #""https://as.example/go""#),
    ("expires_in", "900"),
  ]

  private func body(_ changes: [(String, String?)] = []) -> String {
    var members = Self.members
    for (name, value) in changes {
      members.removeAll { $0.0 == name }
      if let value { members.append((name, value)) }
    }
    return "{" + members.map { #""\#($0.0)":\#($0.1)"# }.joined(separator: ",") + "}"
  }

  private func parse(_ changes: [(String, String?)] = []) throws -> DeviceAuthorizationResponse {
    try DeviceAuthorizationResponse.parse(response(body(changes)))
  }

  @Test func `one POST with the client and the scope`() throws {
    let http = ScriptedHTTP(try response(body()))
    let codes = try testServer(http).requestDeviceAuthorization(scope: Scope("openid offline_access"))
    #expect(codes.deviceCode.text == "dc-1")
    #expect(codes.userCode == "WDJB-MJHT")
    #expect(codes.verificationURI == "https://as.example/go")
    #expect(codes.verificationURIComplete == nil)
    #expect(codes.expiresIn == 900)
    #expect(codes.interval == 5)
    #expect(
      http.requests == [
        .init(
          method: .post, url: "https://as.example/device", form: ["scope=openid offline_access", "client_id=agent"])
      ])
  }

  // RFC 6749 section 3.3: some servers interpret an empty scope as all scopes.
  @Test(arguments: [nil, ""] as [String?]) func `an empty scope is not sent`(scope: String?) throws {
    let http = ScriptedHTTP(try response(body()))
    _ = try testServer(http).requestDeviceAuthorization(scope: scope.map { try Scope($0) })
    #expect(http.requests.map(\.form) == [["client_id=agent"]])
  }

  // RFC 8707 section 2.1.
  @Test func `the resource and the audience of the sign-in are named`() throws {
    let http = ScriptedHTTP(try response(body()))
    let target = try TokenTarget(scope: [], resources: ["https://a.example/"], audience: "api")
    _ = try testServer(http).requestDeviceAuthorization(scope: Scope("openid"), target: target)
    #expect(
      http.requests.map(\.form) == [
        ["scope=openid", "resource=https://a.example/", "audience=api", "client_id=agent"]
      ])
  }

  @Test func `a client with a secret authenticates`() throws {
    let http = ScriptedHTTP(try response(body()))
    _ = try testServer(http, .post(secret("s"))).requestDeviceAuthorization(scope: nil)
    #expect(http.requests.map(\.form) == [["client_id=agent", "client_secret=s"]])
  }

  // RFC 8628 section 3.1: required only without an `Authorization` header, but harmless with it.
  @Test func `a client that authenticates by the header is named in the form, too`() throws {
    let http = ScriptedHTTP(try response(body()))
    _ = try testServer(http, .basic(secret("s"))).requestDeviceAuthorization(scope: nil)
    #expect(http.requests.map(\.form) == [["client_id=agent"]])
    #expect(http.requests.map(\.authorization) == ["Basic YWdlbnQ6cw=="])
  }

  @Test func `the complete URL is kept`() throws {
    let codes = try parse([("verification_uri_complete", #""https://as.example/go?c=1""#)])
    #expect(codes.verificationURIComplete == "https://as.example/go?c=1")
  }

  // Google's names.
  @Test func `the older names of the URLs are read`() throws {
    let codes = try parse([
      ("verification_uri", nil), ("verification_url", #""https://g.example/device""#),
      ("verification_url_complete", #""https://g.example/device?c""#),
    ])
    #expect(codes.verificationURI == "https://g.example/device")
    #expect(codes.verificationURIComplete == "https://g.example/device?c")
    let both = try parse([("verification_url", #""https://other.example""#)])
    #expect(both.verificationURI == "https://as.example/go")
  }

  @Test(arguments: ["device_code", "user_code", "verification_uri", "expires_in"])
  func `a required member must be there`(name: String) {
    #expect(throws: malformed(name)) { try parse([(name, nil)]) }
    #expect(throws: malformed(name)) { try parse([(name, "null")]) }
    #expect(throws: malformed(name)) { try parse([(name, "[]")]) }
  }

  @Test(arguments: [#""""#, #""A\u001b[2JB""#, #""A\nB""#, #""A\u202eB""#, #""A\u200bB""#])
  func `a user code with hidden characters is refused`(value: String) {
    #expect(throws: malformed("user_code")) { try parse([("user_code", value)]) }
  }

  @Test func `a user code is shown as it came and has at most 128 bytes`() throws {
    let long = String(repeating: "x", count: 128)
    #expect(try parse([("user_code", #""\#(long)""#)]).userCode == long)
    #expect(throws: malformed("user_code")) { try parse([("user_code", #""\#(long)x""#)]) }
    #expect(try parse([("user_code", #"" ab-Cd é ""#)]).userCode == " ab-Cd é ")
  }

  @Test func `a URL with hidden characters or more than 2,048 bytes is refused`() throws {
    #expect(throws: malformed("verification_uri")) {
      try parse([("verification_uri", #""https://as.example/\u0007""#)])
    }
    let longest = "https://as.example/" + String(repeating: "x", count: 2029)
    #expect(try parse([("verification_uri", #""\#(longest)""#)]).verificationURI == longest)
    #expect(throws: malformed("verification_uri")) { try parse([("verification_uri", #""\#(longest)x""#)]) }
  }

  // RFC 8628 section 3.2: this address is optional; the other one and the code are enough.
  @Test(arguments: ["verification_uri_complete", "verification_url_complete"])
  func `an address with the code that cannot be used is none`(name: String) throws {
    for address in [
      "", "as.example/go?c", "javascript:alert(1)", "http://as.example/go", #"https://as.example/\u0007"#,
      "https://as.example/ä", "https://as.example/" + String(repeating: "x", count: 2030),
    ] {
      let codes = try parse([("verification_uri_complete", nil), (name, #""\#(address)""#)])
      #expect(codes.verificationURIComplete == nil && codes.verificationURI == "https://as.example/go", "\(address)")
    }
  }

  @Test func `an empty address is none`() throws {
    let codes = try parse([("verification_uri", #""""#), ("verification_url", #""https://g.example/device""#)])
    #expect(codes.verificationURI == "https://g.example/device")
  }

  @Test func `an address that is not https is a bad answer`() {
    for address in [
      "as.example/go", "javascript:alert(1)", "http://as.example/go", "http://127.0.0.1:8080/go", "file:///etc/passwd",
      "data:text/html,x", "//as.example/go", "ssh://as.example/", "https:", "HTTP://as.example", "x-app://go", "/go",
      "https//as.example", "http://localhost/go", "vbscript:x", " https://as.example/go",
    ] {
      #expect(throws: malformed("verification_uri"), "\(address)") {
        try parse([("verification_uri", #""\#(address)""#)])
      }
    }
  }

  @Test func `an address of http to this machine is one where the account allows that`() throws {
    let members = [("verification_uri", #""http://127.0.0.1:8080/go""#)]
    let url = try Endpoint("http://127.0.0.1:8080/go", allowHTTPLoopback: true).text
    for isAllowed in [true, false] {
      let http = ScriptedHTTP(try response(body(members)))
      let server = try testServer(http, allowHTTPLoopback: isAllowed)
      if isAllowed {
        #expect(try server.requestDeviceAuthorization(scope: nil).verificationURI == url)
      } else {
        #expect(throws: malformed("verification_uri")) { try server.requestDeviceAuthorization(scope: nil) }
      }
    }
  }

  @Test(arguments: [#""""#, #""a\nb""#, #""é""#])
  func `a device code with other characters is refused`(value: String) {
    #expect(throws: malformed("device_code")) { try parse([("device_code", value)]) }
  }

  @Test(arguments: ["0", "-1", #""x""#, "1e400", "0.5"]) func `a lifetime that is no lifetime is refused`(value: String)
  {
    #expect(throws: malformed("expires_in")) { try parse([("expires_in", value)]) }
  }

  // RFC 8628 section 3.2: the default interval is 5.
  @Test(arguments: [
    ("0", 5), ("-3", 5), ("null", 5), (#""x""#, 5), ("{}", 5), ("1e400", 5), ("7", 7), (#""7""#, 7), ("2.1", 3),
    ("61", 61),
    ("1e18", 86_400),
  ])
  func `an interval that cannot be used is five seconds`(value: String, seconds: Int) throws {
    #expect(try parse([("interval", value)]).interval == seconds)
  }

  @Test func `an error of this endpoint is an OAuth error`() throws {
    let http = ScriptedHTTP(try response(400, #"{"error":"unauthorized_client"}"#))
    #expect(throws: expected(.unauthorizedClient, subject, status: 400, error: "unauthorized_client")) {
      try testServer(http).requestDeviceAuthorization(scope: nil)
    }
  }

  @Test func `a server without the endpoint has no device grant`() throws {
    let server = try testServer(ScriptedHTTP()) { $0[.deviceAuthorization] = nil }
    #expect(throws: OAuthError(.endpointMissing, subject)) { try server.requestDeviceAuthorization(scope: nil) }
  }
}
