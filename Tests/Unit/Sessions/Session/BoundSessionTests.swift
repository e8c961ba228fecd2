import Crypto
import Encoding
import OAuth
import Platform
import Sessions
import Testing
import Vault
import Vocabulary

private func boundTokens(_ accessToken: String, refresh: String? = "rt-1") throws -> HTTPResponse {
  var body: JSONObject = ["access_token": .string(accessToken), "token_type": "DPoP", "expires_in": 300]
  body["refresh_token"] = refresh.map { .string($0) }
  body["id_token"] = .string(try TestIssuer.first.idToken())
  return try response(200, .object(body))
}

/// Sessions whose tokens are bound to a key (RFC 9449).
@Suite struct `A bound session` {
  let home: Home

  init() throws { home = try Home() }

  static let configuration: AccountConfiguration = {
    var configuration = Home.configuration
    configuration.usesDPoP = true
    return configuration
  }()

  func signIn(
    _ answer: HTTPResponse? = nil, _ configuration: AccountConfiguration = configuration
  ) throws -> SignIn.Outcome {
    try home.finish(try home.prepare(configuration), try answer ?? boundTokens("at-1"))
  }

  func refresh(_ answer: HTTPResponse, _ services: SessionServices? = nil) throws -> AccessGrant {
    home.http.answer(TestIssuer.tokenURL, answer)
    return try home.refresh(Self.configuration, services)
  }

  /// The thumbprint of the key of each request's proof, in order.
  var thumbprints: [String?] {
    home.http.requests.map { request in request.proof.flatMap { try? ReadProof($0).thumbprint } }
  }

  var storedThumbprint: String? {
    get throws {
      try home.stored()?.dpopKey.map { try DPoPKey.parse($0, in: home.services.vault.keyDevice).thumbprint }
    }
  }

  @Test func `is made with a key that is kept beside the refresh token`() throws {
    let outcome = try signIn()
    let key = try #require(outcome.grant.dpopKey).thumbprint
    #expect(outcome.grant.tokenType == "DPoP")
    #expect(try storedThumbprint == key)
    let poll = try #require(home.http.requests.last { $0.url == TestIssuer.tokenURL })
    #expect(try ReadProof(poll.proof).thumbprint == key)
    // The device authorization request has no proof (RFC 8628 section 3.1).
    #expect(home.http.requests.first { $0.url == TestIssuer.deviceURL }?.proof == nil)
  }

  @Test func `goes on with its key when tokens are rotated, in other processes too`() throws {
    let key = try signIn().grant.dpopKey?.thumbprint
    home.http.forgetRequests()
    let first = try refresh(boundTokens("at-2", refresh: "rt-2"))
    let second = try refresh(boundTokens("at-3", refresh: nil), home.otherProcess())
    #expect(thumbprints.compactMap { $0 } == [key, key])
    #expect([first, second].map { $0.dpopKey?.thumbprint } == [key, key])
    #expect(try storedThumbprint == key)
  }

  @Test func `goes on with its key and its identity after an answer without an ID Token`() throws {
    let first = try signIn().grant
    var answer: JSONObject = ["access_token": "at-2", "token_type": "DPoP", "expires_in": 300]
    answer["refresh_token"] = "rt-2"
    let second = try refresh(response(200, .object(answer)))
    #expect(second.subject == "alice" && second.idToken != nil)
    #expect(second.dpopKey?.thumbprint == first.dpopKey?.thumbprint)
  }

  @Test func `has a new key after the next sign-in`() throws {
    let first = try signIn().grant.dpopKey?.thumbprint
    let second = try signIn().grant.dpopKey?.thumbprint
    #expect(first != nil && second != nil && first != second)
    #expect(try storedThumbprint == second)
  }

