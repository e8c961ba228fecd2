import Encoding
import OAuth
import Testing
import Vocabulary

/// RFC 7521 section 4.1, RFC 7523 sections 2.1 and 3.
@Suite struct `An assertion` {
  private static let now = 1_700_000_000
  private static let here = "https://as.example/tenant"

  private static func compact(
    _ changes: [String: JSON?] = [:], header: JSON = ["alg": "ES256", "kid": "k"], signature: String = "c2ln"
  ) -> String {
    var claims: JSONObject = [
      "iss": "https://platform.example", "sub": "job-7", "aud": .string(here), "exp": .int(now + 300),
      "nbf": .int(now - 5),
    ]
    for (name, value) in changes { claims[name] = value }
    let parts = [header, .object(claims)].map { Base64URL.encode($0.serialized()) }
    return (parts + [signature]).joined(separator: ".")
  }

  private func problem(
    _ text: String, for audience: String = here, now: Int = now
  ) throws -> AssertionProblem? {
    let given = try secret(text)
    do throws(AssertionProblem) {
      try BearerAssertion(given).check(for: audience, now: now)
      return nil
    } catch {
      return error
    }
  }

  @Test func `is traded by the grant of its own name, with the scope, the target and the client`() throws {
    let http = ScriptedHTTP(try response(#"{"access_token":"at-1","token_type":"Bearer"}"#))
    let text = Self.compact()
    let tokens = try testServer(http).tokens(
      for: try BearerAssertion(try secret(text)), scope: try Scope(values: ["deploy"]),
      target: try TokenTarget(scope: [], resources: ["https://api.example"], audience: nil))
    #expect(tokens.accessToken.text == "at-1")
    #expect(
      http.requests.last?.form == [
        "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion=\(text)", "scope=deploy",
        "resource=https://api.example", "client_id=agent",
      ])
  }

  @Test func `is the subject of an exchange, which brings an access token`() throws {
    let type = "urn:ietf:params:oauth:token-type:access_token"
    let start = #"{"access_token":"at-1","token_type":"Bearer""#
    let http = ScriptedHTTP(
      try response(start + #","issued_token_type":"\#(type)"}"#), try response(start + "}"),
      try response(start + #","issued_token_type":"urn:ietf:params:oauth:token-type:jwt"}"#))
    let text = Self.compact()
    let assertion = try BearerAssertion(try secret(text))
    let server = try testServer(http)
    #expect(try server.tokens(for: assertion, by: .tokenExchange, scope: nil).accessToken.text == "at-1")
    #expect(
      http.requests.last?.form == [
        "grant_type=urn:ietf:params:oauth:grant-type:token-exchange", "subject_token=\(text)",
        "subject_token_type=urn:ietf:params:oauth:token-type:jwt", "requested_token_type=\(type)", "client_id=agent",
      ])
    for code in [OAuthError.Code.malformedResponse, .unsupportedTokenType] {
      let error = #expect(throws: OAuthError.self) {
        try server.tokens(for: assertion, by: .tokenExchange, scope: nil)
      }
      #expect(error?.code == code)
    }
  }

  @Test func `proves who the client is, and nothing else does`() throws {
    let text = Self.compact()
    let http = ScriptedHTTP(
      try response(#"{"access_token":"at-1","token_type":"Bearer"}"#),
      try response(401, #"{"error":"invalid_client"}"#))
    let assertion = try BearerAssertion(try secret(text))
    let server = try testServer(http, .post(try secret("s")))
    _ = try server.tokens(for: assertion, by: .clientCredentials, scope: try Scope(values: ["deploy"]))
    #expect(http.requests.last?.authorization == nil)
    #expect(
      http.requests.last?.form == [
        "grant_type=client_credentials", "scope=deploy", "client_id=agent",
        "client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer", "client_assertion=\(text)",
      ])
    let error = #expect(throws: OAuthError.self) {
      try server.tokens(for: assertion, by: .clientCredentials, scope: nil)
    }
    #expect(error?.code == .assertionRejected)
  }

  // RFC 7521 section 4.1.1; Microsoft Entra ID sends invalid_request for an unreadable JWT.
  @Test(arguments: ["invalid_grant", "invalid_request"])
  func `that the server does not take is no end of a session, and no error repeats it`(name: String) throws {
    let text = Self.compact()
    let http = ScriptedHTTP(try response(400, #"{"error":"\#(name)","error_description":"not good: \#(text)"}"#))
    let assertion = try BearerAssertion(try secret(text))
    let error = #expect(throws: OAuthError.self) { try testServer(http).tokens(for: assertion, scope: nil) }
    #expect(error?.code == .assertionRejected && error?.code.effect == .permanent && error?.serverError == name)
    #expect(error?.serverDescription == nil)
  }

  @Test(arguments: [
    "", "x", "a.b", "e30.e30.c2ln", compact(signature: ""), compact() + ".x.y", compact(header: ["alg": "none"]),
    compact() + "=", compact() + "\n", "{\"payload\":\"\"}",
  ]) func `is a signed JWT in compact form`(text: String) throws {
    #expect(try problem(text.isEmpty ? "." : text) == .malformed)
  }

  @Test(arguments: ["ES256", "RS256", "HS256"]) func `may be signed by a key or under a secret`(name: String) throws {
    #expect(try problem(Self.compact(header: ["alg": .string(name)])) == nil)
  }

  @Test func `has 64 KiB at most`() throws {
    #expect(try problem(Self.compact(["x": .string(String(repeating: "x", count: 66_000))])) == .tooLong)
  }

  @Test(
    arguments: [
      ("iss", nil), ("iss", 1), ("sub", nil), ("sub", []), ("aud", nil), ("aud", []), ("aud", 1), ("exp", nil),
      ("exp", "soon"), ("nbf", "now"),
    ] as [(String, JSON?)])
  func `has each claim that the section demands, of its type`(name: String, value: JSON?) throws {
    #expect(try problem(Self.compact([name: value])) == .claim(name))
  }

  @Test func `is sent while its time is good, by clocks that differ by a minute`() throws {
    #expect(try problem(Self.compact(), now: Self.now + 300 + 59) == nil)
    #expect(try problem(Self.compact(), now: Self.now + 300 + 60) == .expired(seconds: 60))
    #expect(try problem(Self.compact(), now: Self.now - 5 - 60) == nil)
    #expect(try problem(Self.compact(), now: Self.now - 5 - 61) == .notYetValid(seconds: 61))
  }

  @Test func `is for this server among others, byte for byte`() throws {
    let several: JSON = ["https://other.example", .string(Self.here)]
    #expect(try problem(Self.compact(["aud": several])) == nil)
    for other in [Self.here + "/", "https://AS.example/tenant", "https://as.example"] {
      #expect(try problem(Self.compact(["aud": .string(other)])) == .wrongAudience(expected: Self.here))
    }
  }

  @Test(arguments: [("agent", true), ("Agent", false), (nil, false), (7, false)] as [(JSON?, Bool)])
  func `that was got by an ID Token is for this client`(name: JSON?, isFine: Bool) throws {
    let assertion = try BearerAssertion(try secret(Self.compact(["client_id": name])))
    let expected = isFine ? nil : AssertionProblem.wrongClient(expected: "agent")
    do throws(AssertionProblem) {
      try assertion.check(isFor: "agent")
      #expect(expected == nil)
    } catch {
      #expect(error == expected)
    }
  }

  @Test(
    arguments: [
      ("issuer", here), ("token_endpoint", "https://as.example/token"), ("endpoint", "https://as.example/token"),
      ("api://exchange", "api://exchange"),
    ]) func `is for what the settings name`(word: String, expected: String) throws
  {
    let metadata = try testServer(ScriptedHTTP()).metadata
    #expect(AssertionAudience(word).text(metadata[.token], metadata) == expected)
  }
}
