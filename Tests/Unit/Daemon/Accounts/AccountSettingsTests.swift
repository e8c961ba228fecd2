import Encoding
import Sessions
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `An issuer as typed` {
  @Test(arguments: [
    ("id.example.org", "https://id.example.org"), ("id.example.org:8443/x", "https://id.example.org:8443/x"),
    ("https://id.example.org/.well-known/openid-configuration", "https://id.example.org"),
    ("id.example.org/.well-known/openid-configuration", "https://id.example.org"),
    ("http://id.example.org", "http://id.example.org"), ("no url", "no url"), ("a b.example", "a b.example"),
  ]) func `may lack its scheme`(text: String, issuer: String) {
    #expect(AccountConfiguration.issuer(pasted: text) == issuer)
  }
}

@Suite struct `An account's settings on the wire` {
  private static let pin = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

  private static let full: AccountSettings = {
    var settings = AccountSettings()
    settings.issuer = "https://as.example"
    settings.clientID = "cli"
    settings.provider = .keycloak
    settings.resources = ["https://api.example/"]
    settings.audience = "backend"
    settings.scope = ["openid", "mail"]
    settings.parameters = ["hd=example.com"]
    settings.claims = #"{"id_token":{"email":null}}"#
    settings.authorizationDetails = #"[{"type":"payment"}]"#
    settings.tokenEndpointAuthMethod = .secretPost
    settings.omitsBasicEncoding = true
    settings.usesClientCertificate = true
    settings.clientKeyAlgorithm = .ES256
    settings.clientKeyID = "k"
    settings.assertionAudience = "token_endpoint"
    settings.assertionFile = "/run/token"
    settings.assertionFrom = .gitLabCI
    settings.assertionVariable = "CI_JWT"
    settings.assertionAccount = "person"
    settings.assertionGrant = .tokenExchange
    settings.idTokenAlgorithm = .ES256
    settings.userInfoAlgorithm = .RS256
    settings.caFile = "/etc/ca.pem"
    settings.pins = [pin]
    settings.allowHTTPLoopback = true
    settings.tokenEndpoint = "https://as.example/t"
    settings.deviceAuthorizationEndpoint = "https://as.example/d"
    settings.userinfoEndpoint = "https://as.example/u"
    settings.revocationEndpoint = "https://as.example/r"
    settings.registrationEndpoint = "https://as.example/n"
    settings.jwksURI = "https://as.example/j"
    settings.redirectURI = "http://127.0.0.1:8400/cb"
    settings.proxy = "http://proxy.example:3128"
    settings.proxyExclusions = "localhost"
    settings.proxySource = .option
    settings.trustedAudiences = ["project"]
    settings.variables = ["API=access_token"]
    settings.tokenFiles = ["/run/user/1000/token"]
    settings.authorizationEndpoint = "https://as.example/a"
    settings.keepsAccessToken = true
    settings.usesDPoP = true
    settings.keyStorage = .vault
    settings.profile = .fapi2
    settings.refresh = .offline
    settings.origins = ["https://api.example:8443", "http://127.0.0.1:8080"]
    return settings
  }()

  private static func failure(_ body: () throws(Failure) -> Void) -> Failure? {
    do throws(Failure) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  @Test func `are shown as they were given`() throws {
    var configuration = try AccountConfiguration(Self.full)
    #expect(try configuration.replaceProxy(from: Self.full) == nil)
    #expect(configuration.settingsForDisplay == Self.full)
  }

  // The sign-in may find a client, or register one.
  @Test func `of a new account name its issuer, and maybe no client`() {
    var settings = Self.full
    settings.clientID = nil
    #expect(Self.failure { () throws(Failure) in _ = try AccountConfiguration(settings) } == nil)
    settings.issuer = nil
    settings.provider = nil
    #expect(
      Self.failure { () throws(Failure) in _ = try AccountConfiguration(settings) }?.hint == "use --issuer")
  }

  @Test(arguments: AccountSetting.all.filter(\.canBeUnset)) func `are taken back one by one`(setting: AccountSetting)
    throws
  {
    var configuration = try AccountConfiguration(Self.full)
    _ = try configuration.replaceProxy(from: Self.full)
    let before = configuration.settings.json()
    configuration.unset(setting)
    let after = configuration.settings.json()
    let changed = before.names.filter { before[$0] != after[$0] }
    let together = [["proxy", "no_proxy", "proxy_source"], ["assertion_from", "assertion_variable"]]
    #expect(changed == together.first { $0[0] == setting.name } ?? [setting.name])
  }

