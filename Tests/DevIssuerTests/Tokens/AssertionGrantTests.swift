import Encoding
import JOSE
import TestSupport
import Testing

@testable import devissuer

/// RFC 7523 section 2.1, with the keys of a platform that an option names.
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
