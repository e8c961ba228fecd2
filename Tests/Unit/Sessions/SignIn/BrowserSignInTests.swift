import Crypto
import Encoding
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary

/// A sign-in by authorization code (RFC 6749 section 4.1, RFC 7636).
@Suite struct `A sign-in in the browser` {
  private static let redirectURI = "http://127.0.0.1:49152/as.example/tenant"
  private let home: Home

  init() throws {
    home = try Home()
    let metadata = TestIssuer.metadata("authorization_endpoint", "https://as.example/authorize")
    home.http.always(TestIssuer.metadataURL, try response(200, .object(metadata)))
  }

  private func start(
    _ options: AuthorizationOptions = .init(), _ configuration: AccountConfiguration = Home.configuration,
    isForResource: Bool = false
  ) throws -> SignIn.PendingApproval.Browser {
    var request = SignIn.Request(
      account: home.account, configuration: configuration, services: home.services, cancellation: Cancellation())
    request.beganAtResource = isForResource
    return try SignIn.PendingApproval.Browser(request.prepared(), redirectURI: Self.redirectURI, options: options)
  }

  /// An ID Token for this sign-in, with some claims changed.
  private func idToken(_ signIn: SignIn.PendingApproval.Browser, _ changes: JSONObject = [:]) throws -> String {
    var claims: JSONObject = ["nonce": .string(try #require(signIn.request.nonce))]
    for name in changes.names { claims[name] = changes[name] }
    return try TestIssuer.first.idToken(claims)
  }

  private func finish(_ signIn: SignIn.PendingApproval.Browser, _ idToken: String) throws -> SignIn.Outcome {
    home.http.answer(TestIssuer.tokenURL, try tokens("at-1", refresh: "rt-1", idToken: idToken))
    return try signIn.finish(try secret("c1"))
  }

  @Test func `asks nothing before the person has answered, and exchanges the code once`() throws {
    let signIn = try start()
    #expect(
      home.http.requests == [ScriptedHTTP.Recorded(method: .get, url: TestIssuer.metadataURL, followsRedirects: true)])
    #expect(signIn.url.text.hasPrefix("https://as.example/authorize?response_type=code&client_id=cli&"))
    #expect(signIn.startedAt == home.time.now() && signIn.startedAtUnixSeconds == TestIssuer.now)
    home.http.forgetRequests()
    let outcome = try finish(signIn, try idToken(signIn))
    #expect(outcome.grant.accessToken.text == "at-1" && outcome.grant.subject == "alice" && outcome.hasRefreshToken)
    #expect(
      home.http.requests.first
        == ScriptedHTTP.Recorded(
          url: TestIssuer.tokenURL,
          form: [
            "grant_type=authorization_code", "code=c1", "redirect_uri=\(Self.redirectURI)",
            "code_verifier=\(signIn.request.verifier.secret.text)", "client_id=cli",
          ]))
    #expect(home.http.requests.count { $0.url == TestIssuer.tokenURL } == 1)
    let record = try #require(try home.stored())
    #expect(record.refreshToken?.text == "rt-1")
    #expect(record.identity?.nonce == signIn.request.nonce)
    #expect(record.authority.origins == TestIssuer.origins)
  }

  // RFC 8707 section 2.1.
  @Test func `asks for the resources and the audience of the settings, where it names none itself`() throws {
    var configuration = Home.configuration
    configuration.resources = ["https://api.example/a"]
    configuration.audience = "aud-1"
    // For an account with resources, the OAuth document is fetched first.
    let first = "https://as.example/.well-known/oauth-authorization-server/tenant"
    let metadata = TestIssuer.metadata("authorization_endpoint", "https://as.example/authorize")
    home.http.always(first, try response(200, .object(metadata)))
    let usual = try start(.init(), configuration).url.text
    #expect(usual.contains("&resource=https%3A%2F%2Fapi.example%2Fa"), "\(usual)")
    #expect(usual.contains("&audience=aud-1"))
    var options = AuthorizationOptions()
    options.resources = ["https://api.example/b"]
    options.audience = "aud-2"
    let own = try start(options, configuration).url.text
    #expect(own.contains("&resource=https%3A%2F%2Fapi.example%2Fb") && own.contains("&audience=aud-2"))
    #expect(!own.contains("example%2Fa") && !own.contains("aud-1"))
  }

