import Encoding
import Crypto
import Testing
import Vocabulary

@testable import OAuth

private let host = "https://login.microsoftonline.com"
private let tenant = "0a1b2c3d-1111-4222-8333-444455556666"
private let other = "9188040d-6c67-4c5b-b112-36a304b66dad"

// Microsoft Entra ID: one issuer for many tenants.
@Suite struct `An issuer of many tenants` {
  private func metadata(_ issuer: String, naming named: String) throws(OAuthError) -> AuthorizationServerMetadata {
    let body = #"{"issuer":"\#(named)","token_endpoint":"\#(host)/t"}"#
    return try AuthorizationServerMetadata(
      parsing: Array(body.utf8), issuer: Issuer(issuer, allowHTTPLoopback: false), allowHTTPLoopback: false)
  }

  @Test(arguments: [
    ("\(host)/common/v2.0", "\(host)/{tenantid}/v2.0"), ("\(host)/organizations/v2.0", "\(host)/{tenantid}/v2.0"),
    ("\(host)/consumers/v2.0", "\(host)/\(other)/v2.0"), ("\(host)/contoso.example/v2.0", "\(host)/\(tenant)/v2.0"),
    ("\(host)/\(tenant)/v2.0", "\(host)/\(tenant)/v2.0"),
  ])
  func `has metadata that name a template, or the one tenant`(_ issuer: String, _ named: String) throws {
    #expect(try metadata(issuer, naming: named).issuer.text == issuer)
  }

  @Test(arguments: [
    ("\(host)/common/v2.0", "\(host)/\(tenant)/v2.0"), ("\(host)/contoso.example/v2.0", "\(host)/{tenantid}/v2.0"),
    ("\(host)/contoso.example/v2.0", "\(host)/fabrikam.example/v2.0"),
    ("\(host)/\(tenant)/v2.0", "\(host)/\(other)/v2.0"),
    ("\(host)/common/v2.0", "https://evil.example/{tenantid}/v2.0"),
    ("\(host)/common/v2.0", "\(host)/{tenantid}/v1.0"), ("\(host)/common/v2.0", "\(host)/{tenantid}/v2.0/"),
    ("https://evil.example/common/v2.0", "https://evil.example/{tenantid}/v2.0"),
    ("https://evil.example/contoso/v2.0", "https://evil.example/\(tenant)/v2.0"),
  ])
  func `has no metadata of anything else`(_ issuer: String, _ named: String) {
    #expect(throws: OAuthError.self) { try metadata(issuer, naming: named) }
  }

  @Test(arguments: [
    ("https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_in/v2.0", "set the issuer claim"),
    ("https://contoso.ciamlogin.com/\(tenant)/v2.0", "use the issuer that the server names"),
    ("https://b2clogin.com.example/v2.0", ""),
  ])
  func `is a setting at some hosts of Microsoft, which the error says`(issuer: String, advice: String) throws {
    let error = #expect(throws: OAuthError.self) { try metadata(issuer, naming: "https://x.example/\(tenant)/v2.0") }
    #expect(error?.code == .issuerMismatch && (error?.advice == nil) == advice.isEmpty)
    let said = error?.advice?.english ?? ""
    #expect(said.hasPrefix(advice))
  }

