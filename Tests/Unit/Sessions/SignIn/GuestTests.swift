import Encoding
import OAuth
import Platform
import Sessions
import Testing
import Vault
import Vocabulary

/// Sessions without a user (RFC 6749 section 4.4).
@Suite struct `A guest` {
  private func configuration(_ scope: [String] = []) -> AccountConfiguration {
    var configuration = Home.configuration
    configuration.tokenEndpointAuthMethod = .secretPost
    configuration.scope = scope
    return configuration
  }

  private func preparation(
    _ home: Home, _ configuration: AccountConfiguration, secret text: String? = "s"
  ) throws -> SignIn.Request {
    var given = SignInSecrets()
    given.credentials.secret = try text.map(secret)
    var request = SignIn.Request(
      account: home.account, configuration: configuration, services: home.services, cancellation: Cancellation()
    ) { [given] _ in given }
    request.unattended = .clientCredentials
    return request
  }

  private func signIn(_ home: Home, _ scope: [String] = []) throws -> SignIn.Outcome {
    home.http.answer(TestIssuer.tokenURL, try tokens("guest-1", refresh: "rt-of-no-use", scope: "read"))
    return try preparation(home, configuration(scope)).unattendedOutcome()
  }

  @Test func `is the client itself, asks for nothing about a user, and keeps no refresh token`() throws {
    let home = try Home()
    let outcome = try signIn(home, ["openid", "read", "offline_access"])
    #expect(
      outcome.unattended == .clientCredentials && outcome.grant.subject == nil
        && outcome.grant.accessToken.text == "guest-1")
    #expect(
      home.http.requests.last?.form
        == ["grant_type=client_credentials", "scope=read", "client_id=cli", "client_secret=s"])
    let record = try #require(try home.stored())
    #expect(
      record.unattended == .clientCredentials && record.refreshToken == nil && record.identity == nil
        && !record.isExpired)
  }

  @Test func `is renewed as it began`() throws {
    let home = try Home()
    let outcome = try signIn(home)
    home.http.forgetRequests()
    home.http.answer(TestIssuer.tokenURL, try tokens("guest-2"))
    #expect(try home.refresh(outcome.configuration, home.otherProcess()).accessToken.text == "guest-2")
    #expect(
      home.http.requests.last?.form == ["grant_type=client_credentials", "client_id=cli", "client_secret=s"])
  }

  @Test func `must be able to prove who the client is`() throws {
    let home = try Home()
    #expect(throws: SessionError.guestMustAuthenticate(account: "work")) {
      try preparation(home, Home.configuration, secret: nil).unattendedOutcome()
    }
    #expect(!home.http.urls.contains(TestIssuer.tokenURL))
  }

  @Test func `becomes a user in place`() throws {
    let home = try Home()
    let guest = try signIn(home)
    // The client secret is read from the vault.
    let signIn = try home.prepare(guest.configuration)
    let outcome = try home.finish(signIn, tokens("at-1", refresh: "rt-1", idToken: TestIssuer.first.idToken()))
    #expect(outcome.wasGuest && outcome.unattended == nil && outcome.grant.subject == "alice")
    let record = try #require(try home.stored())
    #expect(record.unattended == nil && record.identity?.subject == "alice" && record.refreshToken?.text == "rt-1")
  }

  @Test func `does not take the place of a user`() throws {
    let home = try Home()
    try home.store(configuration()) { $0.credentials.secret = try secret("s") }
    #expect(throws: SessionError.guestCannotReplaceUser(account: "work")) {
      try preparation(home, configuration()).unattendedOutcome()
    }
    #expect(home.http.requests.isEmpty)
    #expect(try home.stored()?.refreshToken?.text == "rt-1")
  }

  @Test func `does not take the place of a user who signed in meanwhile`() throws {
    let home = try Home()
    let configuration = configuration()
    home.http.answer(TestIssuer.tokenURL) { [home] _ in
      try home.store(configuration)
      return try tokens("guest-1")
    }
    #expect(throws: SessionError.self) { try preparation(home, configuration).unattendedOutcome() }
    let record = try #require(try home.stored())
    #expect(record.unattended == nil && record.refreshToken?.text == "rt-1" && record.identity?.subject == "alice")
  }

  // A revoked token does not end the session: a new one can be requested.
  @Test func `is not over when its token is`() throws {
    let home = try Home()
    let metadata = TestIssuer.metadata("introspection_endpoint", "https://as.example/introspect")
    home.http.always(TestIssuer.metadataURL, try response(200, .object(metadata)))
    let outcome = try signIn(home)
    home.http.always("https://as.example/introspect", try response(200, ["active": false]))
    let question = SessionRequests(
      account: home.account, configuration: outcome.configuration, grant: outcome.grant,
      services: home.otherProcess())
    #expect(try question.check() == .refreshNeeded)
    #expect(try home.stored()?.isExpired == false)
  }

  @Test func `is nobody that the server could tell of`() throws {
    let home = try Home()
    let outcome = try signIn(home)
    home.http.forgetRequests()
    let question = SessionRequests(
      account: home.account, configuration: outcome.configuration, grant: outcome.grant, services: home.services)
    #expect(try question.userInfo() == nil)
    #expect(home.http.requests.isEmpty)
  }
}
