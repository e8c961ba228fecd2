import Crypto
import Encoding
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary

/// FAPI 2.0 Security Profile, final of February 2025.
@Suite struct `An account that is held to FAPI 2.0` {
  private static let redirectURI = "http://127.0.0.1:49152/callback"
  private static let pushURL = "https://as.example/par"
  private let home: Home

  init() throws {
    home = try Home()
    try publish()
  }

  /// A server that meets all requirements of the profile.
  private static let metadata: JSONObject = {
    var metadata = TestIssuer.metadata
    metadata["authorization_endpoint"] = "https://as.example/authorize"
    metadata["pushed_authorization_request_endpoint"] = .string(pushURL)
    metadata["code_challenge_methods_supported"] = ["S256"]
    metadata["authorization_response_iss_parameter_supported"] = true
    metadata["dpop_signing_alg_values_supported"] = ["PS256", "ES256"]
    metadata["token_endpoint_auth_methods_supported"] = ["private_key_jwt", "client_secret_basic", "tls_client_auth"]
    metadata["token_endpoint_auth_signing_alg_values_supported"] = ["RS256", "PS256", "ES256"]
    return metadata
  }()

  private func publish(_ changes: (String, JSON?)...) throws {
    var metadata = Self.metadata
    for (name, value) in changes { metadata[name] = value }
    home.http.always(TestIssuer.metadataURL, try response(200, .object(metadata)))
  }

  private static let configuration: AccountConfiguration = {
    var configuration = Home.configuration
    configuration.profile = .fapi2
    return configuration
  }()

  private static func given(_ key: consuming PrivateKey) throws -> SignInSecrets {
    var bytes: [UInt8] = []
    try key.serialized().withBytes { span in for index in span.indices { bytes.append(span[index]) } }
    var given = SignInSecrets()
    given.credentials.key = try secret(Base64URL.encode(bytes))
    return given
  }

  private static let key = try! given(.generateEC(.p256))

  private func request(
    _ configuration: AccountConfiguration = configuration, _ given: SignInSecrets = key
  ) -> SignIn.Request {
    SignIn.Request(
      account: home.account, configuration: configuration, services: home.services, cancellation: Cancellation()
    ) { _ in given }
  }

  private func start(
    _ configuration: AccountConfiguration = configuration, _ given: SignInSecrets = key
  ) throws -> SignIn.PendingApproval.Browser {
    home.http.answer(
      Self.pushURL, try response(201, ["request_uri": "urn:ietf:params:oauth:request_uri:1", "expires_in": 60]))
    return try SignIn.PendingApproval.Browser(request(configuration, given).prepared(), redirectURI: Self.redirectURI)
  }

  private func answer(
    _ accessToken: String, type: String = "DPoP", refresh: String? = "rt-1", idToken: String? = nil
  ) throws -> HTTPResponse {
    var body: JSONObject = [
      "access_token": .string(accessToken), "token_type": .string(type), "expires_in": 300,
    ]
    body["refresh_token"] = refresh.map { .string($0) }
    body["id_token"] = idToken.map { .string($0) }
    return try response(200, .object(body))
  }

