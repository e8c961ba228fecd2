import Crypto
import OAuth
import Testing
import Vocabulary

private let subject = OAuthError.Subject.endpoint(.introspection)
private let url = "https://as.example/introspect"

// RFC 7662.
@Suite struct `Introspection` {
  private func server(
    _ http: ScriptedHTTP, _ authentication: ClientAuthentication? = nil
  ) throws -> AuthorizationServer {
    try testServer(http, authentication ?? .post(try secret("s"))) {
      $0[.introspection] = try? endpoint(url)
    }
  }

  private func ask(_ http: ScriptedHTTP) throws -> Bool {
    try server(http).introspect(secret("r"), hint: .refreshToken)
  }

  // Section 2.1.
  @Test func `is one POST with the token, its kind and the client's proof`() throws {
    let http = ScriptedHTTP(try response(200, #"{"active":true}"#))
    #expect(try ask(http))
    #expect(
      http.requests == [
        ScriptedHTTP.Recorded(
          method: .post, url: url,
          form: ["token=r", "token_type_hint=refresh_token", "client_id=agent", "client_secret=s"])
      ])
  }

  // Section 2.2.
  @Test(arguments: [
    (#"{"active":true,"scope":"a","sub":"x","exp":1}"#, true), (#"{"active":false}"#, false),
    (#"{"active":false,"sub":"x"}"#, false),
  ]) func `is answered by one member alone`(body: String, isActive: Bool) throws {
    #expect(try ask(ScriptedHTTP(try response(200, body))) == isActive)
  }

  @Test(arguments: ["{}", #"{"active":"true"}"#, #"{"active":1}"#, #"{"active":null}"#, "[]", "true", "", "<html>"])
  func `without a clear answer is none`(body: String) throws {
    #expect(throws: expected(.malformedResponse, .member("active", of: subject), status: 200)) {
      _ = try ask(ScriptedHTTP(try response(200, body)))
    }
  }

  @Test func `in another format is none`() throws {
    let answer = try response(200, type: "application/jwt", #"{"active":true}"#)
    #expect(throws: expected(.malformedResponse, subject, status: 200, description: "application/jwt")) {
      _ = try ask(ScriptedHTTP(answer))
    }
  }

  // Section 2.3.
  @Test func `is refused to a client that the server does not know`() throws {
    let answer = try response(401, #"{"error":"invalid_client"}"#)
    #expect(throws: expected(.invalidClient, subject, status: 401, error: "invalid_client")) {
      _ = try ask(ScriptedHTTP(answer))
    }
  }

  @Test func `is for clients that can prove who they are, at servers that offer it`() throws {
    let http = ScriptedHTTP()
    #expect(try server(http).canIntrospect)
    #expect(try server(http, .basic(secret("s"))).canIntrospect)
    #expect(try !server(http, ClientAuthentication.none).canIntrospect)
    #expect(try !testServer(http, .post(secret("s"))).canIntrospect)
    #expect(throws: expected(.endpointMissing, subject)) {
      _ = try testServer(http, .post(secret("s"))).introspect(secret("r"), hint: .refreshToken)
    }
  }
}
