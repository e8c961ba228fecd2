import Crypto
import Encoding
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary

// RFC 7009.
@Suite struct `A sign-out` {
  let home: Home

  init() throws { home = try Home() }

  func signOut(
    grant: AccessGrant? = nil, isLocal: Bool = false, configuration: AccountConfiguration? = Home.configuration
  ) throws -> SignOutOperation.RevocationResult {
    home.http.forgetRequests()
    return try operation(grant: grant, isLocal: isLocal, configuration).run().revocationResult
  }

  /// - Parameter isPatient: Whether to wait for the server.
  func operation(
    grant: AccessGrant? = nil, isLocal: Bool = false, _ configuration: AccountConfiguration? = Home.configuration,
    isPatient: Bool = true
  ) -> SignOutOperation {
    var operation = SignOutOperation(
      account: home.account, configuration: configuration, grant: grant, isLocal: isLocal, services: home.services)
    if !isPatient { operation.willContactServer = { [cancellation = operation.cancellation] in cancellation.cancel() } }
    return operation
  }

  private let timeout = SessionError.oauth(OAuthError(.timeout, .endpoint(.revocation)))

  /// The tokens that are only kept for their revocation.
  func owed() throws -> [String?]? {
    guard let record = try home.stored() else { return nil }
    #expect(record.isSignedOut && record.refreshToken == nil && record.accessToken == nil && record.identity == nil)
    return record.revocation.map { [$0.refreshToken?.text, $0.accessToken?.text] }
  }

  /// The forms and bearer tokens sent to the revocation and token endpoints.
  var sent: [[String]] {
    home.http.requests.filter { $0.url != TestIssuer.metadataURL }.map { request in
      ["\(request.url == TestIssuer.tokenURL ? "refresh" : "revoke")"]
        + (request.form ?? []).filter { !$0.hasPrefix("client_id=") && !$0.hasPrefix("grant_type=") }
        + (request.authorization.map { [$0] } ?? [])
    }
  }

  func answer(_ statuses: Int...) throws {
    for status in statuses {
      home.http.answer(TestIssuer.revocationURL, try response(status, status == 200 ? [:] : ["error": "x"]))
    }
  }