  private func idToken(_ signIn: SignIn.PendingApproval.Browser) throws -> String {
    try TestIssuer.first.idToken("nonce", .string(try #require(signIn.request.nonce)))
  }

  @discardableResult private func signIn(
    _ configuration: AccountConfiguration = configuration, _ given: SignInSecrets = key, type: String = "DPoP"
  ) throws -> SignIn.Outcome {
    let signIn = try start(configuration, given)
    home.http.answer(TestIssuer.tokenURL, try answer("at-1", type: type, idToken: try idToken(signIn)))
    return try signIn.finish(try secret("c1"))
  }

  private static func broken(_ breach: ProfileBreach, followsSuccess: Bool = false) -> SessionError {
    var error = OAuthError(breach)
    error.followsSuccess = followsSuccess
    return .oauth(error)
  }

  /// The header and claims of the client assertion sent to a URL.
  private func assertion(to url: String) throws -> (header: JSONObject, claims: JSON) {
    let form = try #require(home.http.requests.last { $0.url == url }?.form)
    let field = try #require(form.first { $0.hasPrefix("client_assertion=") })
    let token = try UnverifiedJWS(compact: Array(field.dropFirst("client_assertion=".utf8.count).utf8).span)
    return (token.header, try JSON(parsing: token.unverifiedPayload))
  }

  // MARK: The sign-in

  @Test func `signs in as the profile demands without any other setting`() throws {
    let waiting = try start()
    let pushed = try #require(home.http.requests.last { $0.url == Self.pushURL }?.form)
    for field in ["response_type=code", "code_challenge_method=S256", "redirect_uri=\(Self.redirectURI)"] {
      #expect(pushed.contains(field))
    }
    // Section 5.3.3.2, item 6.
    #expect(
      waiting.url.text
        == "https://as.example/authorize?client_id=cli&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3A1")
    home.http.answer(TestIssuer.tokenURL, try answer("at-1", idToken: try idToken(waiting)))
    let outcome = try waiting.finish(try secret("c1"))
    #expect(outcome.grant.tokenType == "DPoP" && outcome.grant.dpopKey != nil)
    #expect(outcome.configuration.usesDPoP && outcome.configuration.tokenEndpointAuthMethod == .privateKeyJWT)
    for url in [Self.pushURL, TestIssuer.tokenURL] {
      let (header, claims) = try assertion(to: url)
      // Section 5.3.3.1, item 5: a string, not an array.
      #expect(claims["aud"] == .string(TestIssuer.text) && header["alg"] == "ES256")
    }
    #expect(try home.stored()?.authority.settings.profile == .fapi2)
  }

  // Section 5.4.1, item 1. A server that does not announce algorithms must accept it.
  @Test(arguments: [["RS256", "PS256"], nil] as [JSON?])
  func `signs with PS256 when the key of its client is an RSA key`(announced: JSON?) throws {
    try publish(("token_endpoint_auth_signing_alg_values_supported", announced))
    try signIn(Self.configuration, Self.given(.generateRSA(bits: 2048)))
    #expect(try assertion(to: TestIssuer.tokenURL).header["alg"] == "PS256")
  }

  struct Weakness: Sendable, CustomTestStringConvertible {
    let member: String
    let value: JSON?
    let breach: ProfileBreach
    var testDescription: String { "\(member): \(String(decoding: (value ?? .null).serialized(), as: UTF8.self))" }
  }

  private static let weaknesses = [
    Weakness(member: "pushed_authorization_request_endpoint", value: nil, breach: .pushUnannounced),
    Weakness(member: "code_challenge_methods_supported", value: nil, breach: .codeChallengeUnannounced),
    Weakness(member: "code_challenge_methods_supported", value: ["plain"], breach: .codeChallengeUnannounced),
    Weakness(member: "authorization_response_iss_parameter_supported", value: nil, breach: .issuerUnannounced),
    Weakness(member: "dpop_signing_alg_values_supported", value: nil, breach: .tokensUnannounced),
    Weakness(member: "dpop_signing_alg_values_supported", value: ["RS256"], breach: .tokensUnannounced),
    Weakness(
      member: "token_endpoint_auth_methods_supported", value: ["client_secret_basic", "none"],
      breach: .proofUnannounced),
    Weakness(
      member: "token_endpoint_auth_methods_supported", value: ["tls_client_auth"], breach: .proofUnannounced),
    Weakness(
      member: "token_endpoint_auth_signing_alg_values_supported", value: ["RS256"], breach: .serverAlgorithms),
    Weakness(member: "id_token_signing_alg_values_supported", value: ["RS256", "HS256"], breach: .serverAlgorithms),
    Weakness(member: "authorization_endpoint", value: nil, breach: .noCodeGrant),
  ]

  @Test(arguments: weaknesses)
  func `refuses a server that announces less than the profile demands, before a person is asked`(
    weakness: Weakness
  ) throws {
    try publish((weakness.member, weakness.value))
    #expect(throws: Self.broken(weakness.breach)) { try request().prepared() }
    #expect(home.http.urls == [TestIssuer.metadataURL])
    #expect(try home.stored() == nil)
  }

  private static let contradictions: [(@Sendable (inout AccountConfiguration) -> Void, ProfileBreach)] = [
    ({ $0.tokenEndpointAuthMethod = .secretBasic }, .clientUnproven),
    ({ $0.tokenEndpointAuthMethod = .secretPost }, .clientUnproven),
    ({ $0.omitsBasicEncoding = true }, .clientUnproven),
    ({ $0.tokenEndpoint = "https://as.example/other" }, .endpointOverride),
    ({ $0.assertionAudience = "token_endpoint" }, .assertionAudience),
    ({ $0.clientKeyAlgorithm = .ES384 }, .algorithmSetting), ({ $0.idTokenAlgorithm = .HS256 }, .algorithmSetting),
    ({ $0.userInfoAlgorithm = .RS256 }, .algorithmSetting),
  ]

  @Test(arguments: contradictions.indices)
  func `refuses a setting that contradicts the profile, and sends nothing`(number: Int) throws {
    let (change, breach) = Self.contradictions[number]
    var configuration = Self.configuration
    change(&configuration)
    #expect(throws: Self.broken(breach)) { try request(configuration).prepared() }
    #expect(home.http.requests.isEmpty)
  }

  // RFC 8705 section 3.
  @Test func `binds its tokens to its certificate where the server does, and to a key where it does not`() throws {
    typealias Credentials = `What a client proves itself with`
    let text = Array(Credentials.certificateKey.utf8)
    var given = SignInSecrets()
    given.credentials.key = try ClientKeyFile(text.span, in: NoDevice()).key
    given.credentials.certificate = try secret(Credentials.certificate)
    let bound = try request(Self.configuration, given).prepared()
    #expect(bound.configuration.usesDPoP && bound.server.prover != nil)
    try publish(("tls_client_certificate_bound_access_tokens", true), ("dpop_signing_alg_values_supported", nil))
    #expect(try signIn(Self.configuration, given, type: "Bearer").grant.tokenType == "Bearer")
    let settings = try settings()
    #expect(settings.tokenEndpointAuthMethod == .tlsClientAuth && !settings.usesDPoP)
    // A server that no longer binds them issues tokens that a thief could use, even if it binds tokens to keys.
    try publish()
    home.time.advance(seconds: 7 * 86_400)
    #expect(throws: Self.broken(.tokensUnannounced)) { try home.refresh(settings, home.otherProcess()) }
  }

  // Section 5.3.3.1, item 2.
  @Test func `refuses a client that proves itself by a secret or not at all`() throws {
    for given in [SignInSecrets(), SignInSecrets(clientSecret: try secret("s"))] {
      #expect(throws: Self.broken(.clientUnproven)) { try request(Self.configuration, given).prepared() }
    }
  }

  @Test func `refuses a key of its client for another algorithm`() throws {
    try publish(("token_endpoint_auth_signing_alg_values_supported", ["ES256", "ES384"]))
    #expect(throws: Self.broken(.clientAlgorithm)) {
      try request(Self.configuration, Self.given(.generateEC(.p384))).prepared()
    }
  }