  // A server may end a session with any of its tokens; an ended session has nothing to lose.
  @Test(arguments: [true, false]) func `that is refused is revoked, unless the account has a session`(
    hasSession: Bool
  ) throws {
    try home.store { record in
      if !hasSession { (record.refreshToken, record.isExpired) = (nil, true) }
    }
    let signIn = try start()
    home.http.answer(TestIssuer.tokenURL, try tokens("at-1", refresh: "rt-9", idToken: try idToken(signIn)))
    let unconfirmed = try signIn.finishUnconfirmed(try secret("c1"))
    #expect(unconfirmed.subject == "alice")
    home.http.forgetRequests()
    unconfirmed.revoke(Cancellation())
    #expect(home.http.urls == (hasSession ? [] : [TestIssuer.revocationURL]))
    #expect(try home.stored()?.refreshToken?.text == (hasSession ? "rt-1" : nil))
  }

  @Test func `spends no code once the account's level is locked`() throws {
    let phrase = try secret("correct horse")
    try home.services.vault.createProtection(.passphrase, secret: phrase.bytes)
    var configuration = Home.configuration
    configuration.protection = .passphrase
    let signIn = try start(.init(), configuration)
    home.services.vault.lock()
    home.http.forgetRequests()
    #expect(throws: SessionError.vault(VaultError(.locked(.passphrase)))) { try signIn.finish(try secret("c1")) }
    #expect(home.http.requests.isEmpty)
    try home.services.vault.unlock(.passphrase, secret: phrase.bytes)
    #expect(try finish(signIn, try idToken(signIn)).grant.protection == .passphrase)
  }

  private static let withoutKeys: JSONObject = {
    var metadata = TestIssuer.metadata("authorization_endpoint", "https://as.example/authorize")
    metadata["jwks_uri"] = nil
    return metadata
  }()

  // OpenID Connect Core 1.0 section 3.1.3.7, step 6: no ID Token is taken without its signature being verified.
  @Test func `of a server without keys says so before the person is asked, if an ID Token is asked for`() throws {
    home.http.always(TestIssuer.metadataURL, try response(200, .object(Self.withoutKeys)))
    func notices(_ scope: [String], keys: String? = nil) throws -> [SignIn.Notice] {
      var configuration = Home.configuration
      (configuration.scope, configuration.jwksURI) = (scope, keys)
      return try start(.init(), configuration).prepared.notices
    }
    #expect(try notices(["openid", "mail"]) == [.keysMissing])
    #expect(try notices(["mail"]).isEmpty)
    #expect(try notices(["openid"], keys: TestIssuer.keysURL).isEmpty)
    #expect(try notices([]).isEmpty)
  }

