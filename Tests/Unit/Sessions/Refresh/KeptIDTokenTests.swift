import Crypto
import Encoding
import OAuth
import Sessions
import TestSupport
import Testing
import Vocabulary

/// The ID Token in the record, from the sign-in to the end of the grant.
@Suite struct `The ID Token at hand` {
  let home: Home

  init() throws { home = try Home() }

  private func refresh(_ previous: AccessGrant?) throws -> AccessGrant {
    try RefreshOperation(
      account: home.account, configuration: Home.configuration, previous: previous, services: home.services,
      cancellation: Cancellation()
    ).run()
  }

  private func refresh(_ previous: AccessGrant?, idToken: String?) throws -> AccessGrant {
    home.http.answer(TestIssuer.tokenURL, try tokens("at", idToken: idToken))
    return try refresh(previous)
  }

  @Test func `is that of the sign-in, verified`() throws {
    let idToken = try TestIssuer.first.idToken("role", "admin")
    let grant = try home.finish(try home.prepare(), try tokens("at-1", refresh: "rt-1", idToken: idToken)).grant
    #expect(grant.idToken?.text == idToken)
    #expect(grant.claims["role"] == "admin")
  }

  @Test func `is none where the server gives none`() throws {
    var configuration = Home.configuration
    configuration.scope = ["mail"]
    let grant = try home.finish(try home.prepare(configuration), try tokens("at-1", refresh: "rt-1")).grant
    #expect(grant.idToken == nil && grant.claims.isEmpty)
    #expect(try refresh(grant, idToken: nil).idToken == nil)
  }

  // OpenID Connect Core 1.0 section 12.2: a refresh may return none.
  @Test func `goes on through refreshes that bring none`() throws {
    try home.store()
    let idToken = try TestIssuer.first.idToken("role", "admin")
    var grant = try refresh(nil, idToken: idToken)
    for _ in 0..<3 {
      grant = try refresh(grant, idToken: nil)
      #expect(grant.idToken?.text == idToken)
      #expect(grant.claims["role"] == "admin")
    }
  }

  @Test func `is replaced by a newer one, with its claims`() throws {
    try home.store()
    let first = try refresh(nil, idToken: TestIssuer.first.idToken("role", "admin"))
    let idToken = try TestIssuer.first.idToken("role", "guest")
    let second = try refresh(first, idToken: idToken)
    #expect(second.idToken?.text == idToken)
    #expect(second.claims["role"] == "guest")
  }

  @Test func `is not taken over from another grant`() throws {
    try home.store()
    let first = try refresh(nil, idToken: TestIssuer.first.idToken())
    // Another process signed in again, possibly as another user.
    try home.store { $0.refreshToken = try secret("rt-other") }
    let second = try refresh(first, idToken: nil)
    #expect(second.idToken == nil && second.claims.isEmpty)
  }

  @Test func `is not taken over when another process replaced the refresh token meanwhile`() throws {
    try home.store()
    let first = try refresh(nil, idToken: TestIssuer.first.idToken())
    let home = home
    home.http.answer(TestIssuer.tokenURL) { _ in
      try home.store { $0.refreshToken = try secret("rt-other") }
      return try refusal("invalid_grant")
    }
    let second = try refresh(first, idToken: nil)
    #expect(second.accessToken.text == "at")
    #expect(second.idToken == nil && second.claims.isEmpty)
  }

  @Test func `goes on with a kept access token`() throws {
    var configuration = Home.configuration
    configuration.keepsAccessToken = true
    let idToken = try TestIssuer.first.idToken()
    let grant = try home.finish(try home.prepare(configuration), try tokens("at-1", idToken: idToken)).grant
    let again = try RefreshOperation(
      account: home.account, configuration: configuration, previous: grant, services: home.services,
      cancellation: Cancellation()
    ).run()
    #expect(again.accessToken.text == "at-1")
    #expect(again.idToken?.text == idToken)
    #expect(again.claims == grant.claims)
  }

  @Test func `that does not verify is not kept`() throws {
    try home.store()
    let idToken = try TestIssuer.first.idToken()
    let first = try refresh(nil, idToken: idToken)
    #expect(throws: SessionError.self) { try refresh(first, idToken: TestIssuer.second.idToken()) }
    #expect(try home.stored()?.idToken?.text == idToken)
  }

  @Test func `lasts over a restart, at a server that gives it only once`() throws {
    try home.store()
    let idToken = try TestIssuer.first.idToken("role", "admin")
    _ = try refresh(nil, idToken: idToken)
    let again = try refresh(nil, idToken: nil)
    #expect(again.idToken?.text == idToken && again.claims["role"] == "admin")
    #expect(try home.services.verifiedClaims(of: home.account, Home.configuration)?["role"] == "admin")
  }

  @Test func `does not change who signed in first`() throws {
    try home.store()
    let first = try home.stored()?.identity
    _ = try refresh(nil, idToken: TestIssuer.first.idToken("auth_time", 5))
    #expect(try home.stored()?.identity == first)
  }

  @Test func `is not in a record of an older version`() throws {
    try home.store()
    #expect(try home.services.verifiedClaims(of: home.account, Home.configuration) == nil)
  }

  @Test func `goes with the grant`() throws {
    try home.store()
    _ = try refresh(nil, idToken: TestIssuer.first.idToken())
    home.http.answer(TestIssuer.tokenURL, try refusal("invalid_grant"))
    #expect(throws: SessionError.expired(account: home.account.text)) { try refresh(nil) }
    #expect(try home.stored()?.idToken == nil)
    #expect(throws: SessionError.expired(account: home.account.text)) {
      try home.services.verifiedClaims(of: home.account, Home.configuration)
    }
  }

  @Test func `that differs from the first is neither kept nor told`() throws {
    try home.store()
    let idToken = try TestIssuer.first.idToken("role", "admin")
    _ = try refresh(nil, idToken: idToken)
    #expect(throws: SessionError.self) { try refresh(nil, idToken: TestIssuer.first.idToken("sub", "mallory")) }
    #expect(try home.stored()?.idToken?.text == idToken)
    #expect(throws: SessionError.identityChanged(account: home.account.text, claim: "sub")) {
      try home.services.verifiedClaims(of: home.account, Home.configuration)
    }
  }
}
