import OAuth
import Testing
import Vocabulary

/// draft-ietf-oauth-identity-assertion-authz-grant-04.
@Suite struct `An assertion for the user of another server` {
  private static let type = "urn:ietf:params:oauth:token-type:id-jag"

  private func ask(_ http: ScriptedHTTP) throws -> String {
    try testServer(http).requestIdentityAssertion(
      by: try secret("h.id-token.s"), for: "https://other.example", scope: try Scope(values: ["deploy"]),
      resources: ["https://api.example"], cancellation: Cancellation()
    ).text
  }

  @Test func `is what an ID Token is traded for, for another server`() throws {
    let http = ScriptedHTTP(
      try response(#"{"access_token":"h.jag.s","issued_token_type":"\#(Self.type)","token_type":"N_A"}"#))
    #expect(try ask(http) == "h.jag.s")
    #expect(
      http.requests.last?.form == [
        "grant_type=urn:ietf:params:oauth:grant-type:token-exchange", "requested_token_type=\(Self.type)",
        "audience=https://other.example", "resource=https://api.example", "scope=deploy",
        "subject_token=h.id-token.s", "subject_token_type=urn:ietf:params:oauth:token-type:id_token",
        "client_id=agent",
      ])
  }

  @Test(
    arguments: [
      ("urn:ietf:params:oauth:token-type:access_token", .unsupportedTokenType), (nil, .malformedResponse),
    ] as [(String?, OAuthError.Code)])
  func `is refused when it is of another type`(type: String?, code: OAuthError.Code) throws {
    let member = type.map { #","issued_token_type":"\#($0)""# } ?? ""
    let http = ScriptedHTTP(try response(#"{"access_token":"at-1","token_type":"Bearer"\#(member)}"#))
    let error = #expect(throws: OAuthError.self) { try ask(http) }
    #expect(error?.code == code)
  }

  @Test func `is not told of in an error that repeats the ID Token`() throws {
    let answer = #"{"error":"invalid_request","error_description":"no: h.id-token.s"}"#
    let error = #expect(throws: OAuthError.self) { try ask(ScriptedHTTP(try response(400, answer))) }
    #expect(error?.serverError == "invalid_request" && error?.serverDescription?.contains("id-token") != true)
  }
}

/// https://docs.github.com/en/actions/reference/security/oidc
@Suite struct `The service that gives a job its assertion` {
  private func ask(
    _ http: ScriptedHTTP, _ url: String = "https://run.example/token?api-version=2.0",
    _ transport: Transport = Transport()
  ) throws -> Result<String, AssertionProblem> {
    try WorkflowTokenService(url: try secret(url), token: try secret("job-token")).assertion(
      for: "https://as.example/tenant?a", transport: transport, http: http, cancellation: Cancellation()
    ).map(\.text)
  }

  @Test func `is asked with the token of the job, for the audience`() throws {
    let http = ScriptedHTTP(try response(#"{"count":7,"value":"h.p.s"}"#))
    var transport = Transport()
    transport.pins = ["sha256//AAAA"]
    #expect(try ask(http, "https://run.example/token?api-version=2.0", transport) == .success("h.p.s"))
    let request = try #require(http.requests.last)
    #expect(
      request.url == "https://run.example/token?api-version=2.0&audience=https%3A%2F%2Fas.example%2Ftenant%3Fa")
    #expect(request.method == .get && request.authorization == "Bearer job-token" && !request.followsRedirects)
    #expect(request.limit == 131_072)
    // The pins are only for the authorization server.
    #expect(http.transports.last?.pins == [])
  }

  @Test(arguments: [
    "http://run.example/token", "http://127.0.0.1/token", "file:///token", "run.example", "https://run.example/#x",
  ])
  func `is asked over https alone`(url: String) throws {
    let http = ScriptedHTTP()
    #expect(throws: OAuthError.self) { try ask(http, url) }
    #expect(http.requests.isEmpty)
  }

  @Test(arguments: [400, 401, 403, 404]) func `gives none to whom it is not for`(status: Int) throws {
    #expect(try ask(ScriptedHTTP(try response(status, "{}"))) == .failure(.refused(status: status)))
  }

  @Test(
    arguments: [
      (503, "", .serverUnavailable), (429, "", .rateLimited), (307, "", .redirectRefused),
      (503, #"{"error":"server_error","error_description":"no: job-token"}"#, .serverUnavailable),
      (200, "{}", .malformedResponse), (200, #"{"value":7}"#, .malformedResponse),
      (200, #"{"value":"a b"}"#, .malformedResponse), (200, "[]", .malformedResponse),
    ] as [(Int, String, OAuthError.Code)])
  func `fails as a server does, and no error repeats its token`(
    status: Int, body: String, code: OAuthError.Code
  ) throws {
    let error = #expect(throws: OAuthError.self) { try ask(ScriptedHTTP(try response(status, body))) }
    let origin = OAuthError.Subject.name("https://run.example")
    #expect(error?.code == code && [origin, .member("value", of: origin)].contains(error?.subject))
    #expect(error?.serverDescription?.contains("job-token") != true)
  }
}
