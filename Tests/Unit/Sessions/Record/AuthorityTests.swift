import Encoding
import OAuth
import Sessions
import Testing
import Vocabulary

@Suite struct `Where an account's secrets may go` {
  static let configuration: AccountConfiguration = {
    var configuration = Home.configuration
    configuration.tokenEndpointAuthMethod = .secretBasic
    configuration.pins = ["sha256//one", "sha256//two"]
    configuration.tokenEndpoint = "https://as.example/token"
    configuration.jwksURI = "https://as.example/keys"
    return configuration
  }()

  func metadata(_ object: JSONObject = TestIssuer.metadata) throws -> AuthorizationServerMetadata {
    try AuthorizationServerMetadata(
      parsing: JSON.object(object).serialized(),
      issuer: Issuer(TestIssuer.text, allowHTTPLoopback: false), allowHTTPLoopback: false)
  }

  func authority() throws -> Authority {
    Authority(Self.configuration, caDigest: "digest", metadata: try metadata())
  }

  struct Edit: CustomTestStringConvertible {
    var setting: String
    var change: @Sendable (inout AccountConfiguration) -> Void
    var testDescription: String { setting }
  }

  @Test(arguments: [
    Edit(setting: "issuer") { $0.issuer = TestIssuer.text + "/" },
    Edit(setting: "issuer") { $0.issuer = "https://AS.example/tenant" },
    Edit(setting: "client_id") { $0.clientID = "CLI" },
    Edit(setting: "token_endpoint_auth_method") { $0.tokenEndpointAuthMethod = .none },
    Edit(setting: "allow_http_loopback") { $0.allowHTTPLoopback = true },
    Edit(setting: "pins") { $0.pins = [] },
    Edit(setting: "pins") { $0.pins.append("sha256//three") },
    Edit(setting: "pins") { $0.pins.reverse() },
    Edit(setting: "token_endpoint") { $0.tokenEndpoint = nil },
    Edit(setting: "jwks_uri") { $0.jwksURI = "https://as.example/other" },
    Edit(setting: "device_authorization_endpoint") { $0.deviceAuthorizationEndpoint = "https://as.example/d" },
    Edit(setting: "userinfo_endpoint") { $0.userinfoEndpoint = "https://as.example/u" },
    Edit(setting: "revocation_endpoint") { $0.revocationEndpoint = "https://as.example/r" },
    Edit(setting: "token_endpoint") {
      // The same texts, exchanged.
      ($0.tokenEndpoint, $0.jwksURI) = ($0.jwksURI, $0.tokenEndpoint)
    },
  ])
  func `differs with any setting that leads elsewhere`(_ edit: Edit) throws {
    var configuration = Self.configuration
    edit.change(&configuration)
    #expect(try authority().changedSetting(in: configuration, caDigest: "digest") == edit.setting)
  }

  @Test(arguments: [nil, "other"]) func `differs with another certificate authority`(digest: String?) throws {
    #expect(try authority().changedSetting(in: Self.configuration, caDigest: digest) == "ca_file")
  }

  @Test func `is the same when nothing of this changes`() throws {
    var configuration = Self.configuration
    #expect(try authority().changedSetting(in: configuration, caDigest: "digest") == nil)
    configuration.scope = ["mail"]
    configuration.keepsAccessToken = true
    configuration.proxy = "http://proxy.example"
    configuration.proxyExclusions = "localhost"
    configuration.caFile = "/elsewhere/with/the/same/bytes"
    #expect(try authority().changedSetting(in: configuration, caDigest: "digest") == nil)
  }

  /// Swift considers both texts equal; a server does not.
  @Test func `compares bytes`() throws {
    var configuration = Self.configuration
    configuration.clientID = "caf\u{E9}"
    var authority = try authority()
    authority.settings.clientID = "cafe\u{301}"
    #expect(authority.changedSetting(in: configuration, caDigest: "digest") == "client_id")
  }

  @Test func `knows the origins of the sign-in's metadata`() throws {
    let authority = try authority()
    #expect(authority.origins == TestIssuer.origins)
    #expect(try authority.unknownOrigin(in: metadata()) == nil)
    for (place, origin) in [
      ("https://as.example:8443/token", "https://as.example:8443"),
      ("https://as.example.evil/t", "https://as.example.evil"),
      ("https://b.as.example/t", "https://b.as.example"),
    ] {
      let moved = TestIssuer.metadata("token_endpoint", .string(place))
      #expect(try authority.unknownOrigin(in: metadata(moved)) == origin)
    }
    let same = TestIssuer.metadata("token_endpoint", "https://AS.example:443/other")
    #expect(try authority.unknownOrigin(in: metadata(same)) == nil)
    #expect(try authority.unknownOrigin(in: metadata(["issuer": .string(TestIssuer.text)])) == nil)
  }
}
