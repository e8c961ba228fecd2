import Encoding
import Crypto
import TestSupport
import Testing

@testable import devissuer

/// RFC 7523 section 3, with keys from an option and with registered ones.
@Suite struct `Clients that sign` {
  private struct Client {
    let issuer: TestIssuer
    let key: IssuerKey

    init(_ algorithm: JWSAlgorithm = .ES256) throws {
      let key = try IssuerKey(algorithm)
      self.key = key
      issuer = try TestIssuer(keys: key.published)
    }

    func claims(_ changes: [String: JSON?] = [:]) -> JSONObject {
      let now = TestIssuer.startSeconds
      var claims: JSONObject = [
        "iss": "agent-jwt", "sub": "agent-jwt", "aud": .string(issuer.issuer), "jti": "1", "iat": .int(now),
        "exp": .int(now + 60),
      ]
      for (name, value) in changes { claims[name] = value }
      return claims
    }

    func send(_ assertion: String, to path: String = "/device_authorization", _ more: String = "") throws -> Reply {
      try issuer.post(path, "client_assertion_type=\(Self.type)&client_assertion=\(assertion)\(more)")
    }

    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
  }

  @Test(arguments: DevelopmentIssuer.assertionAlgorithms)
  func `a signed assertion is as good as a secret`(algorithm: JWSAlgorithm) throws {
    let client = try Client(algorithm)
    #expect(try client.send(try client.key.sign(client.claims())).status == 200)
    #expect(try client.issuer.counter("client_assertions") == 1)
  }

  @Test func `it may name the issuer, the token endpoint or the endpoint that is called`() throws {
    let client = try Client()
    let base = client.issuer.issuer
    let audiences: [JSON] = [
      .string(base + "/token"), .string(base + "/device_authorization"), ["https://other.example", .string(base)],
    ]
    for (number, audience) in audiences.enumerated() {
      let claims = client.claims(["aud": audience, "jti": .string("\(number)")])
      #expect(try client.send(try client.key.sign(claims)).status == 200)
    }
  }

  @Test func `an assertion is good once (section 3, item 7)`() throws {
    let client = try Client()
    let assertion = try client.key.sign(client.claims())
    #expect(try client.send(assertion).status == 200)
    #expect(try client.send(assertion).failure == "401 invalid_client")
    // The same ID with another signature is the same assertion.
    #expect(try client.send(try client.key.sign(client.claims(["x": 1]))).failure == "401 invalid_client")
    #expect(try client.send(try client.key.sign(client.claims(["jti": "2"]))).status == 200)
  }

  @Test(
    arguments: [
      ["iss": "agent-cli"], ["iss": nil], ["sub": nil], ["sub": "agent-cli", "iss": "agent-cli"], ["aud": nil],
      ["aud": "https://other.example"], ["aud": []], ["exp": nil], ["exp": .int(TestIssuer.startSeconds)],
      ["exp": .int(TestIssuer.startSeconds + 3601)], ["exp": "soon"], ["iat": .int(TestIssuer.startSeconds + 61)],
      ["nbf": .int(TestIssuer.startSeconds + 61)], ["jti": nil], ["jti": ""],
    ] as [[String: JSON?]])
  func `each claim is checked (section 3)`(changes: [String: JSON?]) throws {
    let client = try Client()
    #expect(try client.send(try client.key.sign(client.claims(changes))).failure == "401 invalid_client")
  }

  @Test func `another key, another algorithm or no JWT is refused`() throws {
    let client = try Client()
    let other = try IssuerKey(.ES256)
    #expect(try client.send(try other.sign(client.claims())).failure == "401 invalid_client")
    #expect(try client.send("x").failure == "401 invalid_client")
    #expect(try client.send("").failure == "401 invalid_client")
    let strong = try Client(.ES512)
    #expect(try strong.send(try strong.key.sign(strong.claims())).failure == "401 invalid_client")
  }

  @Test func `two methods or two names are refused, and a secret will not do`() throws {
    let client = try Client()
    let assertion = try client.key.sign(client.claims())
    let path = "/device_authorization"
    #expect(try client.send(assertion, "&client_secret=x").failure == "400 invalid_request")
    #expect(try client.send(assertion, "&client_id=agent-cli").failure == "400 invalid_request")
    #expect(
      try client.issuer.post(path, "client_assertion_type=x&client_assertion=\(assertion)").failure
        == "400 invalid_request")
    #expect(try client.issuer.post(path, "client_id=agent-jwt&client_secret=x").failure == "401 invalid_client")
    #expect(try client.issuer.post(path, "client_id=agent-jwt").failure == "401 invalid_client")
    #expect(try client.send(assertion, "&client_id=agent-jwt").status == 200)
  }

  @Test func `a client registers its key (RFC 7591 section 2)`() throws {
    let issuer = try TestIssuer("--open-registration")
    let key = try IssuerKey(.ES256)
    var wanted: JSONObject = [
      "token_endpoint_auth_method": "private_key_jwt", "grant_types": ["client_credentials", "refresh_token"],
    ]
    #expect(try issuer.send("POST", "/register", .object(wanted)).failure == "400 invalid_client_metadata")
    wanted["jwks"] = ["keys": [key.jwk]]
    let json = try #require(try issuer.send("POST", "/register", .object(wanted)).json)
    #expect(json["client_secret"] == nil && json["jwks"] == ["keys": [key.jwk]])
    let id = try #require(json["client_id"])
    let assertion = try key.sign([
      "iss": id, "sub": id, "aud": .string(issuer.issuer), "jti": "1", "exp": .int(TestIssuer.startSeconds + 60),
    ])
    #expect(
      try issuer.post("/revoke", "token=x&client_assertion_type=\(Client.type)&client_assertion=\(assertion)").status
        == 200)
  }

  @Test func `private keys are not registered`() throws {
    let issuer = try TestIssuer("--open-registration")
    let wanted: JSON = [
      "token_endpoint_auth_method": "private_key_jwt", "grant_types": ["refresh_token"],
      "jwks": ["keys": [["kty": "oct", "k": "AA"]]],
    ]
    #expect(try issuer.send("POST", "/register", wanted).failure == "400 invalid_client_metadata")
  }

  @Test func `the keys come from a file`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.path("keys")
    try directory.write("keys", "{\"keys\":[]}")
    #expect(DevelopmentIssuerProgram.run(["--client-jwks", file]) == 1)
  }
}