  // Section 5.3.3.1, item 9.
  @Test func `refuses a server that publishes no metadata`() throws {
    var configuration = Self.configuration
    configuration.provider = .github
    #expect(throws: Self.broken(.metadataMissing)) { try request(configuration).prepared() }
  }

  // Section 5.3.3.1, item 11.
  @Test func `refuses metadata for one of many tenants`() throws {
    var configuration = AccountConfiguration(
      issuer: "https://login.microsoftonline.com/common/v2.0", clientID: "cli")
    configuration.profile = .fapi2
    var metadata = Self.metadata
    metadata["issuer"] = "https://login.microsoftonline.com/{tenantid}/v2.0"
    home.http.always(
      configuration.issuer + "/.well-known/openid-configuration", try response(200, .object(metadata)))
    #expect(throws: Self.broken(.issuerDiffers)) { try request(configuration).prepared() }
  }

  // Section 5.3.3.2, item 1.
  @Test func `has no sign-in but that by browser, and for the client itself`() throws {
    #expect(throws: Self.broken(.noCodeGrant)) { try request().device() }
    #expect(!home.http.urls.contains(TestIssuer.deviceURL))
    var assertion = request()
    assertion.unattended = .assertion
    #expect(throws: Self.broken(.noCodeGrant)) { try assertion.prepared() }
    let services = home.services
    let imported = SignIn.Request(
      account: home.account, configuration: Self.configuration, isNew: true, services: services,
      cancellation: Cancellation())
    #expect(throws: Self.broken(.noCodeGrant)) { _ = try imported.importToken(secret("rt"), Self.key) }
    // The rules of the authorization code flow do not apply to a client's own session.
    try publish(("pushed_authorization_request_endpoint", nil))
    var guest = request()
    guest.unattended = .clientCredentials
    home.http.answer(TestIssuer.tokenURL, try answer("at-1", refresh: nil))
    #expect(try guest.unattendedOutcome().grant.tokenType == "DPoP")
  }

  // Section 5.3.3.2, item 2.
  @Test func `sends no request that was not pushed when the endpoint for that is out of order`() throws {
    let prepared = try request().prepared()
    home.http.answer(Self.pushURL, try response(503, [:]))
    #expect(throws: SessionError.self) { try SignIn.PendingApproval.Browser(prepared, redirectURI: Self.redirectURI) }
    #expect(home.http.urls.contains(Self.pushURL))
  }