  @Test(arguments: [true, false])
  func `of a server without keys is kept unless an ID Token comes, and then ended at the server`(comes: Bool) throws {
    home.http.always(TestIssuer.metadataURL, try response(200, .object(Self.withoutKeys)))
    var configuration = Home.configuration
    configuration.scope = ["openid"]
    let signIn = try start(.init(), configuration)
    if comes {
      #expect(throws: SessionError.oauth(OAuthError(.endpointMissing, .member("jwks_uri", of: .keySet)))) {
        _ = try finish(signIn, try idToken(signIn))
      }
    } else {
      home.http.answer(TestIssuer.tokenURL, try tokens("at-1", refresh: "rt-1"))
      #expect(try signIn.finish(try secret("c1")).grant.subject == nil)
    }
    #expect(try home.stored()?.refreshToken?.text == (comes ? nil : "rt-1"))
    #expect(home.http.urls.contains(TestIssuer.revocationURL) == comes)
  }

  @Test func `of a server without keys goes on with an ID Token that nobody asked for`() throws {
    home.http.always(TestIssuer.metadataURL, try response(200, .object(Self.withoutKeys)))
    var configuration = Home.configuration
    configuration.scope = ["mail"]
    let signIn = try start(.init(), configuration)
    #expect(try finish(signIn, try TestIssuer.first.idToken()).grant.subject == nil)
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken()))
    #expect(try home.refresh(configuration).accessToken.text == "at-2")
  }

  // OpenID Connect Core 1.0 section 3.1.3.7, step 11: a code of another sign-in brings another nonce.
  @Test func `takes only an ID Token of this sign-in`() throws {
    for (nonce, error) in [
      (JSON.null, IDTokenError(.missingClaim("nonce"))), ("other", IDTokenError(.wrongNonce)),
    ] {
      let signIn = try start()
      #expect(throws: SessionError.idToken(error)) { try finish(signIn, try idToken(signIn, ["nonce": nonce])) }
      #expect(try home.stored() == nil)
    }
  }

  // Steps 12 and 13; section 3.3.2.11.
  @Test func `takes only an ID Token that says what was asked for`() throws {
    var options = AuthorizationOptions()
    options.maxAge = 60
    options.acrValues = ["gold"]
    let good: JSONObject = ["auth_time": .int(TestIssuer.now - 30), "acr": "gold"]
    let wrong: [(JSONObject, IDTokenError)] = [
      (["auth_time": .int(TestIssuer.now - 30)], IDTokenError(.missingClaim("acr"))),
      (["acr": "gold"], IDTokenError(.missingClaim("auth_time"))),
      (["auth_time": .int(TestIssuer.now - 30), "acr": "tin"], IDTokenError(.insufficientAuthentication)),
      (["auth_time": .int(TestIssuer.now - 200), "acr": "gold"], IDTokenError(.authenticationTooOld)),
      (
        ["auth_time": .int(TestIssuer.now), "acr": "gold", "c_hash": "LDktKdoQak3Pk0cnXxCltA"],
        IDTokenError(.wrongHash(claim: "c_hash"))
      ),
    ]
    for (claims, error) in wrong {
      let signIn = try start(options)
      #expect(throws: SessionError.idToken(error)) { try finish(signIn, try idToken(signIn, claims)) }
    }
    let signIn = try start(options)
    #expect(try finish(signIn, try idToken(signIn, good)).grant.subject == "alice")
  }

  // OpenID Connect Core 1.0 section 3.1.3.3.
  @Test func `needs an ID Token when it asked for openid`() throws {
    let signIn = try start()
    home.http.answer(TestIssuer.tokenURL, try tokens("at-1"))
    #expect(throws: SessionError.oauth(OAuthError(.missingIDToken, .endpoint(.token)))) {
      try signIn.finish(try secret("c1"))
    }
    #expect(try home.stored() == nil)
    var configuration = Home.configuration
    configuration.scope = ["mail"]
    let plain = try start(.init(), configuration)
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2"))
    #expect(try plain.finish(try secret("c2")).grant.accessToken.text == "at-2")
  }

  // PKCE downgrade: RFC 9700 section 2.1.1.
  @Test func `does not begin at a server that announces PKCE without S256`() throws {
    var metadata = TestIssuer.metadata("authorization_endpoint", "https://as.example/authorize")
    metadata["code_challenge_methods_supported"] = ["plain"]
    home.http.always(TestIssuer.metadataURL, try response(200, .object(metadata)))
    #expect(throws: SessionError.oauth(OAuthError(.codeChallengeUnsupported, .server))) { try start() }
  }

  // Model Context Protocol, authorization: such a client must not go on where PKCE is not announced.
  @Test(arguments: [false, true])
  func `of an account that began at a resource demands announced PKCE each time, also after a sign-out`(
    signsOut: Bool
  ) throws {
    let unannounced = SessionError.oauth(OAuthError(.codeChallengeUnannounced, .authorizationServer))
    #expect(throws: unannounced) { try start(isForResource: true) }
    try announce(["S256"])
    let signIn = try start(isForResource: true)
    home.http.answer(TestIssuer.tokenURL, try tokens("at-1", refresh: "rt-1"))
    _ = try signIn.finish(try secret("c1"))
    try announce(nil)
    if signsOut {
      home.http.always(TestIssuer.revocationURL, try response(200, [:]))
      _ = try SignOutOperation(
        account: home.account, configuration: Home.configuration, grant: nil, isLocal: false, services: home.services
      ).run()
    }
    #expect(throws: unannounced) { try start() }
    try announce(["S256"])
    _ = try start()
    // Another server is a different case.
    var elsewhere = Home.configuration
    elsewhere.issuer = "https://other.example"
    var metadata = TestIssuer.metadata("authorization_endpoint", "https://other.example/authorize")
    metadata["issuer"] = "https://other.example"
    home.http.always("https://other.example/.well-known/openid-configuration", try response(200, .object(metadata)))
    _ = try start(.init(), elsewhere)
  }

  private func announce(_ methods: [JSON]?) throws {
    var metadata = TestIssuer.metadata("authorization_endpoint", "https://as.example/authorize")
    metadata["code_challenge_methods_supported"] = methods.map { .array($0) }
    home.http.always(TestIssuer.metadataURL, try response(200, .object(metadata)))
  }
}
