import Encoding
import Crypto
import TestSupport
import Testing

@testable import devissuer

/// draft-ietf-oauth-identity-assertion-authz-grant-04, between two issuers.
@Suite struct `Assertions for another issuer` {
  private let first: TestIssuer
  private let second: TestIssuer

  init() throws {
    first = try TestIssuer("--job-token", "t0ken")
    let keys = try #require(try first.get("/jwks").json)
    second = try TestIssuer("--platform-issuer", first.issuer, platformKeys: keys)
  }

  private func exchange(_ idToken: String, _ more: String = "") throws -> Reply {
    try first.post(
      "/token",
      "grant_type=\(GrantType.tokenExchange)&client_id=agent-cli&requested_token_type=\(TokenType.identityAssertion)"
        + "&subject_token_type=\(TokenType.idToken)&subject_token=\(idToken)&audience=\(second.issuer)" + more
    )
  }

  private func send(_ assertion: String, client: String = "agent-cli") throws -> Reply {
    try second.post("/token", "grant_type=\(GrantType.jwtBearer)&client_id=\(client)&assertion=\(assertion)")
  }

  @Test func `an ID Token brings one for its user, which the other issuer takes`() throws {
    let idToken = try #require(try first.signIn().id)
    let json = try #require(try exchange(idToken, "&scope=deploy").json)
    #expect(json["issued_token_type"]?.string == TokenType.identityAssertion && json["token_type"]?.string == "N_A")
    let assertion = try #require(json["access_token"]?.string)
    let jws = try UnverifiedJWS(compact: Array(assertion.utf8).span)
    #expect(jws.type == "oauth-id-jag+jwt")
    let claims = try JWTClaims(payload: jws.unverifiedPayload)
    #expect(try claims.string("client_id") == "agent-cli" && claims.audience == [second.issuer])
    let subject = try claims.subject
    let tokens = try second.tokens(of: try send(assertion))
    #expect(try second.get("/resource", bearer: tokens.access).json?["subject"]?.string == subject)
    #expect(try first.counter("identity_assertions") == 1)
    #expect(
      try second.post("/token", "grant_type=\(GrantType.jwtBearer)&client_id=agent-cli&assertion=x").status == 400)
  }

  @Test func `another client's is refused on both sides`() throws {
    let idToken = try #require(try first.signIn().id)
    try first.control("assertion_client=somebody")
    let assertion = try #require(try exchange(idToken).json?["access_token"]?.string)
    #expect(try send(assertion).failure == "400 invalid_grant")
    #expect(try exchange("x.y.z").failure == "400 invalid_request")
    let foreign = try IssuerKey(.ES256).sign(["iss": .string(first.issuer), "sub": "ann", "aud": "agent-cli"])
    #expect(try exchange(foreign).failure == "400 invalid_request")
  }

  @Test func `a job gets one with its token, for the audience that it names`() throws {
    let path = "/job_token?api-version=2.0&audience=\(second.issuer)"
    let assertion = try #require(try first.get(path, bearer: "t0ken").json?["value"]?.string)
    #expect(try send(assertion).status == 200)
    #expect(try first.get(path, bearer: "other").status == 401 && first.get(path).status == 401)
    #expect(try second.get(path, bearer: "t0ken").status == 404)
    try first.control("assertion_lifetime=-1")
    let old = try #require(try first.get(path, bearer: "t0ken").json?["value"]?.string)
    #expect(try send(old).failure == "400 invalid_grant")
  }
}
