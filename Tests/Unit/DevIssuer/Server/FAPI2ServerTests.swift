import Encoding
import Crypto
import TestSupport
import Testing

@testable import devissuer

/// Section 5.3.2 of the FAPI 2.0 Security Profile, beyond the issuer's defaults.
@Suite struct `A server that does what FAPI 2.0 demands` {
  private let key: IssuerKey
  private let issuer: TestIssuer

  init() throws {
    key = try IssuerKey(.ES256)
    issuer = try TestIssuer("--fapi2", keys: key.published)
  }

  private static let assertionType =
    "client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer&client_assertion="

  private func assertion(_ key: IssuerKey, _ issuer: TestIssuer, _ audience: JSON? = nil) throws -> String {
    let claims: JSONObject = [
      "iss": "agent-jwt", "sub": "agent-jwt", "aud": audience ?? .string(issuer.issuer), "jti": "1",
      "exp": .int(TestIssuer.startSeconds + 60),
    ]
    return Self.assertionType + (try key.sign(claims))
  }

  private func push(_ audience: JSON? = nil) throws -> Reply {
    try issuer.post(
      "/par",
      "client_id=agent-jwt&response_type=code&redirect_uri=http://127.0.0.1:1/&code_challenge_method=S256"
        + "&code_challenge=\(Base64URL.encode([UInt8](repeating: 1, count: 32)))"
        + "&\(try assertion(key, issuer, audience))")
  }

  @Test func `announces that and nothing weaker`() throws {
    let metadata = try #require(try issuer.get("/.well-known/openid-configuration").json)
    #expect(metadata["require_pushed_authorization_requests"] == true)
    #expect(metadata["token_endpoint_auth_methods_supported"] == ["private_key_jwt"])
    #expect(metadata["token_endpoint_auth_signing_alg_values_supported"] == ["PS256", "ES256", "EdDSA", "Ed25519"])
    #expect(metadata["dpop_signing_alg_values_supported"]?.array?.contains("RS256") == false)
    #expect(metadata["device_authorization_endpoint"] == nil)
  }

  @Test func `takes a pushed request of a client that signs for it alone`() throws {
    #expect(try push().status == 201)
    #expect(try push([.string(issuer.issuer)]).failure == "401 invalid_client")
    #expect(try push(.string(issuer.issuer + "/token")).failure == "401 invalid_client")
    #expect(
      try issuer.post("/token", "grant_type=client_credentials&client_id=agent-cli").failure == "401 invalid_client")
  }

  @Test func `takes no assertion under RS256`() throws {
    let rsa = try IssuerKey(.RS256)
    let other = try TestIssuer("--fapi2", keys: rsa.published)
    let reply = try other.post("/token", "grant_type=client_credentials&\(try assertion(rsa, other))")
    #expect(reply.failure == "401 invalid_client")
  }

  @Test func `gives no token that is not bound to a key`() throws {
    let reply = try issuer.post("/token", "grant_type=client_credentials&\(try assertion(key, issuer))")
    #expect(reply.failure == "400 invalid_dpop_proof")
  }
}