  // Section 5.3.3.2, item 5.
  @Test func `takes no answer to the sign-in that does not name the issuer`() throws {
    let waiting = try start()
    let state = waiting.request.state
    let query = { (more: String) in Array("state=\(state)&code=c1\(more)".utf8) }
    guard case .failure(let error) = waiting.request.answer(in: query("").span) else {
      Issue.record("an answer without iss was taken")
      return
    }
    #expect(error == OAuthError(.answerWithoutIssuer))
    guard case .code = waiting.request.answer(in: query("&iss=https%3A%2F%2Fas.example%2Ftenant").span) else {
      Issue.record("an answer with iss was refused")
      return
    }
  }

  // Section 5.3.3.1, item 1.
  @Test func `takes no token that a thief could use, and has the server end the session`() throws {
    #expect(throws: Self.broken(.tokenUnbound, followsSuccess: true)) { try signIn(type: "Bearer") }
    #expect(try home.stored() == nil)
    #expect(home.http.urls.last == TestIssuer.revocationURL)
  }

  /// A token whose header names an algorithm; the rest is ignored.
  private static func token(_ algorithm: String) -> String {
    ["{\"alg\":\"\(algorithm)\"}", "{}", "x"].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
  }

  // Section 5.4.1, item 1.
  @Test(arguments: ["RS256", "ES384", "HS256"])
  func `takes no ID Token with a weaker signature, and has the server end the session`(algorithm: String) throws {
    try publish(("id_token_signing_alg_values_supported", ["ES256", .string(algorithm)]))
    let waiting = try start()
    home.http.answer(TestIssuer.tokenURL, try answer("at-1", idToken: Self.token(algorithm)))
    #expect(throws: Self.broken(.idTokenAlgorithm)) { try waiting.finish(try secret("c1")) }
    #expect(try home.stored() == nil)
    #expect(home.http.urls.last == TestIssuer.revocationURL)
  }

  @Test func `has its client registered with a key, and with tokens that are bound`() throws {
    let place = "https://as.example/register"
    try publish(("registration_endpoint", .string(place)))
    home.http.answer(place, try response(201, ["client_id": "c1"]))
    var configuration = Self.configuration
    configuration.clientID = ""
    var registering = request(configuration, SignInSecrets())
    registering.registersClient = true
    registering.registration = .init(clientName: "agent on host", softwareVersion: "1")
    // A server with fewer capabilities gets no client.
    for (name, value, breach) in [
      ("token_endpoint_auth_methods_supported", ["client_secret_basic"], ProfileBreach.proofUnannounced),
      ("dpop_signing_alg_values_supported", ["RS256"], .tokensUnannounced),
    ] as [(String, JSON, ProfileBreach)] {
      try publish(("registration_endpoint", .string(place)), (name, value))
      #expect(throws: Self.broken(breach)) { try registering.prepared() }
    }
    #expect(!home.http.urls.contains(place))
    try publish(("registration_endpoint", .string(place)))
    _ = try registering.prepared()
    let asked = try #require(home.http.requests.first { $0.url == place }?.json)
    #expect(asked["token_endpoint_auth_method"] == "private_key_jwt" && asked["dpop_bound_access_tokens"] == true)
    #expect(asked["grant_types"] == ["authorization_code", "refresh_token"])
  }

