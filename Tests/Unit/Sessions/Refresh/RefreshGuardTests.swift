import Crypto
import Encoding
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary

/// An attacker who can edit the settings or the cache must not redirect a secret.
@Suite struct `Before a refresh token is sent` {
  let home: Home

  init() throws { home = try Home() }

  struct Edit: CustomTestStringConvertible {
    var testDescription: String
    var change: @Sendable (inout AccountConfiguration) -> Void
  }

  @Test(arguments: [
    Edit(testDescription: "issuer") { $0.issuer = "https://evil.example" },
    Edit(testDescription: "client_id") { $0.clientID = "other" },
    Edit(testDescription: "token_endpoint_auth_method") { $0.tokenEndpointAuthMethod = .secretPost },
    Edit(testDescription: "allow_http_loopback") { $0.allowHTTPLoopback = true },
    Edit(testDescription: "pins") { $0.pins = ["sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="] },
    Edit(testDescription: "token_endpoint") { $0.tokenEndpoint = "https://evil.example/token" },
  ])
  func `settings that differ from the sign-in's send nothing at all`(_ edit: Edit) throws {
    try home.store { $0.credentials.secret = try secret("client-secret") }
    var configuration = Home.configuration
    edit.change(&configuration)
    #expect(throws: SessionError.configurationChanged(account: "work", setting: edit.testDescription)) {
      _ = try home.refresh(configuration)
    }
    #expect(home.http.requests.isEmpty)
    // With the original values they work again.
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2"))
    #expect(try home.refresh().accessToken.text == "at-2")
  }

  @Test func `another certificate authority sends nothing at all`() throws {
    try home.store()
    let pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    try home.directory.write("ca.pem", pem)
    var configuration = Home.configuration
    configuration.caFile = home.directory.path("ca.pem")
    let error = SessionError.configurationChanged(account: "work", setting: "ca_file")
    #expect(throws: error) { _ = try home.refresh(configuration) }
    // The right path with other content is refused too.
    try home.store { $0.authority.caDigest = "digest-of-the-first-file" }
    let other = SessionError.configurationChanged(account: "work", setting: "ca_file", file: configuration.caFile)
    #expect(throws: other) { _ = try home.refresh(configuration) }
    #expect(throws: error) { _ = try home.refresh() }
    #expect(home.http.requests.isEmpty)
  }

  private static func certificates(_ contents: String...) -> String {
    contents.map { "# \($0)\n-----BEGIN CERTIFICATE-----\n\($0)\n-----END CERTIFICATE-----\n" }.joined()
  }

  /// Settings with a file of certificate authorities.
  private func configuration(_ text: String) throws -> AccountConfiguration {
    try home.directory.write("ca.pem", text)
    var configuration = Home.configuration
    configuration.caFile = home.directory.path("ca.pem")
    return configuration
  }

  private func confirm(_ configuration: AccountConfiguration) throws -> RecordRewrite? {
    try home.services.sealOrigins([], of: home.account, configuration, confirmsAuthorities: true)
  }

  /// The certificates that the last request trusted.
  private var trusted: String? {
    home.http.transports.last?.certificateAuthorities.map { String(decoding: $0.pem, as: UTF8.self) }
  }

  @Test func `a certificate authority that is added to the file stops nothing and is not trusted`() throws {
    try home.store()
    _ = try confirm(configuration(Self.certificates("AAAA")))
    let grown = try configuration(Self.certificates("BBBB", "AAAA"))
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2"))
    #expect(try home.refresh(grown).accessToken.text == "at-2")
    #expect(trusted == "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    // The user can confirm it without a sign-in.
    #expect(try confirm(grown) != nil)
    #expect(try confirm(grown) == nil)
    home.http.answer(TestIssuer.tokenURL, try tokens("at-3", refresh: "rt-3"))
    _ = try home.refresh(grown)
    #expect(trusted == Self.certificates("BBBB", "AAAA"))
    // One remaining certificate is enough.
    home.http.answer(TestIssuer.tokenURL, try tokens("at-4", refresh: "rt-4"))
    #expect(try home.refresh(configuration(Self.certificates("BBBB"))).accessToken.text == "at-4")
  }

  @Test func `certificate authorities that were all replaced are named, and taken over on a person's word`() throws {
    try home.store()
    _ = try confirm(configuration(Self.certificates("AAAA")))
    let replaced = try configuration(Self.certificates("BBBB"))
    let changed = SessionError.configurationChanged(account: "work", setting: "ca_file", file: replaced.caFile)
    #expect(throws: changed) { _ = try home.refresh(replaced) }
    #expect(home.http.requests.isEmpty)
    _ = try confirm(replaced)
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2"))
    #expect(try home.refresh(replaced).accessToken.text == "at-2")
  }

  @Test func `the digest of a whole file in an older record becomes those of its certificates`() throws {
    let text = Self.certificates("AAAA", "BBBB")
    let authorities = try CertificateAuthorities(pem: Array(text.utf8))
    try home.store { $0.authority.caDigest = authorities.digest }
    let grown = try configuration(text + "\n")
    #expect(throws: SessionError.self) { _ = try home.refresh(grown) }
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2"))
    _ = try home.refresh(configuration(text))
    let authority = try #require(try home.stored()?.authority)
    #expect(authority.caDigest == nil && authority.caCertificates == authorities.certificateDigests.sorted())
    home.http.answer(TestIssuer.tokenURL, try tokens("at-3", refresh: "rt-3"))
    #expect(try home.refresh(configuration(text + Self.certificates("CCCC"))).accessToken.text == "at-3")
  }

  @Test(arguments: [nil, "no certificate here"])
  func `a certificate authority that cannot be read sends nothing at all`(content: String?) throws {
    try home.store()
    if let content { try home.directory.write("ca.pem", content) }
    var configuration = Home.configuration
    configuration.caFile = home.directory.path("ca.pem")
    let missing = SystemError(errno: SystemError.Number.ENOENT, operation: "open")
    let error = ConfigurationError(.caFile(content == nil ? missing : nil), home.directory.path("ca.pem"))
    #expect(throws: SessionError.configuration(error)) { _ = try home.refresh(configuration) }
    #expect(home.http.requests.isEmpty)
  }

  @Test(arguments: ["token_endpoint", "jwks_uri"])
  func `an endpoint that moved to an unknown origin gets nothing`(endpoint: String) throws {
    try home.store()
    let moved = TestIssuer.metadata(endpoint, "https://evil.example/x")
    home.http.always(TestIssuer.metadataURL, try response(200, .object(moved)))
    let error = SessionError.endpointMoved(account: "work", origin: "https://evil.example")
    // Fetched twice: an unexpected document is fetched once more before it is reported.
    let asked = ScriptedHTTP.Recorded(method: .get, url: TestIssuer.metadataURL, followsRedirects: true)
    #expect(throws: error) { _ = try home.refresh() }
    #expect(home.http.requests == [asked, asked])
    home.http.forgetRequests()
    #expect(throws: error) { _ = try home.refresh(Home.configuration, home.otherProcess()) }
    #expect(home.http.requests == [asked])
    #expect(try home.stored()?.refreshToken?.text == "rt-1")
  }

  // Only endpoints about to receive something matter.
  @Test(arguments: [
    "end_session_endpoint", "registration_endpoint", "introspection_endpoint", "pushed_authorization_request_endpoint",
    "userinfo_endpoint", "device_authorization_endpoint", "revocation_endpoint", "authorization_endpoint",
  ])
  func `an endpoint that moved to an unknown origin stops nothing that does not use it, and is told once`(
    endpoint: String
  ) throws {
    try home.store()
    let moved = TestIssuer.metadata(endpoint, "https://new.example/x")
    home.http.always(TestIssuer.metadataURL, try response(200, .object(moved)))
    let told = ToldSteps()
    let services = home.services.observed { told.add($0) }
    for number in 2...3 {
      home.http.answer(TestIssuer.tokenURL, try tokens("at-\(number)", refresh: "rt-\(number)"))
      #expect(try home.refresh(Home.configuration, services).accessToken.text == "at-\(number)")
    }
    #expect(told.steps.count { $0 == .endpointMoved } == 1)
    #expect(home.http.urls == [TestIssuer.metadataURL, TestIssuer.tokenURL, TestIssuer.tokenURL])
  }

  @Test func `an account without a user needs no keys, wherever they are`() throws {
    try home.store { $0.identity = nil }
    let moved = TestIssuer.metadata("jwks_uri", "https://new.example/x")
    home.http.always(TestIssuer.metadataURL, try response(200, .object(moved)))
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2"))
    #expect(try home.refresh().accessToken.text == "at-2")
    // The rotated token is kept if they turn out to be needed.
    home.http.answer(TestIssuer.tokenURL, try tokens("at-3", refresh: "rt-3", idToken: TestIssuer.first.idToken()))
    let error = SessionError.endpointMoved(account: "work", origin: "https://new.example")
    #expect(throws: error) { _ = try home.refresh() }
    #expect(try home.stored()?.refreshToken?.text == "rt-3")
  }

  @Test func `a UserInfo endpoint that moved to an unknown origin gets no token`() throws {
    try home.store()
    let moved = TestIssuer.metadata("userinfo_endpoint", "https://evil.example/x")
    home.http.always(TestIssuer.metadataURL, try response(200, .object(moved)))
    let question = SessionRequests(
      account: home.account, configuration: Home.configuration, grant: try grant("at-1"), services: home.services)
    #expect(throws: SessionError.endpointMoved(account: "work", origin: "https://evil.example")) {
      _ = try question.userInfo()
    }
    #expect(!home.http.urls.contains("https://evil.example/x"))
  }

  @Test func `a cached document that names an unknown origin is replaced by the server's own`() throws {
    try home.store()
    let planted = TestIssuer.metadata("token_endpoint", "https://evil.example/token")
    home.http.answer(TestIssuer.metadataURL, try response(200, .object(planted)))
    home.http.answer(TestIssuer.metadataURL, try response(200, .object(planted)))
    #expect(throws: SessionError.endpointMoved(account: "work", origin: "https://evil.example")) {
      _ = try home.refresh()
    }
    home.http.answer(TestIssuer.metadataURL, try response(200, .object(TestIssuer.metadata("x", nil))))
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2"))
    #expect(try home.refresh(Home.configuration, home.otherProcess()).accessToken.text == "at-2")
  }

  @Test func `a server without metadata is known by the endpoints that the settings name`() throws {
    var configuration = Home.configuration
    configuration.tokenEndpoint = "https://as.example/by/hand"
    try home.store { $0.authority.settings.tokenEndpoint = "https://as.example/by/hand" }
    home.http.fail(TestIssuer.metadataURL, HTTPFailure(.connect))
    #expect(throws: SessionError.self) { _ = try home.refresh(configuration) }
    for location in try Issuer(configuration.issuer, allowHTTPLoopback: false).metadataLocations {
      home.http.answer(location.uri.text, try response(404, [:]))
    }
    home.http.answer("https://as.example/by/hand", try tokens("at-2"))
    #expect(try home.refresh(configuration).accessToken.text == "at-2")
  }

  @Test func `an endpoint that moved within its origins is followed`() throws {
    try home.store()
    let moved = TestIssuer.metadata("token_endpoint", "https://api.as.example/token")
    home.http.answer(TestIssuer.metadataURL, try response(200, .object(moved)))
    home.http.answer("https://api.as.example/token", try tokens("at-2"))
    #expect(try home.refresh().accessToken.text == "at-2")
  }

  // MARK: Proxies

  @Test func `the proxy's credentials go to the proxy of the sign-in`() throws {
    var configuration = Home.configuration
    configuration.proxy = "http://proxy.example:3128"
    configuration.proxyExclusions = "localhost"
    try home.store(configuration) { $0.proxyCredentials = try secret("user:pass") }
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2"))
    _ = try home.refresh(configuration)
    #expect(home.http.transports.map { $0.proxy?.url } == Array(repeating: configuration.proxy, count: 2))
    #expect(home.http.transports.map { $0.proxy?.exclusions } == ["localhost", "localhost"])
    #expect(home.http.transports.map { $0.proxy?.credentials?.text } == ["user:pass", "user:pass"])
  }

  @Test func `the proxy's credentials go to no other proxy`() throws {
    var configuration = Home.configuration
    configuration.proxy = "http://proxy.example:3128"
    try home.store(configuration) { $0.proxyCredentials = try secret("user:pass") }
    configuration.proxy = "http://evil.example:3128"
    #expect(throws: SessionError.configurationChanged(account: "work", setting: "proxy")) {
      _ = try home.refresh(configuration)
    }
    #expect(home.http.requests.isEmpty)
    let record = try #require(try home.stored())
    #expect(
      record.problem(with: configuration, account: home.account)
        == .configurationChanged(account: "work", setting: "proxy"))
  }

  @Test(arguments: [nil, "http://other.example:3128"])
  func `a proxy without credentials may change`(proxy: String?) throws {
    var configuration = Home.configuration
    configuration.proxy = "http://proxy.example:3128"
    try home.store(configuration)
    configuration.proxy = proxy
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2"))
    _ = try home.refresh(configuration)
    #expect(home.http.transports.map { $0.proxy?.url } == [proxy, proxy])
  }

  // MARK: Records

  @Test func `an account without a record is signed out`() throws {
    #expect(throws: SessionError.signedOut(account: "work")) { _ = try home.refresh() }
    #expect(home.http.requests.isEmpty)
  }

  @Test func `a damaged record sends nothing`() throws {
    let bytes = Array("{}".utf8)
    let content = try SecretBytes(copying: bytes.span)
    try home.services.vault.write(home.account, content: content)
    #expect(throws: SessionError.vault(VaultError(.damaged, path: "work"))) { _ = try home.refresh() }
    #expect(home.http.requests.isEmpty)
  }

  @Test func `a client secret that the method needs and nobody stored is named`() throws {
    var configuration = Home.configuration
    configuration.tokenEndpointAuthMethod = .secretBasic
    try home.store(configuration)
    let error = ConfigurationError(.missingClientSecret, "client_secret")
    #expect(throws: SessionError.configuration(error)) { _ = try home.refresh(configuration) }
    #expect(!home.http.urls.contains(TestIssuer.tokenURL))
  }

  // RFC 6749 section 2.3.1.
  @Test func `the stored client secret goes by the method of the sign-in`() throws {
    var configuration = Home.configuration
    configuration.tokenEndpointAuthMethod = .secretBasic
    try home.store(configuration) { $0.credentials.secret = try secret("s3cret") }
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2"))
    _ = try home.refresh(configuration)
    #expect(home.http.requests.last?.authorization == "Basic " + Base64.encode(Array("cli:s3cret".utf8)))
    #expect(home.http.requests.last?.form == ["grant_type=refresh_token", "refresh_token=rt-1"])
    #expect(try home.stored()?.credentials.secret?.text == "s3cret")
  }

  // MARK: A kept access token

  @Test func `a kept access token is given out without a request`() throws {
    try home.store {
      $0.refreshToken = nil
      $0.accessToken = try secret("kept")
    }
    let grant = try home.refresh()
    #expect(grant.accessToken.text == "kept")
    #expect(grant.lifetimeSeconds == nil)
    #expect(grant.subject == "alice")
    #expect(home.services.isCurrent(grant, of: home.account) == true)
    #expect(home.http.requests.isEmpty)
  }

  @Test func `a kept access token is the only one there is`() throws {
    try home.store {
      $0.refreshToken = nil
      $0.accessToken = try secret("kept")
    }
    let target = try TokenTarget(scope: [], resources: [], audience: "backend")
    #expect(throws: SessionError.otherTokensUnavailable(account: "work")) {
      _ = try home.operation(target: target).run()
    }
    #expect(home.http.requests.isEmpty)
  }

  @Test func `an access token that was not kept is lost, and expired only after its end`() throws {
    try home.store {
      ($0.refreshToken, $0.isTokenNotStored, $0.isExpired) = (nil, true, true)
      $0.accessTokenExpiresAt = TestIssuer.now + 100
    }
    #expect(throws: SessionError.notKept(account: "work")) { _ = try home.refresh() }
    home.time.advance(seconds: 100)
    #expect(throws: SessionError.expired(account: "work")) { _ = try home.refresh() }
  }

  @Test func `a kept access token is not given out after its end`() throws {
    try home.store {
      $0.refreshToken = nil
      $0.accessToken = try secret("kept")
      $0.accessTokenExpiresAt = TestIssuer.now + 100
    }
    home.time.advance(seconds: 40)
    let grant = try home.refresh()
    #expect(grant.lifetimeSeconds == 60)
    #expect(grant.expiresAtUnixSeconds == TestIssuer.now + 100)
    home.time.advance(seconds: 60)
    #expect(throws: SessionError.expired(account: "work")) { _ = try home.refresh() }
    #expect(home.http.requests.isEmpty)
  }

  @Test func `a clock that is set back revives no kept access token`() throws {
    try home.store {
      $0.refreshToken = nil
      $0.accessToken = try secret("kept")
      $0.signedInAt = TestIssuer.now
      $0.accessTokenExpiresAt = TestIssuer.now + 100
    }
    home.time.setWall(seconds: TestIssuer.now - 86_400)
    #expect(try home.refresh().lifetimeSeconds == 100)
  }

  @Test func `a kept access token too needs the settings of the sign-in`() throws {
    try home.store {
      $0.refreshToken = nil
      $0.accessToken = try secret("kept")
    }
    var configuration = Home.configuration
    configuration.clientID = "other"
    #expect(throws: SessionError.configurationChanged(account: "work", setting: "client_id")) {
      _ = try home.refresh(configuration)
    }
  }
}
