import Crypto
import Encoding
import JOSE
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vault

@Suite struct `A refresh` {
  let home: Home

  init() throws { home = try Home() }

  // RFC 6749 section 6.
  @Test func `sends the stored token once and stores the new one`() throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", scope: "openid mail"))
    let grant = try home.refresh()
    #expect(grant.accessToken.text == "at-2")
    #expect(grant.tokenType == "Bearer")
    #expect(grant.scope == "openid mail")
    #expect(grant.subject == "alice")
    #expect(grant.lifetimeSeconds == 300)
    #expect(grant.expiresAtUnixSeconds == TestIssuer.now + 300)
    #expect(
      home.http.requests == [
        ScriptedHTTP.Recorded(method: .get, url: TestIssuer.metadataURL),
        ScriptedHTTP.Recorded(
          url: TestIssuer.tokenURL, form: ["grant_type=refresh_token", "refresh_token=rt-1", "client_id=cli"]),
      ])
    let record = try #require(try home.stored())
    #expect(record.refreshToken?.text == "rt-2")
    #expect(record.refreshedAt == TestIssuer.now)
    #expect(record.scope == "openid mail")
    #expect(record.accessToken == nil)
    #expect(home.services.isCurrent(grant, of: home.account))
  }

  // RFC 6749 section 5.1: the lifetime counts from before the answer was made.
  @Test func `counts the lifetime from before the request`() throws {
    try home.store()
    let (time, before) = (home.time, home.time.now())
    home.http.answer(TestIssuer.tokenURL) { _ in
      time.advance(seconds: 20)
      return try tokens("at-2")
    }
    let grant = try home.refresh()
    #expect(grant.issuedAt == before)
    #expect(grant.expiresAtUnixSeconds == TestIssuer.now + 300)
  }

  // RFC 6749 section 6: without a new refresh token the old one stays valid.
  @Test func `keeps the old token when no new one comes`() throws {
    try home.store { $0.scope = "openid" }
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", expiresIn: nil))
    let grant = try home.refresh()
    #expect(grant.lifetimeSeconds == nil)
    #expect(grant.scope == "openid")
    #expect(try home.stored()?.refreshToken?.text == "rt-1")
    #expect(try home.stored()?.refreshedAt == TestIssuer.now)
  }

  @Test func `takes the claims of a verified ID Token`() throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken()))
    let grant = try home.refresh()
    #expect(grant.claims == TestIssuer.claims)
    #expect(grant.subject == "alice")
  }

  // MARK: The rotated token is never lost

  @Test func `the rotated token is on disk before the ID Token is looked at`() throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken()))
    let home = home
    home.http.answer(TestIssuer.keysURL) { _ in
      #expect(try home.stored()?.refreshToken?.text == "rt-2")
      return try response(200, TestIssuer.first.keySet)
    }
    #expect(try home.refresh().accessToken.text == "at-2")
    #expect(home.http.urls.last == TestIssuer.keysURL)
  }

  // OpenID Connect Core 1.0 section 12.2.
  @Test(arguments: [("sub", "bob"), ("auth_time", 5), ("azp", "cli")] as [(String, JSON)])
  func `an ID Token for someone else stops the access token but not the rotation`(claim: String, value: JSON) throws {
    try home.store { $0.identity?.authTime = 7 }
    home.http.answer(
      TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken(claim, value)))
    #expect(throws: SessionError.identityChanged(account: "work", claim: claim)) { _ = try home.refresh() }
    let record = try #require(try home.stored())
    #expect(record.refreshToken?.text == "rt-2")
    #expect(record.identity?.subject == "alice")
    #expect(!record.isExpired)
    // It is remembered: nothing more is spent until the person signs in.
    home.http.forgetRequests()
    #expect(throws: SessionError.identityChanged(account: "work", claim: claim)) {
      _ = try home.refresh(Home.configuration, home.otherProcess())
    }
    #expect(home.http.requests.isEmpty)
  }

  // OpenID Connect Core 1.0 section 12.2. A device sign-in may bring no ID Token.
  @Test func `the first ID Token says for whom all later ones must be`() throws {
    try home.store { $0.identity = nil }
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken()))
    let grant = try home.refresh()
    #expect(grant.subject == "alice" && home.services.isCurrent(grant, of: home.account))
    #expect(try home.stored()?.identity?.subject == "alice")
    let other = try TestIssuer.first.idToken("sub", "mallory")
    home.http.answer(TestIssuer.tokenURL, try tokens("at-3", refresh: "rt-3", idToken: other))
    #expect(throws: SessionError.identityChanged(account: "work", claim: "sub")) { _ = try home.refresh() }
    #expect(try home.stored()?.refreshToken?.text == "rt-3")
  }

  /// Keys that cannot be fetched, for a token that is kept.
  private static let noKeys = {
    var error = OAuthError(.network, "the JWK Set endpoint")
    error.followsSuccess = true
    return SessionError.oauth(error)
  }()

  // What failed a moment ago says nothing of the token: it is a matter of time.
  @Test func `a changed key that cannot be fetched is a passing failure, also within the minute`() throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken()))
    _ = try home.refresh()
    home.http.fail(TestIssuer.keysURL, HTTPFailure(.connect))
    for number in 3...4 {
      let token = try TestIssuer.second.idToken()
      home.http.answer(TestIssuer.tokenURL, try tokens("at", refresh: "rt-\(number)", idToken: token))
      #expect(throws: Self.noKeys) {
        _ = try home.refresh()
      }
      #expect(try home.stored()?.refreshToken?.text == "rt-\(number)")
    }
    #expect(home.http.urls.count { $0 == TestIssuer.keysURL } == 2)
  }

  @Test func `an expired ID Token stops the access token but not the rotation`() throws {
    try home.store()
    let token = try TestIssuer.first.idToken("exp", .int(TestIssuer.now - 100))
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", idToken: token))
    #expect(throws: SessionError.idToken(IDTokenError(.expired, "exp"))) { _ = try home.refresh() }
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
  }

  // RFC 9110 section 6.6.1: the server's clock.
  @Test func `an ID Token that seems expired to a wrong clock names the clock`() throws {
    try home.store()
    let token = try TestIssuer.first.idToken(["exp": .int(TestIssuer.now - 100), "iat": .int(TestIssuer.now - 400)])
    let body: JSON = [
      "access_token": "at-2", "token_type": "Bearer", "refresh_token": "rt-2", "id_token": .string(token),
    ]
    // 14 November 2023, 22:13:20 is the moment at which all tests begin.
    home.http.answer(
      TestIssuer.tokenURL, try response(200, body, headers: [("Date", "Tue, 14 Nov 2023 22:08:20 GMT")]))
    var error = IDTokenError(.expired, "exp")
    error.clockError = 300
    #expect(throws: SessionError.idToken(error)) { _ = try home.refresh() }
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
  }

  @Test func `keys that cannot be fetched stop the access token but not the rotation`() throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken()))
    home.http.fail(TestIssuer.keysURL, HTTPFailure(.connect))
    #expect(throws: Self.noKeys) { _ = try home.refresh() }
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
    // The next attempt spends the rotated token.
    home.http.answer(TestIssuer.tokenURL, try tokens("at-3"))
    #expect(try home.refresh().accessToken.text == "at-3")
    #expect(home.http.requests.last?.form?[1] == "refresh_token=rt-2")
  }

  // OpenID Connect Core 1.0 section 10.1.1.
  @Test func `a new key of the issuer is fetched once`() throws {
    try home.store()
    home.http.answer(TestIssuer.keysURL, try response(200, TestIssuer.first.keySet))
    home.http.answer(TestIssuer.keysURL, try response(200, TestIssuer.second.keySet))
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", idToken: TestIssuer.second.idToken()))
    #expect(try home.refresh().subject == "alice")
    #expect(home.http.urls.suffix(2) == [TestIssuer.keysURL, TestIssuer.keysURL])
  }

  @Test func `a key that the issuer does not publish is not accepted`() throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", idToken: TestIssuer.second.idToken()))
    #expect(throws: SessionError.idToken(IDTokenError(.signature(.unknownKey)))) { _ = try home.refresh() }
    #expect(home.http.urls.filter { $0 == TestIssuer.keysURL }.count == 2)
  }

  // MARK: The end of the grant

  // RFC 6749 section 5.2.
  @Test func `invalid_grant ends the grant and keeps the identity`() throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL, try refusal("invalid_grant"))
    let expired = SessionError.expired(account: "work")
    #expect(throws: expired) { _ = try home.refresh() }
    let record = try #require(try home.stored())
    #expect(record.isExpired)
    #expect(record.refreshToken == nil)
    #expect(record.identity == Home.alice)
    // From now on nothing is sent.
    home.http.forgetRequests()
    #expect(throws: expired) { _ = try home.refresh() }
    #expect(home.http.requests.isEmpty)
  }

  @Test func `a token that someone else rotated meanwhile is used instead`() throws {
    try home.store()
    let home = home
    home.http.answer(TestIssuer.tokenURL) { _ in
      try home.store { $0.refreshToken = try secret("rt-other") }
      return try refusal("invalid_grant")
    }
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2"))
    #expect(try home.refresh().accessToken.text == "at-2")
    #expect(home.http.requests.last?.form?[1] == "refresh_token=rt-other")
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
  }

  @Test func `a record that someone else removed meanwhile does not come back`() throws {
    try home.store()
    let home = home
    home.http.answer(TestIssuer.tokenURL) { _ in
      try home.otherProcess().vault.remove(home.account)
      return try refusal("invalid_grant")
    }
    #expect(throws: SessionError.signedOut(account: "work")) { _ = try home.refresh() }
    #expect(try home.stored() == nil)
  }

  struct Passing: CustomTestStringConvertible {
    var testDescription: String
    var answer: @Sendable () throws -> HTTPResponse
    var error: OAuthError
  }

  // RFC 6749 section 5.2: only invalid_grant is about the grant.
  @Test(arguments: [
    Passing(
      testDescription: "a server in trouble", answer: { try response(503, ["x": 1]) },
      error: refused(.serverUnavailable, "the token endpoint", nil, status: 503)),
    Passing(
      testDescription: "a wrong client", answer: { try refusal("invalid_client", status: 401) },
      error: refused(.invalidClient, "the token endpoint", "invalid_client", status: 401)),
    Passing(
      testDescription: "an unknown error", answer: { try refusal("no_idea") },
      error: refused(.otherServerError, "the token endpoint", "no_idea", status: 400)),
    Passing(
      testDescription: "no connection", answer: { throw HTTPFailure(.connect) },
      error: OAuthError(.network, "the token endpoint")),
  ])
  func `any other failure keeps the grant`(_ failure: Passing) throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL) { _ in try failure.answer() }
    #expect(throws: SessionError.oauth(failure.error)) { _ = try home.refresh() }
    let record = try #require(try home.stored())
    #expect(record.refreshToken?.text == "rt-1")
    #expect(!record.isExpired)
  }

  // MARK: Several processes

  @Test func `the account is locked while the request is under way`() throws {
    try home.store()
    let home = home
    home.http.answer(TestIssuer.tokenURL) { _ in
      #expect { _ = try home.otherProcess().vault.lockAccount(home.account, wait: .zero) } throws: {
        ($0 as? VaultError)?.code == .busy
      }
      return try tokens("at-2")
    }
    _ = try home.refresh()
    // And free after it, also when it failed.
    _ = try home.otherProcess().vault.lockAccount(home.account, wait: .zero)
    home.http.answer(TestIssuer.tokenURL, try refusal("invalid_grant"))
    #expect(throws: SessionError.expired(account: "work")) { _ = try home.refresh() }
    _ = try home.otherProcess().vault.lockAccount(home.account, wait: .zero)
  }

  @Test func `two processes at once spend two different tokens`() throws {
    try home.store()
    let sent = Synchronised<[String]>([])
    for number in 2...3 {
      home.http.answer(TestIssuer.tokenURL) { request in
        sent.update { $0.append(request.form?[1] ?? "") }
        return try tokens("at-\(number)", refresh: "rt-\(number)")
      }
    }
    let home = home
    let outcomes = try inThreads(2) { _ in _ = try home.refresh(Home.configuration, home.otherProcess()) }
    #expect(outcomes == ["done", "done"])
    #expect(sent.value == ["refresh_token=rt-1", "refresh_token=rt-2"])
    #expect(try home.stored()?.refreshToken?.text == "rt-3")
  }
}