  @Test func `may be held to it from a later sign-in on, with the key in the vault`() throws {
    var plain = Home.configuration
    plain.usesDPoP = true
    try signIn(plain)
    var held = try settings()
    held.profile = .fapi2
    #expect(try signIn(held, SignInSecrets()).configuration.profile == .fapi2)
    // The key is not used for a sign-in with a weakened profile.
    held.profile = nil
    #expect(throws: SessionError.configurationChanged(account: "work", setting: "profile")) {
      try request(held, SignInSecrets()).prepared()
    }
  }

  // MARK: Renewals

  private func refresh(_ answer: HTTPResponse? = nil) throws -> AccessGrant {
    if let answer { home.http.answer(TestIssuer.tokenURL, answer) }
    return try home.refresh(try settings())
  }

  /// The settings that the sign-in has saved.
  private func settings() throws -> AccountConfiguration { try #require(try home.settings()[home.account]) }

  @Test func `renews with its key`() throws {
    let key = try signIn().grant.dpopKey?.thumbprint
    let renewed = try refresh(answer("at-2", refresh: "rt-2"))
    #expect(renewed.accessToken.text == "at-2" && renewed.dpopKey?.thumbprint == key)
  }

  @Test func `is not renewed by a token that a thief could use, and keeps the new refresh token`() throws {
    try signIn()
    #expect(throws: Self.broken(.tokenUnbound, followsSuccess: true)) {
      try refresh(answer("at-2", type: "Bearer", refresh: "rt-2"))
    }
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
    #expect(try refresh(answer("at-3", refresh: nil)).accessToken.text == "at-3")
    #expect(home.http.requests.last { $0.url == TestIssuer.tokenURL }?.form?.contains("refresh_token=rt-2") == true)
  }

  @Test func `is not renewed with a weaker ID Token, and keeps the new refresh token`() throws {
    try publish(("id_token_signing_alg_values_supported", ["ES256", "RS256"]))
    try signIn()
    #expect(throws: Self.broken(.idTokenAlgorithm, followsSuccess: true)) {
      try refresh(answer("at-2", refresh: "rt-2", idToken: Self.token("RS256")))
    }
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
  }

  @Test(arguments: weaknesses.filter { $0.member != "authorization_endpoint" })
  func `spends nothing at a server that has become weaker since, and goes on when it is as it was`(
    weakness: Weakness
  ) throws {
    try signIn()
    try publish((weakness.member, weakness.value))
    home.http.forgetRequests()
    let process = home.otherProcess()
    home.time.advance(seconds: 7 * 86_400)
    #expect(throws: Self.broken(weakness.breach)) { try home.refresh(settings(), process) }
    #expect(!home.http.urls.contains(TestIssuer.tokenURL))
    #expect(try home.stored()?.refreshToken?.text == "rt-1")
    try publish()
    // Cached metadata cannot disqualify the server; they are fetched again, at most once a minute.
    home.time.advance(seconds: 60)
    home.http.answer(TestIssuer.tokenURL, try answer("at-2", refresh: nil))
    #expect(try home.refresh(settings(), process).accessToken.text == "at-2")
  }

  @Test func `is signed out when somebody takes the profile out of the settings`() throws {
    try signIn()
    var weaker = try settings()
    weaker.profile = nil
    home.http.forgetRequests()
    #expect(throws: SessionError.configurationChanged(account: "work", setting: "profile")) {
      try home.refresh(weaker)
    }
    #expect(home.http.requests.isEmpty)
  }

  private static let changes: [(@Sendable (inout AccountConfiguration) -> Void, ProfileBreach)] = [
    ({ $0.assertionAudience = "endpoint" }, .assertionAudience), ({ $0.idTokenAlgorithm = .ES384 }, .algorithmSetting),
    ({ $0.userInfoAlgorithm = .RS256 }, .algorithmSetting), ({ $0.clientKeyAlgorithm = .RS256 }, .clientAlgorithm),
  ]

  @Test(arguments: changes.indices)
  func `spends nothing under a setting that contradicts the profile since`(number: Int) throws {
    let (change, breach) = Self.changes[number]
    try signIn(Self.configuration, Self.given(.generateRSA(bits: 2048)))
    var weaker = try settings()
    change(&weaker)
    home.http.forgetRequests()
    #expect(throws: Self.broken(breach)) { try home.refresh(weaker) }
    #expect(!home.http.urls.contains(TestIssuer.tokenURL))
  }

  @Test func `exchanges no token for one that a thief could use`() throws {
    let subject = try signIn().grant
    var body: JSONObject = ["access_token": "at-2", "token_type": "Bearer", "expires_in": 300]
    body["issued_token_type"] = "urn:ietf:params:oauth:token-type:access_token"
    home.http.answer(TestIssuer.tokenURL, try response(200, .object(body)))
    let target = try #require(try TokenTarget(scope: [], resources: ["https://api.example"], audience: nil))
    let question = SessionRequests(
      account: home.account, configuration: try settings(), grant: subject, services: home.services)
    #expect(throws: Self.broken(.tokenUnbound)) { try question.exchange(for: target) }
  }

  @Test func `is ended at a server that has become weaker`() throws {
    let grant = try signIn().grant
    try publish(("pushed_authorization_request_endpoint", nil), ("dpop_signing_alg_values_supported", nil))
    home.time.advance(seconds: 7 * 86_400)
    let ending = try SignOutOperation(
      account: home.account, configuration: try settings(), grant: grant, isLocal: false,
      services: home.otherProcess()
    ).run()
    #expect(home.http.urls.contains(TestIssuer.revocationURL))
    #expect(try home.stored() == nil, "\(ending)")
  }
}
