import OAuth
import Testing
import Vocabulary

/// Restricted targets of a token: RFC 8707, RFC 8693.
@Suite struct `A token's target` {
  @Test func `is none when nothing is asked for`() throws {
    #expect(try TokenTarget(scope: [], resources: [], audience: nil) == nil)
    #expect(try TokenTarget(scope: [], resources: [], audience: nil, usesTokenExchange: true) != nil)
  }

  @Test func `is the same whatever the order in which it is named`() throws {
    let one = try TokenTarget(
      scope: ["a b"], resources: ["https://x.example/", "https://y.example/"], audience: nil)
    let other = try TokenTarget(
      scope: ["b", "a"], resources: ["https://y.example/", "https://x.example/", "https://y.example/"], audience: nil)
    #expect(one == other && one?.hashValue == other?.hashValue)
    #expect(try TokenTarget(scope: ["a"], resources: [], audience: nil) != one)
  }

  @Test(arguments: ["", "backend", "/path", "https://x.example/#part"])
  func `takes as a resource only an absolute URI without a fragment (RFC 8707 section 2)`(_ resource: String) {
    #expect(throws: OAuthError(.invalidTarget, .resource)) {
      try TokenTarget(scope: [], resources: [resource], audience: nil)
    }
  }

  @Test(arguments: ["", "a b", "a\nb", "é", String(repeating: "x", count: 513)])
  func `takes as an audience only printable text without spaces`(_ audience: String) {
    #expect(throws: OAuthError(.invalidTarget, .audience)) {
      try TokenTarget(scope: [], resources: [], audience: audience)
    }
  }

  @Test func `has a limit on resources`() throws {
    let many = (1...17).map { "https://x.example/\($0)" }
    _ = try TokenTarget(scope: [], resources: Array(many.prefix(16)), audience: nil)
    #expect(throws: OAuthError(.invalidTarget, .resource)) {
      try TokenTarget(scope: [], resources: many, audience: nil)
    }
  }

  @Test func `goes with a refresh (RFC 8707 section 2.2)`() throws {
    let http = ScriptedHTTP(try response(#"{"access_token":"a","token_type":"Bearer"}"#))
    let target = try TokenTarget(
      scope: ["read"], resources: ["https://api.example/x?y=z"], audience: "backend",
      authorizationDetails: #"[ {"type": "payment"} ]"#)
    _ = try testServer(http).refresh(secret("r"), for: target)
    #expect(
      http.requests.map(\.form) == [
        [
          "grant_type=refresh_token", "refresh_token=r", "scope=read", "resource=https://api.example/x?y=z",
          "audience=backend", #"authorization_details=[{"type":"payment"}]"#, "client_id=agent",
        ]
      ])
  }

  @Test(arguments: ["", "{}", "[{}]", "[1]", "[{\"type\":\"\(String(repeating: "x", count: 4096))\"}]"])
  func `authorization details are objects with a type (RFC 9396 section 2)`(text: String) {
    #expect(throws: OAuthError(.invalidAuthorizationDetails, .name("authorization_details"))) {
      try TokenTarget(scope: [], resources: [], audience: nil, authorizationDetails: text)
    }
  }

  @Test
  func `a refusal of the target is told apart from a session that is over (RFC 8707 section 2, RFC 9396 section 5)`()
    throws
  {
    for error in ["invalid_target", "invalid_authorization_details"] {
      let http = ScriptedHTTP(try response(400, #"{"error":"\#(error)"}"#))
      let target = try TokenTarget(scope: [], resources: [], audience: "backend")
      #expect(throws: expected(.invalidTargetAnswer, .endpoint(.token), status: 400, error: error)) {
        try testServer(http).refresh(secret("r"), for: target)
      }
    }
  }

  @Test func `an access token is traded for another (RFC 8693 section 2.1)`() throws {
    let http = ScriptedHTTP(
      try response(
        #"{"access_token":"b","token_type":"Bearer","expires_in":60,"issued_token_type":"#
          + #""urn:ietf:params:oauth:token-type:access_token"}"#))
    let target = try #require(try TokenTarget(scope: [], resources: [], audience: "backend", usesTokenExchange: true))
    let answer = try testServer(http).exchange(secret("mine"), for: target)
    #expect(answer.expiresIn == 60)
    #expect(
      http.requests.map(\.form) == [
        [
          "grant_type=urn:ietf:params:oauth:grant-type:token-exchange", "subject_token=mine",
          "subject_token_type=urn:ietf:params:oauth:token-type:access_token",
          "requested_token_type=urn:ietf:params:oauth:token-type:access_token", "audience=backend", "client_id=agent",
        ]
      ])
  }
}