  @Test func `has no key when the next sign-in asks for none`() throws {
    _ = try signIn()
    let outcome = try signIn(tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken()), Home.configuration)
    #expect(outcome.grant.dpopKey == nil)
    #expect(try home.stored()?.dpopKey == nil)
    home.http.forgetRequests()
    _ = try home.refreshed("at-3")
    #expect(thumbprints == [nil])
  }

  @Test func `stays bound whatever the settings say afterwards`() throws {
    let key = try signIn().grant.dpopKey?.thumbprint
    home.http.answer(TestIssuer.tokenURL, try boundTokens("at-2"))
    #expect(try home.refresh(Home.configuration).dpopKey?.thumbprint == key)
  }

  // RFC 9449 section 5: a downgrade.
  @Test func `is not made with a Bearer token`() throws {
    #expect(throws: Self.notBound) {
      try signIn(tokens("at-1", refresh: "rt-1", idToken: TestIssuer.first.idToken()))
    }
    #expect(try home.stored() == nil)
    // The refresh token would be usable without the key.
    #expect(home.http.requests.last?.url == TestIssuer.revocationURL)
  }

  @Test func `is not renewed by a Bearer token`() throws {
    _ = try signIn()
    #expect(throws: Self.notBound) { try refresh(tokens("at-2", refresh: "rt-2")) }
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
  }

  private static let notBound = {
    var error = OAuthError(.tokenNotBound, .endpoint(.token))
    error.followsSuccess = true
    return SessionError.oauth(error)
  }()

  @Test func `outlives a server that takes no proof`() throws {
    _ = try signIn()
    #expect(
      throws: SessionError.oauth(refused(.proofRejected, .endpoint(.token), "invalid_dpop_proof", status: 400))
    ) { try refresh(refusal("invalid_dpop_proof")) }
    #expect(try home.stored()?.isExpired == false)
    #expect(try refresh(boundTokens("at-2")).accessToken.text == "at-2")
  }

  @Test func `remembers nonces from one operation to the next, the two kinds apart`() throws {
    let outcome = try signIn()
    home.http.forgetRequests()
    let answers = [
      try refusal("use_dpop_nonce", headers: [("DPoP-Nonce", "as-1")]), try boundTokens("at-2"),
      try boundTokens("at-3"),
    ]
    home.http.answer(TestIssuer.tokenURL, answers[0])
    _ = try refresh(answers[1])
    home.http.answer(TestIssuer.userInfoURL, try response(200, ["sub": "alice"], headers: [("DPoP-Nonce", "rs-1")]))
    _ = try userInfo(outcome.grant)
    _ = try refresh(answers[2])
    let nonces = try home.http.requests.filter { $0.proof != nil }.map { try ReadProof($0.proof).claims["nonce"] }
    #expect(nonces == [nil, "as-1", nil, "as-1"])
  }

  func userInfo(_ grant: AccessGrant) throws -> JSONObject? {
    try SessionRequests(
      account: home.account, configuration: Self.configuration, grant: grant, services: home.services
    ).userInfo()
  }

  // RFC 9449 section 7.1.
  @Test func `asks UserInfo by the scheme DPoP, with the key of the token`() throws {
    let grant = try signIn().grant
    home.http.answer(TestIssuer.userInfoURL, try response(200, ["sub": "alice"]))
    _ = try userInfo(grant)
    let request = try #require(home.http.requests.last)
    #expect(request.authorization == "DPoP at-1")
    #expect(try ReadProof(request.proof).thumbprint == grant.dpopKey?.thumbprint)
    #expect(try ReadProof(request.proof).claims["ath"] == .string(try DPoPProof.hash(of: secret("at-1"))))
  }

  @Test func `has no key left when the server ended it, nor after the sign-out`() throws {
    _ = try signIn()
    #expect(throws: SessionError.expired(account: "work")) { try refresh(refusal("invalid_grant")) }
    #expect(try home.stored()?.isExpired == true)
    #expect(try home.stored()?.dpopKey == nil)
    let grant = try signIn().grant
    home.http.always(TestIssuer.revocationURL, try response(200, [:]))
    _ = try SignOutOperation(
      account: home.account, configuration: Self.configuration, grant: grant, isLocal: false, services: home.services
    ).run()
    #expect(try home.stored() == nil)
  }

  @Test func `without a refresh token keeps the key with the access token, if that is kept`() throws {
    var configuration = Self.configuration
    let ending = try signIn(boundTokens("at-1", refresh: nil), configuration)
    #expect(ending.grant.dpopKey != nil)
    #expect(try home.stored()?.dpopKey == nil)
    configuration.keepsAccessToken = true
    let kept = try signIn(boundTokens("at-2", refresh: nil), configuration)
    let grant = try home.refresh(configuration, home.otherProcess())
    #expect(grant.tokenType == "DPoP" && grant.accessToken.text == "at-2")
    #expect(grant.dpopKey?.thumbprint == kept.grant.dpopKey?.thumbprint)
  }

  // RFC 9449 section 5.1.
  @Test func `is not begun at a server that takes other proofs only`() throws {
    let metadata = TestIssuer.metadata("dpop_signing_alg_values_supported", ["ES256K", "ES512"])
    home.http.answer(TestIssuer.metadataURL, try response(200, .object(metadata)))
    #expect(throws: SessionError.oauth(OAuthError(.bindingUnsupported, .server))) {
      try home.prepare(Self.configuration)
    }
    #expect(home.http.urls == [TestIssuer.metadataURL])
  }

  // RFC 9449 section 5.1.
  @Test(arguments: [
    (["RS256", "ES256"], "ES256"), (["RS256", "PS256"], "PS256"), (["RS256"], "RS256"), (["EdDSA"], "EdDSA"),
    (["PS256", "Ed25519"], "Ed25519"), (["ES384"], "ES384"),
  ])
  func `proves itself in the best way that the server announces`(announced: [String], chosen: String) throws {
    let metadata = TestIssuer.metadata("dpop_signing_alg_values_supported", .array(announced.map { .string($0) }))
    home.http.answer(TestIssuer.metadataURL, try response(200, .object(metadata)))
    let first = try #require(try signIn().grant.dpopKey)
    #expect(first.algorithm.rawValue == chosen)
    #expect(
      try refresh(boundTokens("at-2", refresh: "rt-2"), home.otherProcess()).dpopKey?.algorithm.rawValue == chosen)
    #expect(thumbprints.compactMap { $0 } == [first.thumbprint, first.thumbprint])
  }

  @Test func `is not begun where its key shall be in a TPM that is not there, and the settings say so`() throws {
    var configuration = Self.configuration
    configuration.keyStorage = .tpm2
    #expect(throws: SessionError.oauth(OAuthError(.keyUnavailable, .dpopKey))) {
      try home.prepare(configuration)
    }
    #expect(home.http.urls == [TestIssuer.metadataURL])
    configuration.keyStorage = nil
    #expect(try signIn(nil, configuration).grant.dpopKey?.isInDevice == false)
  }

  @Test func `with a damaged key is damaged`() throws {
    _ = try signIn()
    try home.storeAgain { $0.dpopKey = try secret("not a key") }
    #expect(throws: SessionError.vault(VaultError(.damaged, path: "work"))) { try home.refresh(Self.configuration) }
  }

  @Test func `is proven with the key that a newer sign-in made`() throws {
    _ = try signIn()
    let newer = try DPoPKey.generate()
    // Another process signs in between the reading of the record and the response.
    home.http.answer(TestIssuer.tokenURL) { [home] _ in
      try home.storeAgain {
        $0.refreshToken = try secret("rt-other")
        $0.dpopKey = try newer.serialized()
      }
      return try refusal("invalid_grant")
    }
    let grant = try refresh(boundTokens("at-2"))
    #expect(grant.dpopKey?.thumbprint == newer.thumbprint)
    #expect(thumbprints.last == newer.thumbprint)
  }
}

extension Home {
  /// Refreshes with a Bearer response.
  fileprivate func refreshed(_ token: String) throws -> AccessGrant {
    http.answer(TestIssuer.tokenURL, try tokens(token))
    return try refresh()
  }

  /// Changes the record on disk.
  fileprivate func storeAgain(_ change: (inout AccountRecord) throws -> Void) throws {
    var record = try #require(try stored())
    try change(&record)
    try services.vault.write(account, content: try record.serialized())
  }
}
