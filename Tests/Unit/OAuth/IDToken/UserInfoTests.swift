import Crypto
import Encoding
import OAuth
import Testing
import Vocabulary

private let subject = OAuthError.Subject.endpoint(.userinfo)

// OpenID Connect Core 1.0 section 5.3.
@Suite struct `UserInfo` {
  private func ask(_ answer: HTTPResponse, subject: String? = "alice") throws -> JSONObject {
    try testServer(ScriptedHTTP(answer)).fetchUserInfo(accessToken: secret("at"), expectedSubject: subject)
  }

  // RFC 6750 section 2.1.
  @Test func `one GET with the token in the header`() throws {
    let http = ScriptedHTTP(
      try response(
        #"{"sub":"alice","_claim_names":{"x":"src"},"_claim_sources":{"src":{"endpoint":"https://claims.example/x"}},"name":"A"}"#
      ))
    let claims = try testServer(http, .basic(secret("s"))).fetchUserInfo(
      accessToken: secret("at"), expectedSubject: "alice")
    #expect(claims.names == ["sub", "_claim_names", "_claim_sources", "name"])
    #expect(
      http.requests == [.init(method: .get, url: "https://as.example/userinfo", authorization: "Bearer at")])
  }

  // Section 5.3.2.
  @Test(arguments: ["bob", "Alice", "alice ", "alicé", "alice\u{301}"])
  func `an answer about anyone else is void`(other: String) throws {
    #expect(throws: OAuthError(.userInfoMismatch, subject)) { try ask(response(#"{"sub":"\#(other)"}"#)) }
  }

  @Test func `the same text in other bytes is another subject`() throws {
    let answer = try response(#"{"sub":"e\u0301"}"#)
    #expect(throws: OAuthError(.userInfoMismatch, subject)) { try ask(answer, subject: "\u{e9}") }
  }

  @Test(arguments: ["{}", #"{"sub":null}"#, #"{"sub":1}"#, #"{"sub":""}"#])
  func `an answer without a subject is malformed`(body: String) throws {
    for known in ["alice", nil] {
      #expect(throws: expected(.malformedResponse, .member("sub", of: subject), status: 200)) {
        try ask(response(body), subject: known)
      }
    }
  }

  @Test func `without an ID Token any subject will do`() throws {
    #expect(try ask(response(#"{"sub":"x"}"#), subject: nil)["sub"] == "x")
  }

  @Test(arguments: ["application/jwt", "text/html"]) func `a body that is no JSON is malformed`(type: String) throws {
    let answer = try response(type: type, #"{"sub":"alice"}"#)
    #expect(throws: expected(.malformedResponse, subject, status: 200, description: type)) { try ask(answer) }
    let page = try response(type: type, "<html>")
    #expect(throws: expected(.notJSON, subject, status: 200, description: type)) { try ask(page) }
    let blocked = try response(403, type: "text/html", "<html>")
    #expect(throws: expected(.notJSON, subject, status: 403, description: "text/html")) { try ask(blocked) }
    #expect(throws: expected(.malformedResponse, subject, status: 200)) { try ask(response("[]")) }
  }

  // RFC 6750 section 3.1.
  @Test func `a refused token is told apart from a missing scope`() throws {
    #expect(throws: expected(.invalidToken, subject, status: 401)) { try ask(response(401, type: nil, "")) }
    #expect(throws: expected(.invalidToken, subject, status: 401, error: "invalid_token", description: "gone")) {
      try ask(response(401, #"{"error":"invalid_token","error_description":"gone"}"#))
    }
    #expect(throws: expected(.insufficientScope, subject, status: 403)) { try ask(response(403, type: nil, "")) }
    #expect(throws: expected(.invalidRequest, subject, status: 400, error: "invalid_request")) {
      try ask(response(400, #"{"error":"invalid_request"}"#))
    }
    #expect(throws: expected(.serverUnavailable, subject, status: 503)) { try ask(response(503, "")) }
  }

  @Test func `a server without the endpoint is named`() throws {
    let server = try testServer(ScriptedHTTP()) { $0[.userinfo] = nil }
    #expect(throws: OAuthError(.endpointMissing, subject)) {
      try server.fetchUserInfo(accessToken: secret("at"), expectedSubject: nil)
    }
  }

  @Test func `a description that repeats the access token is dropped`() throws {
    let server = try testServer(
      ScriptedHTTP(try response(401, #"{"error":"invalid_token","error_description":"canary-token"}"#)))
    #expect(throws: expected(.invalidToken, subject, status: 401, error: "invalid_token")) {
      try server.fetchUserInfo(accessToken: secret("canary-token"), expectedSubject: nil)
    }
  }
}
