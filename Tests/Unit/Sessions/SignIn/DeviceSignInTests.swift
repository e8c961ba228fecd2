import Crypto
import Encoding
import OAuth
import Platform
import TestSupport
import Testing
import Vault

@testable import Sessions
import Vocabulary

/// A sign-in by the device grant, step by step (RFC 8628).
@Suite struct `A sign-in by device code` {
  let home: Home

  init() throws { home = try Home() }

  func signIn(
    _ answer: HTTPResponse, _ configuration: AccountConfiguration = Home.configuration
  ) throws -> SignIn.Outcome {
    try home.finish(try home.prepare(configuration), answer)
  }

  // MARK: Odd answers

  // Store first, at a sign-in too: the person has approved it.
  @Test func `whose tokens cannot be used keeps the refresh token, and the next refresh goes on from there`() throws {
    for fault in [["token_type": "mac"], ["access_token": 5], ["id_token": "a b"]] as [JSONObject] {
      var body: JSONObject = ["access_token": "at-1", "token_type": "Bearer", "refresh_token": "rt-1"]
      for name in fault.names { body[name] = fault[name] }
      let error = #expect(throws: SessionError.self) { _ = try signIn(try response(200, .object(body))) }
      guard case .onlyRefreshTokenStored(Home.configuration, because: .oauth(let cause)) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(cause.followsSuccess)
      home.http.answer(
        TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", idToken: try TestIssuer.first.idToken()))
      let grant = try home.refresh()
      #expect(grant.accessToken.text == "at-2" && grant.subject == "alice")
      try home.services.vault.remove(home.account)
    }
  }

  @Test func `whose ID Token cannot be verified now keeps the refresh token, and hands out nothing until one was`()
    throws
  {
    home.http.fail(TestIssuer.keysURL, HTTPFailure(.connect))
    let answer = try tokens("at-1", refresh: "rt-1", idToken: try TestIssuer.first.idToken())
    let error = #expect(throws: SessionError.self) { _ = try signIn(answer) }
    guard case .onlyRefreshTokenStored = error else { throw error ?? .cancelled }
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2"))
    #expect(throws: SessionError.identityUnverified(account: "work")) { _ = try home.refresh() }
  }

  @Test func `whose ID Token is wrong keeps nothing, and ends the grant at the server`() throws {
    home.http.answer(TestIssuer.revocationURL, try response(200, [:]))
    let answer = try tokens("at-1", refresh: "rt-1", idToken: try TestIssuer.first.idToken("aud", "other"))
    #expect(throws: SessionError.idToken(IDTokenError(.wrongAudience(isMissing: false)))) { _ = try signIn(answer) }
    #expect(try home.stored() == nil)
    #expect(home.http.requests.last?.url == TestIssuer.revocationURL)
    #expect(home.http.requests.last?.form?.first == "token=rt-1")
  }

  @Test func `never takes the place of a session that is there with an answer that cannot be used`() throws {
    try home.store()
    #expect(throws: SessionError.self) {
      _ = try signIn(try response(200, ["token_type": "mac", "refresh_token": "rt-9"]))
    }
    #expect(try home.stored()?.refreshToken?.text == "rt-1")
    #expect(!home.http.urls.contains(TestIssuer.revocationURL))
  }

  @Test(arguments: [false, true])
  func `says that an earlier session is left at the server, one too that still had to be ended there`(
    isSignedOut: Bool
  ) throws {
    #expect(try signIn(try tokens("at-1", refresh: "rt-1")).notices == [])
    if isSignedOut {
      home.http.answer(TestIssuer.revocationURL, try response(503, [:]))
      let operation = SignOutOperation(
        account: home.account, configuration: Home.configuration, grant: nil, isLocal: false, services: home.services)
      guard case .postponed = try operation.run().revocationResult else { throw SessionError.cancelled }
    }
    #expect(try signIn(try tokens("at-2", refresh: "rt-2")).notices == [.earlierGrantRemains(page: nil)])
    #expect(try home.stored()?.revocation == nil)
  }

  // MARK: No approval is wasted

