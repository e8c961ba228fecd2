import Encoding
import OAuth
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary

@Suite struct `A check of a session` {
  private static let introspectionURL = "https://as.example/introspect"

  private static let confidential: AccountConfiguration = {
    var configuration = Home.configuration
    configuration.tokenEndpointAuthMethod = .secretPost
    return configuration
  }()

  let home: Home

  init() throws { home = try Home() }

  func ask(
    _ configuration: AccountConfiguration = Home.configuration, generation: UInt64 = 1
  ) throws -> SessionRequests.CheckResult {
    try SessionRequests(
      account: home.account, configuration: configuration, grant: grant("at-1", generation: generation),
      services: home.services
    ).check()
  }

  private func offerIntrospection() throws {
    let metadata = TestIssuer.metadata("introspection_endpoint", .string(Self.introspectionURL))
    home.http.always(TestIssuer.metadataURL, try response(200, .object(metadata)))
    try home.store(Self.confidential) { $0.credentials.secret = try secret("s") }
  }

  // OpenID Connect Core 1.0 section 5.3.
  @Test func `by UserInfo holds while the access token is taken`() throws {
    try home.store()
    home.http.answer(TestIssuer.userInfoURL, try response(200, ["sub": "alice"]))
    #expect(try ask() == .valid)
  }

  // RFC 6750 section 3.1.
  @Test func `by UserInfo is in doubt when the access token is refused`() throws {
    try home.store()
    home.http.answer(TestIssuer.userInfoURL, try refusal("invalid_token", status: 401))
    #expect(try ask() == .refreshNeeded)
    #expect(try home.stored()?.isExpired == false)
  }

  @Test func `by UserInfo ends a session that is nothing but its access token`() throws {
    try home.store {
      $0.refreshToken = nil
      $0.accessToken = try secret("at-1")
    }
    let generation = try #require(try home.otherProcess().vault.read(home.account)?.generation)
    home.http.answer(TestIssuer.userInfoURL, try refusal("invalid_token", status: 401))
    #expect(try ask(generation: generation) == .ended)
    let record = try home.stored()
    #expect(record?.isExpired == true)
    #expect(record?.accessToken == nil)
    #expect(record?.identity == Home.alice)
  }

  @Test func `ends no session whose end cannot be written down`() throws {
    try home.store {
      $0.refreshToken = nil
      $0.accessToken = try secret("at-1")
    }
    let generation = try #require(try home.otherProcess().vault.read(home.account)?.generation)
    let state = "cd '\(home.directory.path("state"))' && "
    // Writes do not follow links.
    try #require(try ProcessRunner.shell(state + "mv vault.lock kept && ln -s kept vault.lock").succeeded)
    home.http.answer(TestIssuer.userInfoURL, try refusal("invalid_token", status: 401))
    #expect {
      _ = try ask(generation: generation)
    } throws: { error in
      if case SessionError.vault = error { true } else { false }
    }
    try #require(try ProcessRunner.shell(state + "mv kept vault.lock").succeeded)
    #expect(try home.stored()?.isExpired == false)
  }

  @Test func `never ends a session that was replaced meanwhile`() throws {
    try home.store {
      $0.refreshToken = nil
      $0.accessToken = try secret("at-2")
    }
    home.http.answer(TestIssuer.userInfoURL, try refusal("invalid_token", status: 401))
    #expect(try ask(generation: 0) == .refreshNeeded)
    #expect(try home.stored()?.isExpired == false)
  }

  @Test func `is not possible without a place to ask, or without the right to`() throws {
    try home.store()
    home.http.answer(TestIssuer.userInfoURL, try refusal("insufficient_scope", status: 403))
    #expect(try ask() == .notPossible)
    let metadata = TestIssuer.metadata("userinfo_endpoint", nil)
    home.http.always(TestIssuer.metadataURL, try response(200, .object(metadata)))
    let services = home.otherProcess()
    home.services.documents.forget(try Issuer(TestIssuer.text, allowHTTPLoopback: false), transport: Transport())
    #expect(
      try SessionRequests(
        account: home.account, configuration: Home.configuration, grant: grant("at-1"), services: services
      ).check() == .notPossible)
  }

  // RFC 7662 section 2.
  @Test(arguments: [(true, SessionRequests.CheckResult.valid), (false, .refreshNeeded)])
  func `by introspection asks about the refresh token, and does not spend it`(
    isActive: Bool, verdict: SessionRequests.CheckResult
  ) throws {
    try offerIntrospection()
    home.http.answer(Self.introspectionURL, try response(200, ["active": .bool(isActive)]))
    #expect(try ask(Self.confidential) == verdict)
    #expect(
      home.http.requests.last?.form
        == ["token=rt-1", "token_type_hint=refresh_token", "client_id=cli", "client_secret=s"])
    #expect(try home.stored()?.refreshToken?.text == "rt-1")
  }

  @Test func `by introspection that is refused goes on with UserInfo`() throws {
    try offerIntrospection()
    home.http.answer(Self.introspectionURL, try refusal("invalid_client", status: 401))
    home.http.answer(TestIssuer.userInfoURL, try response(200, ["sub": "alice"]))
    #expect(try ask(Self.confidential) == .valid)
  }

  @Test func `sends nothing when the settings are not those of the sign-in`() throws {
    try home.store()
    var configuration = Home.configuration
    configuration.userinfoEndpoint = "https://evil.example/userinfo"
    #expect(throws: SessionError.configurationChanged(account: "work", setting: "userinfo_endpoint")) {
      _ = try ask(configuration)
    }
    #expect(home.http.requests.isEmpty)
  }

  @Test func `without a session has nothing to ask`() throws {
    #expect(throws: SessionError.signedOut(account: "work")) { _ = try ask() }
  }

  @Test func `that fails tells why`() throws {
    try home.store()
    home.http.answer(TestIssuer.userInfoURL, try response(200, ["sub": "bob"]))
    #expect(throws: SessionError.oauth(OAuthError(.userInfoMismatch, .endpoint(.userinfo)))) { _ = try ask() }
  }
}

@Suite struct `A session that ended elsewhere` {
  @Test func `is expired, and answers still on their way are ignored`() throws {
    var session = Session()
    session.applySignIn(try grant(), wallSeconds: 0, jitter: 0)
    guard case .wait(let refresh?) = session.request(TokenNeed(forceRefresh: true), account: "work", now: at(0)) else {
      Issue.record("no refresh")
      return
    }
    session.recordRemoteEnd(account: "work")
    #expect(session.state(now: at(0)) == .expired)
    #expect(session.grant == nil)
    #expect(session.lastFailure == .expired(account: "work"))
    let late = session.applyRefreshResult(refresh, .success(try grant("late")), now: at(1), wallSeconds: 0, jitter: 0)
    guard case .ignored = late else {
      Issue.record("a late answer counted")
      return
    }
    #expect(session.grant == nil)
  }

  @Test func `a record that moved keeps the token at hand`() throws {
    var session = Session()
    session.applySignIn(try grant("at", generation: 4), wallSeconds: 0, jitter: 0)
    session.applyRecordRewrite(to: 9)
    #expect(session.grant?.recordGeneration == 9)
    #expect(session.grant?.accessToken.text == "at")
    #expect(session.state(now: at(0)) == .active)
  }
}