  @Test func `is that of the tenant whose token it is, by a key of the tenant's`() throws {
    let common = try #require(try metadata("\(host)/common/v2.0", naming: "\(host)/{tenantid}/v2.0").tenant)
    let (issuer, template) = ("\(host)/\(tenant)/v2.0", "\(host)/{tenantid}/v2.0")
    #expect(common.isIssuer(issuer, tenant: tenant, keyIssuer: template))
    #expect(common.isIssuer(issuer, tenant: tenant, keyIssuer: issuer))
    for key in [nil, "\(host)/\(other)/v2.0", "https://evil.example/{tenantid}/v2.0", ""] {
      #expect(!common.isIssuer(issuer, tenant: tenant, keyIssuer: key))
    }
    #expect(!common.isIssuer(issuer, tenant: other, keyIssuer: template))
    #expect(!common.isIssuer(issuer, tenant: nil, keyIssuer: template))
    #expect(!common.isIssuer("\(host)/common/v2.0", tenant: "common", keyIssuer: template))
    #expect(!common.isIssuer(template, tenant: "{tenantid}", keyIssuer: template))
    #expect(common.allowsResponseIssuer(as: issuer) && common.allowsResponseIssuer(as: template))
    #expect(
      !common.allowsResponseIssuer(as: "\(host)/common/v2.0")
        && !common.allowsResponseIssuer(as: "https://evil.example/\(tenant)/v2.0"))
  }

  @Test func `is the one that the metadata name, for a domain`() throws {
    let named = "\(host)/\(tenant)/v2.0"
    let domain = try #require(try metadata("\(host)/contoso.example/v2.0", naming: named).tenant)
    #expect(domain.isIssuer(named, tenant: nil, keyIssuer: nil) && domain.allowsResponseIssuer(as: named))
    #expect(!domain.isIssuer("\(host)/\(other)/v2.0", tenant: other, keyIssuer: nil))
  }

  @Test func `is checked in any token by the claim of the tenant and the key's own issuer`() throws {
    let key = try SigningKey.shared.get(.ES256)
    var published = try #require(key.set.keys.first).published
    published["issuer"] = .string("\(host)/{tenantid}/v2.0")
    let set = try JWKSet(parsing: JSON.object(["keys": [.object(published)]]).serialized())
    var rules = TokenRules()
    rules.issuer = "\(host)/common/v2.0"
    rules.tenant = try metadata("\(host)/common/v2.0", naming: "\(host)/{tenantid}/v2.0").tenant
    func verify(_ issuer: String, _ tenant: String?, _ keys: JWKSet) throws {
      var claims: JSONObject = ["iss": .string(issuer), "exp": 2000]
      claims["tid"] = tenant.map { .string($0) }
      let text = Array(try key.sign(claims).utf8)
      _ = try rules.verify(TokenRules.read(text.span), by: keys, now: 1000)
    }
    let named = "\(host)/\(tenant)/v2.0"
    try verify(named, tenant, set)
    for (issuer, id, keys) in [
      (named, tenant, key.set), (named, other, set), (named, nil, set), ("\(host)/common/v2.0", "common", set),
    ] {
      #expect(throws: TokenFault.wrongIssuer(isMissing: false)) { try verify(issuer, id, keys) }
    }
    rules.issuer = "\(host)/contoso.example/v2.0"
    rules.tenant = try metadata("\(host)/contoso.example/v2.0", naming: named).tenant
    try verify(named, nil, key.set)
    #expect(throws: TokenFault.wrongIssuer(isMissing: false)) { try verify("\(host)/\(other)/v2.0", other, key.set) }
  }

  @Test func `is checked in an ID Token by the claim of the tenant and the key's own issuer`() throws {
    let key = try SigningKey.shared.get(.ES256)
    let named = "\(host)/\(tenant)/v2.0"
    var published = try #require(key.set.keys.first).published
    published["issuer"] = .string("\(host)/{tenantid}/v2.0")
    let set = try JWKSet(parsing: JSON.object(["keys": [.object(published)]]).serialized())
    var expectation = IDTokenExpectation(
      issuer: try Issuer("\(host)/common/v2.0", allowHTTPLoopback: false), clientID: "agent", algorithms: [.ES256],
      now: 1000)
    expectation.tenant = try metadata("\(host)/common/v2.0", naming: "\(host)/{tenantid}/v2.0").tenant
    var claims: JSONObject = [
      "iss": .string(named), "sub": "alice", "aud": "agent", "exp": 2000, "iat": 1000, "tid": .string(tenant),
    ]
    let token = try IDToken.verify(secret(key.sign(claims)), keys: set, expecting: expectation)
    #expect(token.identity.issuer == named)
    #expect(throws: IDTokenError(.wrongIssuer(isMissing: false))) {
      try IDToken.verify(secret(key.sign(claims)), keys: key.set, expecting: expectation)
    }
    claims["tid"] = .string(other)
    #expect(throws: IDTokenError(.wrongIssuer(isMissing: false))) {
      try IDToken.verify(secret(key.sign(claims)), keys: set, expecting: expectation)
    }
  }
}