  /// Makes the settings directory read-only, or restores it.
  static func spoilSettings(_ home: Home, _ isSpoilt: Bool = true) throws {
    let directory = home.settingsDirectory
    let result = try ProcessRunner.shell(
      isSpoilt ? "rm -rf '\(directory)' && touch '\(directory)'" : "rm '\(directory)'")
    try #require(result.succeeded)
  }

  func refusesSettings(_ body: () throws -> Void) {
    #expect {
      try body()
    } throws: {
      switch $0 as? SessionError {
      case .configuration, .grantNotStored(because: .configuration, isRevoked: true): true
      default: false
      }
    }
  }

  @Test func `asks nobody while the settings cannot be written`() throws {
    try Self.spoilSettings(home)
    refusesSettings { _ = try home.prepare() }
    #expect(home.http.requests.isEmpty)
  }

  @Test func `asks nobody where there are as many accounts as there may be`() throws {
    try home.fillSettings()
    #expect(throws: SessionError.configuration(ConfigurationError(.tooManyAccounts, "accounts"))) {
      _ = try home.prepare()
    }
    #expect(home.http.requests.isEmpty)
  }

  @Test func `spends no code while the settings cannot be written`() throws {
    let signIn = try home.prepare()
    home.http.forgetRequests()
    try Self.spoilSettings(home)
    refusesSettings { _ = try home.finish(signIn) }
    #expect(home.http.requests.isEmpty)
    try Self.spoilSettings(home, false)
    let answer = try tokens("at-1", refresh: "rt-1", idToken: try TestIssuer.first.idToken())
    #expect(try home.finish(signIn, answer).hasRefreshToken)
  }

  @Test func `waits for who edits the settings, as long as the code lives`() throws {
    let signIn = try home.prepare()
    try home.addSettings(Home.configuration, for: AccountName("other"))
    home.http.forgetRequests()
    let lock = try PrivateDirectory(opening: home.settingsDirectory, create: false).tryLock("config.lock")
    guard case .undecided(.pending) = try signIn.poll(isWanted: { true }) else {
      Issue.record("the settings were locked")
      return
    }
    #expect(home.http.requests.isEmpty)
    lock.release()
    let answer = try tokens("at-1", refresh: "rt-1", idToken: try TestIssuer.first.idToken())
    #expect(try home.finish(signIn, answer).hasRefreshToken)
  }

  @Test(arguments: ["rt-1", nil]) func `whose settings cannot be written at last ends the grant`(refresh: String?)
    throws
  {
    let signIn = try home.prepare()
    let (home, answer) = (home, try tokens("at-1", refresh: refresh, idToken: try TestIssuer.first.idToken()))
    home.http.answer(TestIssuer.tokenURL) { _ in
      try Self.spoilSettings(home)
      return answer
    }
    refusesSettings { _ = try home.finish(signIn) }
    #expect(try home.stored() == nil)
    #expect(home.http.requests.last?.url == TestIssuer.revocationURL)
    #expect(home.http.requests.last?.form?.first == "token=\(refresh ?? "at-1")")
  }

  @Test func `writes the settings before the grant`() throws {
    home.http.always(TestIssuer.deviceURL, try response(200, Home.codes))
    let signIn = try SignIn.Request(
      account: home.account, configuration: Home.configuration, isNew: true, services: home.services,
      cancellation: Cancellation()
    ).device()
    let (home, answer) = (home, try tokens("at-1", refresh: "rt-1", idToken: try TestIssuer.first.idToken()))
    home.http.answer(TestIssuer.tokenURL) { _ in
      try #require(
        try ProcessRunner.shell("chmod 644 '\(home.directory.path("state"))'/vault.????????????????").succeeded)
      return answer
    }
    try home.services.vault.write(AccountName("other"), content: try Home.record().serialized())
    #expect(throws: SessionError.self) { _ = try home.finish(signIn) }
    #expect(try home.settings()[home.account] == Home.configuration)
  }

  @Test func `to a new account whose record cannot be written leaves no account`() throws {
    home.http.always(TestIssuer.deviceURL, try response(200, Home.codes))
    let signIn = try SignIn.Request(
      account: home.account, configuration: Home.configuration, isNew: true, services: home.services,
      cancellation: Cancellation()
    ).device()
    let (home, answer) = (home, try tokens("at-1", refresh: "rt-1", idToken: try TestIssuer.first.idToken()))
    let lock = "'\(home.directory.path("state"))'/vault.lock"
    home.http.answer(TestIssuer.tokenURL) { _ in
      // Writes do not follow links.
      try #require(try ProcessRunner.shell("rm -f \(lock) && ln -s nowhere \(lock)").succeeded)
      return answer
    }
    #expect(throws: SessionError.self) { _ = try home.finish(signIn) }
    #expect(try home.settings()[home.account] == nil && home.stored() == nil)
  }

  @Test func `that can be neither used nor written is not told to be kept, and its grant is ended`() throws {
    home.http.always(TestIssuer.deviceURL, try response(200, Home.codes))
    try home.services.vault.write(AccountName("other"), content: try Home.record().serialized())
    let signIn = try SignIn.Request(
      account: home.account, configuration: Home.configuration, isNew: true, services: home.services,
      cancellation: Cancellation()
    ).device()
    let (home, answer) = (home, try response(200, ["token_type": "mac", "refresh_token": "rt-1"]))
    home.http.answer(TestIssuer.tokenURL) { _ in
      // Writes do not follow links.
      let line = "cd '\(home.directory.path("state"))' && mv vault.lock kept && ln -s kept vault.lock"
      try #require(try ProcessRunner.shell(line).succeeded)
      return answer
    }
    let error = #expect(throws: SessionError.self) { _ = try home.finish(signIn) }
    guard case .grantNotStored(because: .oauth, isRevoked: true) = error else { throw try #require(error) }
    #expect(home.http.requests.last?.url == TestIssuer.revocationURL)
    #expect(home.http.requests.last?.form?.first == "token=rt-1")
  }

  // RFC 6749 section 3.3 (P-121).
  @Test func `tells which part of the scope was withheld`() throws {
    var configuration = Home.configuration
    configuration.scope = ["openid", "offline_access", "mail", "calendar"]
    let answer = try tokens("at-1", refresh: "rt-1", idToken: try TestIssuer.first.idToken(), scope: "mail")
    #expect(try signIn(answer, configuration).withheldScope == ["calendar"])
  }

  // A user's approval must lead to a usable session.
  @Test(arguments: ["token_endpoint", "jwks_uri"]) func `asks nobody when the server names no place that may be used`(
    member: String
  ) throws {
    home.http.always(
      TestIssuer.metadataURL, try response(200, .object(TestIssuer.metadata(member, "http://as.example/"))))
    #expect(throws: SessionError.oauth(OAuthError(.metadataInvalid, .name(member)))) { _ = try home.prepare() }
    #expect(!home.http.urls.contains(TestIssuer.deviceURL))
  }

  // P-031, P-041.
  @Test func `goes on where a place that it does not need may not be used`() throws {
    let metadata = TestIssuer.metadata("revocation_endpoint", "http://as.example/")
    home.http.always(TestIssuer.metadataURL, try response(200, .object(metadata)))
    #expect(try signIn(try tokens("at-1", idToken: try TestIssuer.first.idToken())).grant.subject == "alice")
  }

  // MARK: The first step

  // RFC 8628 section 3.1.
  @Test func `asks for a code with the default scope and no secret`() throws {
    let signIn = try home.prepare()
    #expect(
      home.http.requests == [
        ScriptedHTTP.Recorded(method: .get, url: TestIssuer.metadataURL, followsRedirects: true),
        ScriptedHTTP.Recorded(url: TestIssuer.deviceURL, form: ["scope=openid offline_access", "client_id=cli"]),
      ])
    #expect(signIn.authorization.userCode == "WDJB-MJHT")
    #expect(signIn.authorization.interval == 7)
    #expect(signIn.prepared.configuration == Home.configuration)
    #expect(signIn.startedAt == home.time.now())
    #expect(signIn.startedAtUnixSeconds == TestIssuer.now)
    #expect(try home.stored() == nil)
  }

  struct ScopeRow: CustomTestStringConvertible {
    var testDescription: String
    var wanted: [String] = []
    var metadata: JSONObject
    var sent: String?
  }

  // OpenID Connect Core 1.0 section 11: offline_access; RFC 8414 section 2: scopes_supported.
  @Test(arguments: [
    ScopeRow(
      testDescription: "offline_access is not announced", metadata: TestIssuer.metadata("scopes_supported", ["openid"]),
      sent: "openid"),
    ScopeRow(
      testDescription: "no scopes are announced", metadata: TestIssuer.metadata("scopes_supported", nil), sent: "openid"
    ),
    ScopeRow(
      testDescription: "no ID Tokens are issued", metadata: TestIssuer.metadata("jwks_uri", nil), sent: nil),
    ScopeRow(
      testDescription: "the account names its own", wanted: ["mail", "calendar"], metadata: TestIssuer.metadata,
      sent: "mail calendar"),
  ])
  func `asks for what the account or the server suggests`(_ row: ScopeRow) throws {
    home.http.answer(TestIssuer.metadataURL, try response(200, .object(row.metadata)))
    var configuration = Home.configuration
    configuration.scope = row.wanted
    #expect(try home.prepare(configuration).prepared.scope?.text == row.sent)
    #expect(home.http.requests.last?.form == (row.sent.map { ["scope=\($0)"] } ?? []) + ["client_id=cli"])
  }

  @Test func `fetches the metadata anew`() throws {
    _ = try home.prepare()
    _ = try home.prepare()
    #expect(home.http.urls.filter { $0 == TestIssuer.metadataURL }.count == 2)
  }

  @Test func `uses an endpoint named by hand`() throws {
    home.http.answer(
      TestIssuer.metadataURL, try response(200, .object(TestIssuer.metadata("device_authorization_endpoint", nil))))
    #expect(throws: SessionError.oauth(OAuthError(.endpointMissing, .endpoint(.deviceAuthorization)))) {
      try home.prepare()
    }
    home.http.answer(
      TestIssuer.metadataURL, try response(200, .object(TestIssuer.metadata("device_authorization_endpoint", nil))))
    var configuration = Home.configuration
    configuration.deviceAuthorizationEndpoint = TestIssuer.deviceURL
    #expect(try home.prepare(configuration).authorization.userCode == "WDJB-MJHT")
  }

  @Test func `tells the settings that cannot be used before anything is sent`() throws {
    var insecure = Home.configuration
    insecure.issuer = "http://as.example"
    var error = OAuthError(.insecureURL, .issuer)
    error.intendedIssuer = "https://as.example"
    #expect(throws: SessionError.oauth(error)) { try home.prepare(insecure) }
    var noFile = Home.configuration
    noFile.caFile = home.directory.path("missing.pem")
    let missing = SystemError(errno: SystemError.Number.ENOENT, operation: "open")
    #expect(
      throws: SessionError.configuration(ConfigurationError(.caFile(missing), home.directory.path("missing.pem")))
    ) {
      try home.prepare(noFile)
    }
    #expect(home.http.requests.isEmpty)
  }

  // MARK: The polls

  // RFC 8628 section 3.5.
  @Test func `polls with the device code until the person has decided`() throws {
    let signIn = try home.prepare()
    home.http.answer(TestIssuer.tokenURL, try refusal("authorization_pending"))
    guard case .undecided(.pending) = try signIn.poll(isWanted: { true }) else { throw Home.NoToken() }
    #expect(
      home.http.requests.last
        == ScriptedHTTP.Recorded(
          url: TestIssuer.tokenURL,
          form: ["grant_type=urn:ietf:params:oauth:grant-type:device_code", "device_code=dc-1", "client_id=cli"]))
    home.http.answer(TestIssuer.tokenURL, try refusal("access_denied"))
    let denied = refused(.accessDenied, .endpoint(.token), "access_denied", status: 400)
    #expect(throws: SessionError.oauth(denied)) { try signIn.poll(isWanted: { true }) }
    #expect(try home.stored() == nil)
  }

  @Test func `asks nothing once the account's level is locked`() throws {
    let (signIn, phrase) = try protected()
    home.services.vault.lock()
    home.http.forgetRequests()
    #expect(throws: SessionError.vault(VaultError(.locked(.passphrase)))) { try signIn.poll(isWanted: { true }) }
    #expect(home.http.requests.isEmpty)
    try home.services.vault.unlock(.passphrase, secret: phrase.bytes)
    let answer = try tokens("at-1", refresh: "rt-1", idToken: TestIssuer.first.idToken())
    #expect(try home.finish(signIn, answer).grant.protection == .passphrase)
  }

  @Test func `keeps the account's level open from the question to the disk`() throws {
    let (signIn, _) = try protected()
    let (home, wiped) = (home, WorkQueue<Bool>())
    home.http.answer(TestIssuer.tokenURL) { _ in
      let gate = home.services.gate
      try Threads.start(name: "lock") {
        gate.close([.passphrase]) { home.services.vault.lock() }
        wiped.push(true)
      }
      // The lock is complete when entering fails.
      while gate.enter(.passphrase) { gate.leave(.passphrase) }
      return try tokens("at-1", refresh: "rt-1", idToken: TestIssuer.first.idToken())
    }
    #expect(try home.finish(signIn).grant.protection == .passphrase)
    #expect(wiped.pop(wait: .testLimit) == true)
    #expect(!home.services.vault.isUnlocked(.passphrase))
  }

  @Test func `asks nothing while what the account has is locked, wherever the new session is to be kept`() throws {
    let (first, _) = try protected()
    _ = try home.finish(first, try tokens("at-1", refresh: "rt-1", idToken: TestIssuer.first.idToken()))
    var configuration = Home.configuration
    configuration.protection = .device
    let signIn = try home.prepare(configuration)
    home.services.vault.lock()
    home.http.forgetRequests()
    #expect(throws: SessionError.vault(VaultError(.locked(.passphrase)))) { try signIn.poll(isWanted: { true }) }
    #expect(home.http.requests.isEmpty)
  }

  @Test func `asks nobody while the vault cannot be written`() throws {
    let state = home.directory.path("state")
    let lock = "\(state)/vault.lock"
    try #require(try ProcessRunner.shell("mkdir -m 700 '\(state)' && ln -s nowhere '\(lock)'").succeeded)
    #expect(throws: SessionError.vault(VaultError(.badPermissions, path: lock))) { _ = try home.prepare() }
    #expect(home.http.requests.isEmpty)
  }

  @Test func `asks nothing that it could not keep`() throws {
    let signIn = try home.prepare()
    home.http.forgetRequests()
    let state = home.directory.path("state")
    try #require(
      try ProcessRunner.shell("rm -f '\(state)/vault.lock' && ln -s nowhere '\(state)/vault.lock'").succeeded)
    #expect(throws: SessionError.vault(VaultError(.badPermissions, path: "\(state)/vault.lock"))) {
      try signIn.poll(isWanted: { true })
    }
    #expect(home.http.requests.isEmpty)
  }

  @Test func `keeps nothing of what came after it was given up`() throws {
    let signIn = try home.prepare()
    home.http.answer(TestIssuer.tokenURL, try tokens("at-1", refresh: "rt-1", idToken: TestIssuer.first.idToken()))
    #expect(throws: SessionError.oauth(OAuthError(.cancelled, .endpoint(.token)))) {
      try signIn.poll(isWanted: { false })
    }
    #expect(try home.stored() == nil)
  }

  /// A sign-in whose session is to be protected by a passphrase.
  private func protected() throws -> (SignIn.PendingApproval.Device, SharedSecret) {
    let phrase = try secret("correct horse")
    try home.services.vault.createProtection(.passphrase, secret: phrase.bytes)
    var configuration = Home.configuration
    configuration.protection = .passphrase
    return (try home.prepare(configuration), phrase)
  }

  // MARK: The last step

  @Test func `stores the session with where its secrets may go`() throws {
    let outcome = try signIn(
      try tokens("at-1", refresh: "rt-1", idToken: TestIssuer.first.idToken("auth_time", 5), scope: "openid"))
    #expect(outcome.grant.accessToken.text == "at-1")
    #expect(outcome.grant.subject == "alice")
    #expect(outcome.grant.claims["name"] == "Alice")
    #expect(outcome.grant.scope == "openid")
    #expect(outcome.grant.expiresAtUnixSeconds == TestIssuer.now + 300)
    #expect(outcome.hasRefreshToken)
    #expect(!outcome.isAccessTokenStored)
    #expect(home.services.isCurrent(outcome.grant, of: home.account) == true)
    let record = try #require(try home.stored())
    #expect(record.authority == (try Home.record()).authority)
    #expect(record.authority.origins == TestIssuer.origins)
    var identity = Home.alice
    identity.authTime = 5
    #expect(record.identity == identity)
    #expect(record.refreshToken?.text == "rt-1")
    #expect(record.accessToken == nil)
    #expect(record.scope == "openid")
    #expect(record.signedInAt == TestIssuer.now)
    #expect(!record.isExpired)
  }

  @Test func `without a scope in the answer has what it asked for`() throws {
    // RFC 6749 section 5.1.
    let outcome = try signIn(try tokens("at-1", refresh: "rt-1", idToken: TestIssuer.first.idToken()))
    #expect(outcome.grant.scope == "openid offline_access")
    #expect(try home.stored()?.scope == "openid offline_access")
  }

  @Test func `counts the lifetime from the poll that brought the token`() throws {
    let signIn = try home.prepare()
    let sentAt = home.time.now()
    home.http.answer(TestIssuer.tokenURL) { [time = home.time] _ in
      time.advance(seconds: 10)
      return try tokens("at-1", refresh: "rt-1", idToken: TestIssuer.first.idToken())
    }
    let grant = try home.finish(signIn).grant
    #expect(grant.issuedAt == sentAt)
    #expect(grant.expiresAtUnixSeconds == TestIssuer.now + 300)
  }

  // MARK: ID Tokens

  // OpenID Connect Core 1.0 section 3: this grant is not one of its flows.
  @Test func `says that it has no ID Token when it asked for openid`() throws {
    let outcome = try signIn(try tokens("at-1", refresh: "rt-1"))
    #expect(outcome.missesIDToken)
    #expect(outcome.grant.subject == nil && outcome.grant.claims.isEmpty && outcome.grant.idToken == nil)
    #expect(try home.stored()?.identity == nil)
    #expect(try home.stored()?.refreshToken?.text == "rt-1")
  }

  @Test func `misses no ID Token that came`() throws {
    #expect(try !signIn(try tokens("at-1", refresh: "rt-1", idToken: TestIssuer.first.idToken())).missesIDToken)
  }

  @Test func `needs no ID Token without openid`() throws {
    var configuration = Home.configuration
    configuration.scope = ["mail"]
    let outcome = try signIn(try tokens("at-1", refresh: "rt-1"), configuration)
    #expect(outcome.grant.subject == nil)
    #expect(outcome.grant.claims.isEmpty)
    #expect(!outcome.missesIDToken)
    #expect(try home.stored()?.identity == nil)
  }

  struct BadToken: CustomTestStringConvertible {
    var claim: String
    var value: JSON?
    var error: IDTokenError
    var testDescription: String { claim }
  }

  // OpenID Connect Core 1.0 section 3.1.3.7.
  @Test(arguments: [
    BadToken(claim: "iss", value: "https://evil.example", error: IDTokenError(.wrongIssuer(isMissing: false))),
    BadToken(claim: "aud", value: "other", error: IDTokenError(.wrongAudience(isMissing: false))),
    BadToken(claim: "exp", value: .int(TestIssuer.now - 61), error: IDTokenError(.expired(at: TestIssuer.now - 61))),
    BadToken(claim: "sub", value: nil, error: IDTokenError(.missingClaim("sub"))),
    BadToken(claim: "at_hash", value: "AAAA", error: IDTokenError(.wrongHash(claim: "at_hash"))),
  ])
  func `stores nothing when the ID Token does not hold`(_ bad: BadToken) throws {
    let token = try TestIssuer.first.idToken(bad.claim, bad.value)
    #expect(throws: SessionError.idToken(bad.error)) {
      _ = try signIn(try tokens("at-1", refresh: "rt-1", idToken: token))
    }
    #expect(try home.stored() == nil)
  }

  /// Why a sign-in with the second key only stores its refresh token.
  private func keptProblem() throws -> OAuthError {
    let token = try TestIssuer.second.idToken()
    let failure = #expect(throws: SessionError.self) {
      _ = try signIn(try tokens("at-1", refresh: "rt-1", idToken: token))
    }
    guard case .onlyRefreshTokenStored(_, because: .oauth(let error)) = failure else { throw try #require(failure) }
    return error
  }

  // No approval is wasted: an issuer may sign with a key before it publishes it.
  @Test func `keeps the refresh token, and hands nothing out, while the issuer does not publish the key`() throws {
    let error = try keptProblem()
    #expect(error.code == .keyNotPublished && error.retryAfterSeconds == 60)
    let record = try #require(try home.stored())
    #expect(record.refreshToken?.text == "rt-1")
    #expect(record.identity == nil && record.identityBlock == .unverified)
  }

  // The key may be corrected, so no approval is wasted on it either.
  @Test(
    arguments: [
      (["kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"], "its key is published but malformed"),
      (["kty": "RSA", "n": "AQAB", "e": "AQAB"], "its key is published but too weak"),
      (["kty": "EC", "crv": "P-999"], "its key is published but has an unsupported type"),
    ] as [(JSONObject, String)])
  func `says why a published key cannot be used, and how many there are`(key: JSONObject, reason: String) throws {
    var key = key
    key["kid"] = .string(TestIssuer.second.keyID)
    let set: JSON = [
      "keys": .array([.object(key), ["kty": "EC", "kid": "other"]] + (TestIssuer.first.keySet["keys"]?.array ?? []))
    ]
    home.http.always(TestIssuer.keysURL, try response(200, set))
    let error = try keptProblem()
    #expect(error.code == .keyUnusable && error.retryAfterSeconds == 60)
    let text = error.phrase.english
    #expect(text == "the ID Token was rejected: \(reason) (2 of the 3 keys are unusable)")
  }

  @Test func `says how many published keys cannot be used, where none has the token's name`() throws {
    let unusable: [JSON] = [["kty": "RSA", "kid": "a", "n": "AQAB", "e": "AQAB"], ["kty": "EC", "crv": "P-256"]]
    let set: JSON = ["keys": .array(unusable + (TestIssuer.first.keySet["keys"]?.array ?? []))]
    home.http.always(TestIssuer.keysURL, try response(200, set))
    let text = try keptProblem().phrase.english
    #expect(text == "the ID Token was not signed with any usable key of the server (unusable keys: 2 of 3)")
  }

  @Test func `accepts no algorithm that the server did not announce`() throws {
    // Without an announcement only RS256 (OpenID Connect Core 1.0 section 2).
    let metadata = TestIssuer.metadata("id_token_signing_alg_values_supported", nil)
    home.http.answer(TestIssuer.metadataURL, try response(200, .object(metadata)))
    let token = try TestIssuer.first.idToken()
    #expect(throws: SessionError.idToken(IDTokenError(.signature(.algorithmNotAllowed)))) {
      _ = try signIn(try tokens("at-1", refresh: "rt-1", idToken: token))
    }
  }

  // MARK: Without a refresh token

  @Test func `without a refresh token ends with its access token`() throws {
    let outcome = try signIn(try tokens("at-1", idToken: TestIssuer.first.idToken()))
    #expect(!outcome.hasRefreshToken)
    #expect(!outcome.isAccessTokenStored)
    #expect(outcome.grant.accessToken.text == "at-1")
    let record = try #require(try home.stored())
    #expect(record.isExpired)
    #expect(record.accessToken == nil)
    #expect(record.refreshToken == nil)
  }

  @Test(arguments: [nil, 300]) func `keeps an access token that was asked to be kept`(lifetime: Int?) throws {
    var configuration = Home.configuration
    configuration.keepsAccessToken = true
    let outcome = try signIn(
      try tokens("at-1", idToken: TestIssuer.first.idToken(), expiresIn: lifetime), configuration)
    #expect(outcome.isAccessTokenStored)
    let record = try #require(try home.stored())
    #expect(record.accessToken?.text == "at-1")
    #expect(record.accessTokenExpiresAt == lifetime.map { TestIssuer.now + $0 })
    #expect(!record.isExpired)
    #expect(try home.refresh(configuration).accessToken.text == "at-1")
  }

  @Test func `keeps no access token that can be refreshed`() throws {
    var configuration = Home.configuration
    configuration.keepsAccessToken = true
    let outcome = try signIn(
      try tokens("at-1", refresh: "rt-1", idToken: TestIssuer.first.idToken()), configuration)
    #expect(!outcome.isAccessTokenStored)
    #expect(try home.stored()?.accessToken == nil)
  }
}