  // RFC 7009 section 2.1.
  @Test func `revokes the refresh token first, then the access token, then forgets both`() throws {
    try home.store()
    try answer(200, 200)
    #expect(try signOut(grant: grant("at-1")) == .revoked)
    #expect(
      sent == [
        ["revoke", "token=rt-1", "token_type_hint=refresh_token"],
        ["revoke", "token=at-1", "token_type_hint=access_token"],
      ])
    #expect(try home.stored() == nil)
  }

  @Test func `without an access token at hand revokes the refresh token alone`() throws {
    try home.store()
    try answer(200)
    #expect(try signOut() == .revoked)
    #expect(sent == [["revoke", "token=rt-1", "token_type_hint=refresh_token"]])
    #expect(try home.stored() == nil)
  }

  @Test func `is a success when the server refuses the access token after the refresh token`() throws {
    try home.store()
    try answer(200, 400)
    #expect(try signOut(grant: grant("at-1")) == .revoked)
  }

  @Test func `revokes a kept access token`() throws {
    try home.store {
      $0.refreshToken = nil
      $0.accessToken = try secret("kept")
    }
    try answer(200)
    #expect(try signOut() == .revoked)
    #expect(sent == [["revoke", "token=kept", "token_type_hint=access_token"]])
    #expect(try home.stored() == nil)
  }

  @Test func `of a session that ends with its access token revokes that`() throws {
    try home.store {
      $0.refreshToken = nil
      $0.isExpired = true
    }
    try answer(200)
    #expect(try signOut(grant: grant("at-1")) == .revoked)
    #expect(sent == [["revoke", "token=at-1", "token_type_hint=access_token"]])
  }

  // MARK: Servers that require a Bearer token

  @Test func `sends the access token along when the server wants one`() throws {
    try home.store()
    try answer(401, 200, 200)
    #expect(try signOut(grant: grant("at-1")) == .revoked)
    #expect(
      sent == [
        ["revoke", "token=rt-1", "token_type_hint=refresh_token"],
        ["revoke", "token=rt-1", "token_type_hint=refresh_token", "Bearer at-1"],
        ["revoke", "token=at-1", "token_type_hint=access_token"],
      ])
  }

  @Test(arguments: [nil, "rt-2"]) func `refreshes once more when the access token is dead`(rotated: String?) throws {
    try home.store()
    try answer(401, 401, 401, 200, 200)
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: rotated))
    #expect(try signOut(grant: grant("at-1")) == .revoked)
    let last = "token=\(rotated ?? "rt-1")"
    #expect(
      sent == [
        ["revoke", "token=rt-1", "token_type_hint=refresh_token"],
        ["revoke", "token=rt-1", "token_type_hint=refresh_token", "Bearer at-1"],
        ["refresh", "refresh_token=rt-1"],
        ["revoke", last, "token_type_hint=refresh_token"],
        ["revoke", last, "token_type_hint=refresh_token", "Bearer at-2"],
        ["revoke", "token=at-2", "token_type_hint=access_token"],
      ])
    #expect(try home.stored() == nil)
  }

  @Test func `gives up when the server wants a token that it does not give`() throws {
    try home.store()
    try answer(401)
    home.http.answer(TestIssuer.tokenURL, try refusal("invalid_grant"))
    let ended = refused(.invalidGrant, .endpoint(.token), "invalid_grant", status: 400)
    #expect(try signOut() == .failed(.oauth(ended)))
    #expect(try home.stored() == nil)
  }

  // MARK: The session in the browser

  // OpenID Connect RP-Initiated Logout 1.0 section 2.
  @Test(
    arguments: [
      (nil, nil), ("https://as.example/bye", "https://as.example/bye?client_id=cli&logout_hint=alice"),
      ("https://as.example/bye?t=1", "https://as.example/bye?t=1&client_id=cli&logout_hint=alice"),
    ] as [(String?, String?)])
  func `tells where that ends, and names the person without a token`(page: String?, url: String?) throws {
    try home.store()
    home.http.answer(
      TestIssuer.metadataURL,
      try response(200, .object(TestIssuer.metadata("end_session_endpoint", page.map { .string($0) }))))
    try answer(503)
    var operation = SignOutOperation(
      account: home.account, configuration: Home.configuration, grant: nil, isLocal: false, services: home.services)
    operation.wantsLogoutPage = true
    let ending = try operation.run()
    #expect(ending.logoutURL == url)
    guard case .postponed = ending.revocationResult else {
      Issue.record("the server was in trouble")
      return
    }
  }

  @Test func `at a place that was not there at sign-in is not told`() throws {
    try home.store()
    let moved = try response(200, .object(TestIssuer.metadata("end_session_endpoint", "https://evil.example/bye")))
    home.http.answer(TestIssuer.metadataURL, moved)
    home.http.answer(TestIssuer.metadataURL, moved)
    var operation = SignOutOperation(
      account: home.account, configuration: Home.configuration, grant: nil, isLocal: false, services: home.services)
    operation.wantsLogoutPage = true
    let ending = try operation.run()
    #expect(ending.logoutURL == nil)
    #expect(ending.revocationResult == .revoked)
  }

  @Test func `sends no token to a revocation endpoint that was not there at sign-in`() throws {
    try home.store()
    let moved = try response(200, .object(TestIssuer.metadata("revocation_endpoint", "https://evil.example/bye")))
    home.http.always(TestIssuer.metadataURL, moved)
    let operation = SignOutOperation(
      account: home.account, configuration: Home.configuration, grant: nil, isLocal: false, services: home.services)
    #expect(
      try operation.run().revocationResult
        == .failed(.endpointMoved(account: home.account.text, origin: "https://evil.example")))
    #expect(!home.http.urls.contains("https://evil.example/bye"))
  }

  // MARK: Other cases

  @Test func `forgets the session here even when the server fails`() throws {
    try home.store()
    home.http.answer(TestIssuer.revocationURL, try response(503, [:]))
    let failure = refused(.serverUnavailable, .endpoint(.revocation), nil, status: 503)
    #expect(try signOut(grant: grant("at-1")) == .postponed(.oauth(failure)))
    #expect(sent.count == 1)
    #expect(try owed() == ["rt-1", "at-1"])
  }

  // RFC 9449: a token bound to a key is revoked with a proof of it.
  @Test func `keeps the key of the tokens that are still to be revoked`() throws {
    let key = try DPoPKey.generate()
    try home.store { $0.dpopKey = try key.serialized() }
    try answer(503)
    _ = try signOut()
    #expect(try owed() == ["rt-1", nil])
    #expect(try home.stored()?.dpopKey?.text == key.serialized().text)
  }

  @Test func `forgets the session here even without a network`() throws {
    try home.store()
    home.http.fail(TestIssuer.metadataURL, HTTPFailure(.resolve))
    #expect(try signOut() == .postponed(.oauth(OAuthError(.network, .host("as.example")))))
    #expect(try owed() == ["rt-1", nil])
  }

  @Test func `that is local sends nothing`() throws {
    try home.store()
    #expect(try signOut(grant: grant("at-1"), isLocal: true) == .local)
    #expect(home.http.requests.isEmpty)
    #expect(try home.stored() == nil)
  }

  @Test func `of no session sends nothing`() throws {
    #expect(try signOut() == .nothingToRevoke)
    try home.store {
      $0.refreshToken = nil
      $0.isExpired = true
    }
    #expect(try signOut() == .nothingToRevoke)
    #expect(home.http.requests.isEmpty)
    #expect(try home.stored() == nil)
  }

  @Test func `says when the server has no revocation endpoint`() throws {
    try home.store()
    home.http.answer(
      TestIssuer.metadataURL, try response(200, .object(TestIssuer.metadata("revocation_endpoint", nil))))
    #expect(try signOut() == .notOffered(page: nil))
    #expect(try home.stored() == nil)
  }

  @Test func `of an account that the settings no longer name goes by what was sealed`() throws {
    try home.store()
    #expect(try signOut(configuration: nil) == .revoked)
    #expect(try home.stored() == nil)
  }

  @Test func `under other settings than the sign-in's sends nothing`() throws {
    try home.store()
    var configuration = Home.configuration
    configuration.revocationEndpoint = "https://evil.example/revoke"
    #expect(
      try signOut(configuration: configuration)
        == .failed(.configurationChanged(account: "work", setting: "revocation_endpoint")))
    #expect(home.http.requests.isEmpty)
    #expect(try home.stored() == nil)
  }

  @Test func `of a locked account is refused, and keeps what is in the record`() throws {
    try home.storeLocked()
    #expect { _ = try signOut(grant: grant("at-1")) } throws: { ($0 as? SessionError)?.isLocked == true }
    #expect(home.http.requests.isEmpty)
    let passphrase = try secret("open sesame")
    try home.services.vault.unlock(.passphrase, secret: passphrase.bytes)
    #expect(try home.services.record(of: home.account)?.refreshToken?.text == "rt-1")
  }

  @Test func `of a locked account that is local removes the record`() throws {
    try home.storeLocked()
    #expect(try signOut(isLocal: true) == .local)
    #expect(try home.services.vault.accounts() == [])
  }

  @Test func `removes a damaged record`() throws {
    let bytes = Array("not a record".utf8)
    let content = try SecretBytes(copying: bytes.span)
    try home.services.vault.write(home.account, content: content)
    #expect(try signOut() == .failed(.vault(VaultError(.damaged, path: "work"))))
    #expect(try home.stored() == nil)
  }

  @Test func `leaves other accounts alone`() throws {
    try home.store()
    let other = try AccountName("other")
    let content = try Home.record().serialized()
    try home.services.vault.write(other, content: content)
    _ = try signOut(isLocal: true)
    #expect(try home.otherProcess().vault.accounts() == [other])
  }

  // MARK: The local end comes first

  @Test func `is on disk before the server is told`() throws {
    try home.store { $0.credentials.secret = try secret("s3") }
    home.http.answer(TestIssuer.revocationURL) { _ in
      #expect(try owed() == ["rt-1", nil])
      #expect(home.otherProcess().accountsToRevoke() == [home.account])
      return try response(200, [:])
    }
    #expect(try signOut() == .revoked)
    #expect(try home.stored() == nil)
  }

  @Test func `keeps the tokens for a server in trouble, and tells it later`() throws {
    try home.store()
    try answer(503)
    _ = try signOut(grant: grant("at-1"))
    #expect(home.services.accountsToRevoke() == [home.account])
    try answer(200, 200)
    #expect(operation().revokePending().revocationResult == .revoked)
    #expect(sent.suffix(2).map { $0[1] } == ["token=rt-1", "token=at-1"])
    #expect(try home.stored() == nil)
    #expect(home.services.accountsToRevoke() == [])
  }

  @Test func `that another process told the server of is no sign-out of nobody`() throws {
    try home.store()
    try answer(200, 200)
    var operation = operation()
    let other = self.operation()
    operation.willContactServer = { #expect(other.revokePending().revocationResult == .revoked) }
    #expect(try operation.run().revocationResult == .handledElsewhere)
    #expect(try home.stored() == nil)
  }

  @Test func `does not tell a second time what the server refused for good`() throws {
    try home.store()
    try answer(400)
    guard case .failed = try signOut() else {
      Issue.record("the server refused")
      return
    }
    #expect(try home.stored() == nil)
  }

  @Test(arguments: [-1, -3600, -400 * 86_400]) func `is told the server though the clock was set back`(step: Int) throws
  {
    try home.store()
    try answer(503)
    _ = try signOut()
    home.time.setWall(seconds: home.time.wallSeconds() + step)
    try answer(503)
    guard case .postponed = operation().revokePending().revocationResult else {
      Issue.record("its time is not over")
      return
    }
    // A day from now, and not a day from a wrong time.
    let until = try #require(try home.stored()?.revocation?.until)
    #expect(until == home.time.wallSeconds() + SignOutOperation.revocationLifetime)
    try answer(200)
    #expect(operation().revokePending().revocationResult == .revoked)
    #expect(try home.stored() == nil)
  }

  @Test func `keeps the tokens for a day at most`() throws {
    try home.store()
    try answer(503)
    _ = try signOut()
    home.http.forgetRequests()
    home.time.setWall(seconds: home.time.wallSeconds() + 86_401)
    guard case .failed = operation().revokePending().revocationResult else {
      Issue.record("its time was over")
      return
    }
    #expect(home.http.requests.isEmpty)
    #expect(try home.stored() == nil)
  }

  @Test func `that is local drops what an earlier one keeps`() throws {
    try home.store()
    try answer(503)
    _ = try signOut()
    #expect(try signOut(isLocal: true) == .local)
    #expect(try home.stored() == nil)
  }

  @Test func `does not wait for a refresh under way, whose tokens are revoked later`() throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL) { _ in
      let ending = try operation(isPatient: false).run()
      #expect(ending.revocationResult == .postponed(.cancelled), "it was not asked")
      #expect(try owed() == ["rt-1", nil])
      return try tokens("at-2", refresh: "rt-2")
    }
    #expect { _ = try home.refresh() } throws: { ($0 as? SessionError) == .signedOut(account: "work") }
    #expect(try owed() == ["rt-2", nil])
    #expect(!home.services.hasUnwritten)
  }

  @Test func `that is local does not wait for a refresh under way, whose tokens are dropped`() throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL) { _ in
      #expect(try operation(isLocal: true, isPatient: false).run().revocationResult == .local)
      return try tokens("at-2", refresh: "rt-2")
    }
    #expect { _ = try home.refresh() } throws: { ($0 as? SessionError) == .signedOut(account: "work") }
    #expect(try home.stored() == nil)
    #expect(!home.services.hasUnwritten)
  }

  @Test func `gives a silent server its time and no more`() throws {
    try home.store()
    home.http.fail(TestIssuer.revocationURL, HTTPFailure(.cancelled))
    #expect(try operation(isPatient: false).run().revocationResult == .postponed(timeout))
    #expect(try owed() == ["rt-1", nil])
  }

  @Test func `holds the account while it revokes`() throws {
    try home.store()
    let home = home
    home.http.answer(TestIssuer.revocationURL) { _ in
      #expect { _ = try home.otherProcess().vault.lockAccount(home.account, LockWait(.zero)) } throws: {
        ($0 as? VaultError)?.code == .busy
      }
      return try response(200, [:])
    }
    #expect(try signOut() == .revoked)
  }
}
