import Crypto
import Encoding
import OAuth
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary

@Suite struct `Importing a refresh token` {
  let home: Home

  init() throws { home = try Home() }

  func importToken(
    _ configuration: AccountConfiguration = Home.configuration, clientSecret: String? = nil
  ) throws -> (grant: AccessGrant, configuration: AccountConfiguration) {
    var given = SignInSecrets()
    given.credentials.secret = try clientSecret.map { try secret($0) }
    return try SignIn.Request(
      account: home.account, configuration: configuration, isNew: true, services: home.services,
      cancellation: Cancellation()
    ).importToken(secret("theirs"), given)
  }

  private var forms: [[String]] { home.http.requests.compactMap(\.form) }

  // RFC 6749 section 6.
  @Test func `spends it once and keeps the one it was traded for`() throws {
    let answer = try tokens("at-1", refresh: "ours", idToken: try TestIssuer.first.idToken())
    home.http.answer(TestIssuer.tokenURL, answer)
    let outcome = try importToken()
    #expect(forms == [["grant_type=refresh_token", "refresh_token=theirs", "client_id=cli"]])
    #expect(outcome.grant.accessToken.text == "at-1")
    #expect(outcome.grant.subject == "alice")
    #expect(outcome.configuration == Home.configuration)
    #expect(try home.settings()[home.account] == Home.configuration)
    let record = try home.stored()
    #expect(record?.refreshToken?.text == "ours")
    #expect(record?.identity == Home.alice)
    #expect(home.services.isCurrent(outcome.grant, of: home.account) == true)
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2"))
    #expect(try home.refresh().accessToken.text == "at-2")
  }

  @Test func `keeps it where the server does not rotate, and needs no ID Token`() throws {
    home.http.answer(TestIssuer.tokenURL, try tokens("at-1", scope: "mail"))
    let outcome = try importToken()
    #expect(outcome.grant.subject == nil)
    #expect(outcome.grant.scope == "mail" && outcome.grant.isScopeFromServer)
    let record = try home.stored()
    #expect(record?.refreshToken?.text == "theirs")
    #expect(record?.identity == nil)
    #expect(home.services.isCurrent(outcome.grant, of: home.account) == true)
  }

  // The settings are written before the token is spent.
  @Test func `spends nothing where the settings have no room for the account`() throws {
    let names = try (0..<Settings.maximumAccounts).map { try AccountName("a\($0)") }
    _ = try SettingsFile(directory: home.settingsDirectory).change { (settings) throws(ConfigurationError) in
      for name in names { try settings.set(Home.configuration, for: name) }
    }
    home.http.answer(TestIssuer.tokenURL, try tokens("at-1", refresh: "ours"))
    let error = #expect(throws: SessionError.self) { _ = try importToken() }
    guard case .configuration(let problem) = error, case .tooManyAccounts = problem.code else {
      throw try #require(error)
    }
    #expect(forms.isEmpty)
  }

  // RFC 6749 section 5.2.
  @Test func `that the server refuses keeps nothing`() throws {
    home.http.answer(TestIssuer.tokenURL, try refusal("invalid_grant"))
    let error = refused(.invalidGrant, .endpoint(.token), "invalid_grant", status: 400)
    #expect(throws: SessionError.oauth(error)) { _ = try importToken() }
    #expect(try home.settings().accounts.isEmpty)
    #expect(try home.settings().active == nil)
    #expect(try home.stored() == nil)
  }

