import Encoding
import Crypto
import Testing

@testable import devissuer

@Suite struct `Metadata` {
  // OpenID Connect Discovery 1.0 section 4, RFC 8414 section 3.
  @Test(arguments: ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"])
  func `is at both places`(path: String) throws {
    let issuer = try TestIssuer()
    let reply = try issuer.get(path)
    #expect(reply.status == 200)
    #expect(reply[header: "Content-Type"] == "application/json")
    let json = try #require(reply.json)
    #expect(json["issuer"]?.string == issuer.issuer)
    for name in [
      "authorization_endpoint", "token_endpoint", "device_authorization_endpoint", "userinfo_endpoint", "jwks_uri",
      "revocation_endpoint",
      "introspection_endpoint",
    ] {
      #expect(json[name]?.string?.hasPrefix(issuer.issuer + "/") == true, "\(name)")
    }
    #expect(json["response_types_supported"] == ["code"])
    #expect(json["code_challenge_methods_supported"] == ["S256"])
    #expect(json["authorization_response_iss_parameter_supported"] == true)
    #expect(try #require(json["claims_supported"]?.array).contains("sub"))
  }

  @Test func `the JWK Set holds one public key (RFC 7517 section 9.2)`() throws {
    let issuer = try TestIssuer()
    let body = try issuer.get("/jwks").body
    let keys = try JWKSet(parsing: body)
    #expect(keys.keys.count == 1 && keys.skippedCount == 0 && keys.warnings.isEmpty)
    let members = try #require(try JSON(parsing: body)["keys"]?.array?.first?.object?.names)
    #expect(Set(members) == ["kty", "crv", "x", "y", "kid", "alg", "use"])
  }
}