  @Test func `all taken back are those of an account that names nothing`() throws {
    var configuration = try AccountConfiguration(Self.full)
    _ = try configuration.replaceProxy(from: Self.full)
    for setting in AccountSetting.all.filter(\.canBeUnset) { configuration.unset(setting) }
    #expect(configuration == AccountConfiguration(issuer: "https://as.example", clientID: "cli"))
  }

  @Test func `that are not named stay as they are`() throws {
    var configuration = try AccountConfiguration(Self.full)
    let before = configuration
    try configuration.change(to: AccountSettings())
    #expect(configuration == before)
  }

  @Test func `of wrong values are refused`() {
    let edits: [(inout AccountSettings) -> Void] = [
      { $0.pins = ["sha256//AAAA"] }, { $0.caFile = "relative.pem" },
      { $0.scope = ["a\"b"] }, { $0.resources = ["api.example"] }, { $0.audience = "a\nb" },
      { $0.issuer = "http://as.example" }, { $0.assertionVariable = "1JWT" }, { $0.assertionVariable = "CI-JWT" },
      { $0.assertionVariable = "" },
    ]
    for edit in edits {
      var settings = Self.full
      edit(&settings)
      #expect(Self.failure { () throws(Failure) in _ = try AccountConfiguration(settings) } != nil)
    }
  }

  @Test(arguments: [
    ("http://127.0.0.1:8080", true), ("http://[::1]", true), ("http://api.example", false),
    ("http://192.168.1.5", false), ("https://api.example/?q", false),
  ]) func `permit plain http where it helps only`(host: String, helps: Bool) throws {
    var configuration = try AccountConfiguration(Self.full)
    configuration.allowHTTPLoopback = false
    let failure = Self.failure { () throws(Failure) in _ = try configuration.originEntries(named: [host]) }
    #expect(failure?.code == .invalidRequest)
    #expect((failure?.hint?.contains("--allow-http-loopback") ?? false) == helps)
  }

  @Test func `are those of the issuer's service, unless another is named`() throws {
    var settings = AccountSettings()
    (settings.issuer, settings.clientID) = ("https://accounts.google.com", "cli")
    #expect(try AccountConfiguration(settings).provider == .google)
    settings.provider = .keycloak
    #expect(try AccountConfiguration(settings).provider == .keycloak)
    (settings.issuer, settings.provider) = ("https://as.example", nil)
    #expect(try AccountConfiguration(settings).provider == nil)
  }

  @Test func `permit the places of the resources that a sign-in names, each once, and none without TLS`() {
    var configuration = AccountConfiguration(issuer: "https://as.example", clientID: "cli")
    let resources = ["https://api.example/a", "https://api.example/b?k=1", "http://api.example", "urn:api"]
    configuration.addOrigins(of: resources, withPaths: false)
    #expect(configuration.origins == ["https://api.example"])
    configuration.addOrigins(of: resources, withPaths: true)
    #expect(configuration.origins == ["https://api.example"])
    configuration.origins = []
    configuration.addOrigins(of: resources + resources, withPaths: true)
    #expect(configuration.origins == ["https://api.example/a", "https://api.example/b"])
  }

  @Test func `name no assertion of the account itself`() throws {
    let configuration = try AccountConfiguration(Self.full)
    try configuration.refuseSelfAssertion(as: try AccountName("other"))
    let person = try AccountName("person")
    let failure = Self.failure { () throws(Failure) in try configuration.refuseSelfAssertion(as: person) }
    #expect(failure?.code == .invalidRequest)
  }

  @Test func `never show a password that somebody wrote into the proxy's URL`() throws {
    var configuration = try AccountConfiguration(Self.full)
    configuration.proxy = "http://user:canary@proxy.example:3128"
    #expect(configuration.settingsForDisplay.proxy == "http://proxy.example:3128")
    configuration.proxy = "ht!tp://user:canary@"
    #expect(configuration.settingsForDisplay.proxy == nil)
  }

  @Test(arguments: [
    ("http://proxy.example:3128", "http://proxy.example:3128", nil),
    ("proxy.example:3128", "http://proxy.example:3128", nil),
    ("http://u:p@proxy.example:3128/", "http://proxy.example:3128/", "u:p"),
    ("https://u:p%40@proxy.example", "https://proxy.example", "u:p%40"),
  ]) func `have a proxy and its password apart`(text: String, url: String, credentials: String?) throws {
    let setting = try ProxySetting(text)
    #expect(setting.url == url)
    #expect(setting.credentials == credentials)
  }

  @Test(arguments: ["ftp://proxy.example", "http://", "://x"]) func `have no other proxy`(text: String) {
    #expect(Self.failure { () throws(Failure) in _ = try ProxySetting(text) }?.code == .invalidRequest)
  }
}