  // Store first: the imported token may no longer be valid.
  @Test func `with an ID Token that does not hold keeps what it was traded for, and hands out nothing until one does`()
    throws
  {
    let foreign = try TestIssuer.first.idToken("aud", "somebody-else")
    home.http.answer(TestIssuer.tokenURL, try tokens("at-1", refresh: "ours", idToken: foreign))
    #expect(throws: SessionError.self) { _ = try importToken() }
    #expect(try home.settings()[home.account] == Home.configuration)
    #expect(try home.stored()?.refreshToken?.text == "ours")
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "ours-2"))
    #expect(throws: SessionError.identityUnverified(account: "work")) { _ = try home.refresh() }
    home.http.answer(
      TestIssuer.tokenURL, try tokens("at-3", refresh: "ours-3", idToken: try TestIssuer.first.idToken()))
    #expect(try home.refresh().subject == "alice")
    home.http.answer(TestIssuer.tokenURL, try tokens("at-4"))
    #expect(try home.refresh().accessToken.text == "at-4")
  }

  @Test func `with an answer that brings nothing but the next refresh token keeps that`() throws {
    home.http.answer(TestIssuer.tokenURL, try response(200, ["token_type": "mac", "refresh_token": "ours"]))
    #expect(throws: SessionError.self) { _ = try importToken() }
    #expect(try home.settings()[home.account] == Home.configuration)
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2"))
    #expect(try home.refresh().accessToken.text == "at-2")
    #expect(forms.last?[1] == "refresh_token=ours")
  }

  // No approval is wasted: an unusable grant does not continue at the server.
  @Test(arguments: ["ours", nil]) func `whose new token cannot be written ends that, and says so`(refresh: String?)
    throws
  {
    try home.services.vault.write(AccountName("other"), content: try Home.record().serialized())
    let (home, answer) = (home, try tokens("at-1", refresh: refresh))
    home.http.answer(TestIssuer.tokenURL) { _ in
      let line = "cd '\(home.directory.path("state"))' && mv vault.lock kept && ln -s kept vault.lock"
      try #require(try ProcessRunner.shell(line).succeeded)
      return answer
    }
    let error = #expect(throws: SessionError.self) { _ = try importToken() }
    if refresh == nil {
      // The server did not rotate: the token is still valid in the other program.
      guard case .vault = error else { throw try #require(error) }
      #expect(home.http.requests.last?.url == TestIssuer.tokenURL)
    } else {
      guard case .grantNotStored(because: .vault, isRevoked: true) = error else { throw try #require(error) }
      #expect(home.http.requests.last?.url == TestIssuer.revocationURL)
      #expect(home.http.requests.last?.form?.first == "token=ours")
    }
    #expect(try home.settings().accounts.isEmpty)
  }

  // The imported token is spent, and the server accepts each token once.
  @Test func `keeps what it was traded for when only the issuer's keys cannot be had`() throws {
    home.http.fail(TestIssuer.keysURL, HTTPFailure(.connect))
    let answer = try tokens("at-1", refresh: "ours", idToken: try TestIssuer.first.idToken())
    home.http.answer(TestIssuer.tokenURL, answer)
    var error = OAuthError(.network, .host("as.example"))
    error.followsSuccess = true
    #expect(throws: SessionError.oauth(error)) { _ = try importToken() }
    #expect(try home.settings()[home.account] == Home.configuration)
    #expect(try home.stored()?.refreshToken?.text == "ours")
    // The next refresh identifies the user.
    home.http.answer(TestIssuer.keysURL, try response(200, TestIssuer.first.keySet))
    home.http.answer(
      TestIssuer.tokenURL, try tokens("at-2", refresh: "ours-2", idToken: try TestIssuer.first.idToken()))
    #expect(try home.refresh().subject == "alice")
  }

  @Test func `never touches an account that is there, and does not spend the token`() throws {
    try home.addSettings()
    try home.store()
    #expect(throws: SessionError.configuration(ConfigurationError(.accountExists, "work"))) { _ = try importToken() }
    #expect(home.http.requests.isEmpty)
    #expect(try home.refreshToken(of: home.account) == "rt-1")
  }

  @Test func `by a client with a secret keeps the secret, and proves itself as the server announces`() throws {
    let metadata = TestIssuer.metadata("token_endpoint_auth_methods_supported", ["client_secret_post"])
    home.http.always(TestIssuer.metadataURL, try response(200, .object(metadata)))
    home.http.answer(TestIssuer.tokenURL, try tokens("at-1", refresh: "ours"))
    let outcome = try importToken(clientSecret: "s3cret")
    #expect(outcome.configuration.tokenEndpointAuthMethod == .secretPost)
    #expect(try home.settings()[home.account] == outcome.configuration)
    #expect(forms.last?.suffix(2) == ["client_id=cli", "client_secret=s3cret"])
    #expect(try home.stored()?.credentials.secret?.text == "s3cret")
  }

  @Test func `to a server that is down keeps nothing, and may be tried again`() throws {
    home.http.fail(TestIssuer.tokenURL, HTTPFailure(.connect))
    #expect(throws: SessionError.self) { _ = try importToken() }
    #expect(try home.settings().accounts.isEmpty)
    home.http.answer(TestIssuer.tokenURL, try tokens("at-1", refresh: "ours"))
    #expect(try importToken().grant.accessToken.text == "at-1")
  }
}
