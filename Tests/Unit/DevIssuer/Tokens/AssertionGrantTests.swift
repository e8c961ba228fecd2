import Encoding
import Crypto
import TestSupport
import Testing

@testable import devissuer

/// RFC 7523 section 2.1, with the keys of a platform from an option.
@Suite struct `Tokens for an assertion` {
  private let key: IssuerKey
  private let issuer: TestIssuer

  init() throws {
    key = try IssuerKey(.ES256)
    issuer = try TestIssuer(platformKeys: key.published)
  }

  private func claims(_ changes: [String: JSON?] = [:]) -> JSONObject {
    let now = TestIssuer.startSeconds
    var claims: JSONObject = [
      "iss": "https://platform.example", "sub": "job-7", "aud": .string(issuer.issuer), "exp": .int(now + 60),
    ]
    for (name, value) in changes { claims[name] = value }
    return claims
  }

  private func send(_ assertion: String, _ more: String = "") throws -> Reply {
    try issuer.post("/token", "grant_type=\(GrantType.jwtBearer)&client_id=agent-cli&assertion=\(assertion)\(more)")
  }

  @Test func `its subject gets an access token and nothing else`() throws {
    let reply = try send(try key.sign(claims()), "&scope=openid+deploy+offline_access")
    let tokens = try issuer.tokens(of: reply)
    #expect(tokens.refresh == nil && tokens.id == nil && tokens.json["scope"]?.string == "deploy")
    #expect(try issuer.get("/resource", bearer: tokens.access).json?["subject"]?.string == "job-7")
    #expect(try issuer.counter("assertion_grants") == 1)
  }

  @Test func `it may be for the token endpoint`() throws {
    let audience: JSON = ["https://other.example", .string(issuer.issuer + "/token")]
    #expect(try send(try key.sign(claims(["aud": audience]))).status == 200)
  }

  @Test(
    arguments: [
      ["iss": nil], ["iss": "https://other.example"], ["sub": nil], ["aud": nil], ["aud": "https://other.example"],
      ["exp": nil], ["exp": .int(TestIssuer.startSeconds)], ["nbf": .int(TestIssuer.startSeconds + 1)],
    ] as [[String: JSON?]])
  func `each claim is checked (section 3)`(changes: [String: JSON?]) throws {
    #expect(try send(try key.sign(claims(changes))).failure == "400 invalid_grant")
    #expect(try issuer.counter("assertion_failures") == 1)
  }

  @Test func `it may be exchanged (RFC 8693 section 2.1)`() throws {
    let form = "grant_type=\(GrantType.tokenExchange)&client_id=agent-cli&subject_token_type="
    func exchange(_ token: String) throws -> Reply {
      try issuer.post("/token", form + "urn:ietf:params:oauth:token-type:jwt&subject_token=\(token)")
    }
    let tokens = try issuer.tokens(of: try exchange(try key.sign(claims())))
    #expect(tokens.json["issued_token_type"]?.string == "urn:ietf:params:oauth:token-type:access_token")
    #expect(try issuer.get("/resource", bearer: tokens.access).json?["subject"]?.string == "job-7")
    #expect(try exchange(try IssuerKey(.ES256).sign(claims())).failure == "400 invalid_request")
  }

  @Test func `it may prove a client (section 2.2)`() throws {
    let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    let form = "grant_type=client_credentials&client_id=agent-workload&client_assertion_type=\(type)&client_assertion="
    let tokens = try issuer.tokens(of: try issuer.post("/token", form + (try key.sign(claims()))))
    #expect(try issuer.get("/resource", bearer: tokens.access).json?["subject"]?.string == "agent-workload")
    let other = try IssuerKey(.ES256).sign(claims())
    #expect(try issuer.post("/token", form + other).failure == "401 invalid_client")
    let bare = "grant_type=client_credentials&client_id=agent-workload"
    #expect(try issuer.post("/token", bare).failure == "401 invalid_client")
  }

  @Test func `another key, no JWT or no platform is refused`() throws {
    #expect(try send(try IssuerKey(.ES256).sign(claims())).failure == "400 invalid_grant")
    #expect(try send("x").failure == "400 invalid_grant")
    #expect(
      try issuer.post("/token", "grant_type=\(GrantType.jwtBearer)&client_id=agent-cli").failure
        == "400 invalid_request")
    let alone = try TestIssuer()
    let form = "grant_type=\(GrantType.jwtBearer)&client_id=agent-cli&assertion=\(try key.sign(claims()))"
    #expect(try alone.post("/token", form).failure == "400 invalid_grant")
  }
}
