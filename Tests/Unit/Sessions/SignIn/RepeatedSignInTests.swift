import Crypto
import Encoding
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary

/// A sign-in to an account that was signed in before, and its secrets.
@Suite struct `A repeated sign-in` {
  let home: Home

  init() throws { home = try Home() }

  // MARK: Who signs in

  // OpenID Connect Core 1.0 section 5.7: identity is the pair of issuer and subject.
  @Test(arguments: [false, true]) func `by another person is refused and nothing is stored`(isExpired: Bool) throws {
    try home.store {
      $0.isExpired = isExpired
      if isExpired { $0.refreshToken = nil }
    }
    let signIn = try home.prepare()
    let token = try TestIssuer.first.idToken("sub", "bob")
    // The grant is another user's, so ending it cannot end the account's session.
    #expect(
      throws: SessionError.grantNotStored(because: .identityChanged(account: "work", claim: "sub"), isRevoked: true)
    ) {
      _ = try home.finish(signIn, try tokens("at-bob", refresh: "rt-bob", idToken: token))
    }
    #expect(home.http.requests.last?.url == TestIssuer.revocationURL)
    #expect(home.http.requests.last?.form?.first == "token=rt-bob")
    let record = try #require(try home.stored())
    #expect(record.identity == Home.alice)
    #expect(record.refreshToken?.text == (isExpired ? nil : "rt-1"))
    #expect(record.isExpired == isExpired)
  }

  // OpenID Connect Core 1.0 section 5.7, in spirit.
  @Test(arguments: [["openid"], ["mail"]]) func `by nobody knows whom is refused and nothing is stored`(
    scope: [String]
  ) throws {
    try home.store { $0.isExpired = true }
    var configuration = Home.configuration
    configuration.scope = scope
    let signIn = try home.prepare(configuration)
    // Some servers end all sessions of a user and client with any token.
    #expect(throws: SessionError.grantNotStored(because: .identityUnknown(account: "work"), isRevoked: false)) {
      _ = try home.finish(signIn, try tokens("at-2", refresh: "rt-2"))
    }
    #expect(!home.http.urls.contains(TestIssuer.revocationURL))
    let record = try #require(try home.stored())
    #expect(record.identity == Home.alice && record.refreshToken?.text == "rt-1")
  }

  // The signed-in user must be known before another session replaces theirs.
  @Test(arguments: [true, false]) func `while the record cannot be read is refused, and nothing takes its place`(
    isDamagedEarly: Bool
  ) throws {
    func damage() throws {
      let content = try secret("not a record").bytes.copy()
      try home.services.vault.write(home.account, content: content)
    }
    try home.store()
    let answer = try tokens("at-9", refresh: "rt-9", idToken: try TestIssuer.first.idToken("sub", "mallory"))
    if isDamagedEarly { try damage() }
    #expect {
      let signIn = try home.prepare()
      if !isDamagedEarly { try damage() }
      _ = try home.finish(signIn, answer)
    } throws: {
      let damaged = SessionError.vault(VaultError(.damaged, path: "work"))
      return ($0 as? SessionError) == (isDamagedEarly ? damaged : .grantNotStored(because: damaged, isRevoked: false))
    }
    #expect { _ = try home.stored() } throws: {
      ($0 as? SessionError) == .vault(VaultError(.damaged, path: "work"))
    }
  }

  @Test func `to an account without an identity needs none`() throws {
    try home.store { $0.identity = nil }
    _ = try home.finish(try home.prepare(), try tokens("at-2", refresh: "rt-2"))
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
  }

  @Test func `by the same person replaces the session`() throws {
    try home.store { $0.isExpired = true }
    let signIn = try home.prepare()
    _ = try home.finish(signIn, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken()))
    let record = try #require(try home.stored())
    #expect(record.refreshToken?.text == "rt-2")
    #expect(!record.isExpired)
    #expect(record.signedInAt == TestIssuer.now)
  }

  @Test func `waits for a refresh that is under way and survives it`() throws {
    try home.store()
    let signIn = try home.prepare()
    let approved = try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken())
    let (home, finished) = (home, WorkQueue<String>())
    home.http.answer(TestIssuer.tokenURL) { _ in
      try Threads.start(name: "sign-in") {
        do {
          _ = try home.finish(signIn, approved)
          finished.push("done")
        } catch {
          finished.push("\(error)")
        }
      }
      // The refresh locks the account, so the sign-in cannot have been stored.
      #expect(finished.pop(wait: .milliseconds(100)) == nil)
      #expect(try home.stored()?.refreshToken?.text == "rt-1")
      return try tokens("at-old", refresh: "rt-old")
    }
    #expect(try home.refresh().accessToken.text == "at-old")
    #expect(finished.pop(wait: .testLimit) == "done")
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
  }

  @Test func `makes a vault beside those of other machines`() throws {
    let elsewhere = Vault(stateDirectory: home.directory.path("state"), machineIdentity: Array(101...116), userID: 1000)
    let content = try Home.record().serialized()
    try elsewhere.write(home.account, content: content)
    #expect { _ = try home.refresh() } throws: {
      if case .vault(let error)? = $0 as? SessionError { error.code == .otherMachinesOnly } else { false }
    }
    var configuration = Home.configuration
    configuration.proxy = "http://proxy.example:3128"
    _ = try home.finish(
      try home.prepare(configuration), try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken()))
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
  }

  // MARK: The client secret

  struct Method: CustomTestStringConvertible {
    var announced: [JSON]?
    var chosen: ClientAuthenticationMethod
    var testDescription: String { "\(announced?.compactMap(\.string) ?? ["nothing"])" }
  }

  // RFC 8414 section 2: client_secret_basic where nothing is announced.
  @Test(arguments: [
    Method(announced: nil, chosen: .secretBasic),
    Method(announced: ["client_secret_post", "client_secret_basic"], chosen: .secretBasic),
    Method(announced: ["client_secret_post"], chosen: .secretPost),
    Method(announced: ["none", "private_key_jwt"], chosen: .secretBasic),
  ])
  func `sends a given secret in the way the server announces`(_ method: Method) throws {
    let metadata = TestIssuer.metadata("token_endpoint_auth_methods_supported", method.announced.map { .array($0) })
    home.http.answer(TestIssuer.metadataURL, try response(200, .object(metadata)))
    let signIn = try home.prepare(Home.configuration, SignInSecrets(clientSecret: secret("s3cret")))
    #expect(signIn.prepared.configuration.tokenEndpointAuthMethod == method.chosen)
    let request = try #require(home.http.requests.last)
    let isBasic = method.chosen == .secretBasic
    #expect(request.authorization == (isBasic ? "Basic " + Base64.encode(Array("cli:s3cret".utf8)) : nil))
    #expect(request.form?.contains("client_secret=s3cret") == !isBasic)
    let outcome = try home.finish(signIn, try tokens("at-1", refresh: "rt-1", idToken: TestIssuer.first.idToken()))
    #expect(outcome.configuration.tokenEndpointAuthMethod == method.chosen)
    let record = try #require(try home.stored())
    #expect(record.credentials.secret?.text == "s3cret")
    #expect(record.authority.settings.tokenEndpointAuthMethod == method.chosen)
  }

  @Test func `sends a given secret in the way the account says`() throws {
    var configuration = Home.configuration
    configuration.tokenEndpointAuthMethod = .secretPost
    _ = try home.prepare(configuration, SignInSecrets(clientSecret: secret("s3cret")))
    #expect(home.http.requests.last?.form?.contains("client_secret=s3cret") == true)
    #expect(home.http.requests.last?.authorization == nil)
  }

  @Test func `with a method that needs a secret and none at hand says so`() throws {
    var configuration = Home.configuration
    configuration.tokenEndpointAuthMethod = .secretBasic
    #expect(throws: SessionError.configuration(ConfigurationError(.missingClientSecret, "client_secret"))) {
      _ = try home.prepare(configuration)
    }
    #expect(!home.http.urls.contains(TestIssuer.deviceURL))
  }

  func confidential() throws -> AccountConfiguration {
    var configuration = Home.configuration
    configuration.tokenEndpointAuthMethod = .secretPost
    try home.store(configuration) { $0.credentials.secret = try secret("stored") }
    return configuration
  }

  @Test func `uses the stored client secret again at the same place`() throws {
    let signIn = try home.prepare(try confidential())
    #expect(home.http.requests.last?.form?.contains("client_secret=stored") == true)
    _ = try home.finish(signIn, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken()))
    #expect(try home.stored()?.credentials.secret?.text == "stored")
  }

  struct Edit: CustomTestStringConvertible {
    var testDescription: String
    var change: @Sendable (inout AccountConfiguration) -> Void
  }

  @Test(arguments: [
    Edit(testDescription: "issuer") { $0.issuer = "https://evil.example" },
    Edit(testDescription: "client_id") { $0.clientID = "other" },
    Edit(testDescription: "token_endpoint_auth_method") { $0.tokenEndpointAuthMethod = .secretBasic },
    Edit(testDescription: "allow_http_loopback") { $0.allowHTTPLoopback = true },
    Edit(testDescription: "pins") { $0.pins = ["sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="] },
    Edit(testDescription: "device_authorization_endpoint") {
      $0.deviceAuthorizationEndpoint = "https://evil.example/d"
    },
  ])
  func `sends the stored client secret nowhere else`(_ edit: Edit) throws {
    var configuration = try confidential()
    edit.change(&configuration)
    #expect(throws: SessionError.configurationChanged(account: "work", setting: edit.testDescription)) {
      _ = try home.prepare(configuration)
    }
    #expect(home.http.requests.isEmpty)
  }

  @Test func `with a secret given anew may go elsewhere`() throws {
    var configuration = try confidential()
    configuration.deviceAuthorizationEndpoint = "https://new.example/d"
    home.http.answer("https://new.example/d", try response(200, Home.codes))
    _ = try home.prepare(configuration, SignInSecrets(clientSecret: secret("given")))
    #expect(home.http.requests.last?.form?.contains("client_secret=given") == true)
  }

  @Test func `of a public client does not bring an old client secret back`() throws {
    _ = try confidential()
    let signIn = try home.prepare()
    #expect(home.http.requests.last?.form == ["scope=openid offline_access", "client_id=cli"])
    _ = try home.finish(signIn, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken()))
    #expect(try home.stored()?.credentials.secret == nil)
  }

  // MARK: The proxy's credentials

  struct ProxyRow: CustomTestStringConvertible {
    var testDescription: String
    var proxy: String?
    var given: String?
    var used: String?
  }

  @Test(arguments: [
    ProxyRow(testDescription: "the same proxy", proxy: "http://proxy.example:3128", used: "user:stored"),
    ProxyRow(testDescription: "another proxy", proxy: "http://evil.example:3128", used: nil),
    ProxyRow(
      testDescription: "new credentials", proxy: "http://new.example:3128", given: "user:new", used: "user:new"),
    ProxyRow(testDescription: "no proxy", proxy: nil, used: nil),
  ])
  func `gives the stored proxy credentials to the same proxy only`(_ row: ProxyRow) throws {
    var configuration = Home.configuration
    configuration.proxy = "http://proxy.example:3128"
    try home.store(configuration) { $0.proxyCredentials = try secret("user:stored") }
    configuration.proxy = row.proxy
    let signIn = try home.prepare(
      configuration, SignInSecrets(proxyCredentials: try row.given.map(secret)))
    _ = try home.finish(signIn, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken()))
    #expect(home.http.transports.count == 4)
    for transport in home.http.transports {
      #expect(transport.proxy?.url == row.proxy)
      #expect(transport.proxy?.credentials?.text == row.used)
    }
    #expect(try home.stored()?.proxyCredentials?.text == row.used)
    #expect(try home.stored()?.authority.proxy == row.proxy)
  }
}
