import Crypto
import Encoding
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary

@Suite struct `An account whose client is registered` {
  private static let place = "https://as.example/register"
  private static let managed = "https://as.example/register/c1"

  private func home(_ more: [(String, JSON?)] = []) throws -> Home {
    let home = try Home()
    var metadata = TestIssuer.metadata("registration_endpoint", .string(Self.place))
    for (name, value) in more { metadata[name] = value }
    home.http.always(TestIssuer.metadataURL, try response(200, .object(metadata)))
    home.http.always(TestIssuer.deviceURL, try response(200, Home.codes))
    return home
  }

  private static let answer: JSONObject = [
    "client_id": "c1", "registration_access_token": "rat", "registration_client_uri": .string(managed),
  ]

  private func preparation(
    _ home: Home, _ configuration: AccountConfiguration? = nil, given: SignInSecrets = .init(),
    mustAuthenticate: Bool = false
  ) -> SignIn.Request {
    var request = SignIn.Request(
      account: home.account,
      configuration: configuration ?? AccountConfiguration(issuer: TestIssuer.text, clientID: ""),
      services: home.services, cancellation: Cancellation()
    ) { _ in given }
    request.registersClient = true
    request.registration = .init(clientName: "agent on host", softwareVersion: "1", mustAuthenticate: mustAuthenticate)
    return request
  }

  private func registers(_ home: Home, _ members: (String, JSON?)...) throws {
    var answer = Self.answer
    for (name, value) in members { answer[name] = value }
    home.http.answer(Self.place, try response(201, .object(answer)))
  }

  /// Signs in with an ID Token for the client `c1`.
  private func signIn(_ home: Home, _ preparation: SignIn.Request) throws -> SignIn.Outcome {
    let signIn = try preparation.device()
    return try home.finish(signIn, tokens("at-1", refresh: "rt-1", idToken: TestIssuer.first.idToken("aud", "c1")))
  }

  @Test func `asks for what the server offers, and signs in with what it gets`() throws {
    let home = try home([("authorization_endpoint", "https://as.example/authorize")])
    try registers(home)
    let outcome = try signIn(home, preparation(home))
    #expect(outcome.configuration.clientID == "c1")
    #expect(outcome.configuration.tokenEndpointAuthMethod == .none)
    let asked = try #require(home.http.requests.first { $0.url == Self.place }?.json)
    #expect(asked["client_name"] == "agent on host" && asked["token_endpoint_auth_method"] == "none")
    #expect(
      asked["grant_types"]
        == ["urn:ietf:params:oauth:grant-type:device_code", "authorization_code", "refresh_token"])
    // RFC 8252 section 7.3: any port.
    #expect(asked["redirect_uris"] == ["http://127.0.0.1/as.example/tenant", "http://[::1]/as.example/tenant"])
    let record = try #require(try home.stored())
    #expect(record.registration?.token?.text == "rat" && record.registration?.managementURI == Self.managed)
  }

  // Some servers compare the port (against RFC 8252 section 7.3).
  @Test func `has the port that is listened at, keeps it, and another client when the port is taken`() throws {
    let home = try home([("authorization_endpoint", "https://as.example/authorize")])
    func listens(_ request: SignIn.Request, at answer: @escaping @Sendable (UInt16?) throws(SessionError) -> UInt16)
      -> SignIn.Request
    {
      var request = request
      request.listen = { (redirect, _, _, _) throws(SessionError) in try answer(redirect.uri.port) }
      return request
    }
    try registers(home)
    _ = try signIn(home, listens(preparation(home)) { _ in 49_152 })
    func uris() -> [JSON?] { home.http.requests.filter { $0.url == Self.place }.map { $0.json?["redirect_uris"] } }
    #expect(
      uris() == [["http://127.0.0.1:49152/as.example/tenant", "http://[::1]:49152/as.example/tenant"]])
    #expect(try home.stored()?.redirectURI == "http://127.0.0.1:49152/as.example/tenant")

    var again = preparation(home, AccountConfiguration(issuer: TestIssuer.text, clientID: "c1"))
    again.registersClient = false
    let same = try listens(again) { wanted throws(SessionError) in wanted ?? 1 }.prepared()
    #expect(same.redirect?.uri.text == "http://127.0.0.1:49152/as.example/tenant")
    #expect(uris().count == 1)

    try registers(home, ("client_id", "c2"))
    let taken = listens(again) { wanted throws(SessionError) in
      if let wanted { throw .redirectUnavailable(port: Int(wanted), SystemError(errno: 98, operation: "bind")) }
      return 49_153
    }
    let other = try taken.prepared()
    #expect(other.configuration.clientID == "c2")
    #expect(other.redirect?.uri.text == "http://127.0.0.1:49153/as.example/tenant")
    #expect(uris().last == ["http://127.0.0.1:49153/as.example/tenant", "http://[::1]:49153/as.example/tenant"])
  }

  // RFC 6749 section 2.3.1: some servers do not decode Basic credentials.
  @Test(arguments: [
    ("c1", "s-1._*", false), ("c:1", "s", true), ("c1", "s+/=", true),
  ]) func `sends its secret in the body where Basic would have to encode it`(
    _ id: String, _ secret: String, _ isEncoded: Bool
  ) throws {
    let home = try home([
      ("token_endpoint_auth_methods_supported", ["client_secret_basic", "client_secret_post"])
    ])
    home.http.always(Self.managed, try response(204, .object([:])))
    try registers(home, ("client_id", .string(id)), ("client_secret", .string(secret)))
    try registers(home, ("client_id", .string(id)), ("client_secret", .string(secret)))
    let prepared = try preparation(home).prepared()
    #expect(prepared.configuration.tokenEndpointAuthMethod == (isEncoded ? .secretPost : .secretBasic))
    let methods = home.http.requests.filter { $0.url == Self.place }
      .map { $0.json?["token_endpoint_auth_method"]?.string }
    #expect(methods == ["client_secret_basic"] + (isEncoded ? ["client_secret_post"] : []))
    #expect(home.http.requests.contains { $0.url == Self.managed && $0.method == .delete } == isEncoded)
  }

  // OpenID Connect Dynamic Client Registration 1.0 section 2.
  @Test func `has the signatures that the server registered`() throws {
    let home = try home()
    try registers(home, ("userinfo_signed_response_alg", "ES256"), ("id_token_signed_response_alg", "ES256"))
    let signing = try signIn(home, preparation(home)).configuration
    #expect(signing.userInfoAlgorithm == .ES256 && signing.idTokenAlgorithm == nil)
    let asked = try #require(home.http.requests.first { $0.url == Self.place }?.json)
    #expect(asked["userinfo_signed_response_alg"] == nil && asked["id_token_signed_response_alg"] == nil)
  }

  @Test func `asks for the signatures that the account names, and takes no others`() throws {
    let home = try home()
    var configuration = AccountConfiguration(issuer: TestIssuer.text, clientID: "")
    configuration.idTokenAlgorithm = .ES256
    configuration.userInfoAlgorithm = .ES384
    try registers(home)
    let registered = try signIn(home, preparation(home, configuration)).configuration
    #expect(registered.idTokenAlgorithm == .ES256 && registered.userInfoAlgorithm == .ES384)
    let asked = try #require(home.http.requests.first { $0.url == Self.place }?.json)
    #expect(asked["userinfo_signed_response_alg"] == "ES384" && asked["id_token_signed_response_alg"] == "ES256")
    for (name, reason) in [
      ("id_token_signed_response_alg", "with a different signature of \("ID Tokens") than requested"),
      ("userinfo_signed_response_alg", "with a different signature of \("UserInfo") than requested"),
    ] as [(String, Phrase)] {
      try registers(home, (name, "RS256"))
      home.http.answer(Self.managed, try response(204, [:]))
      #expect(throws: SessionError.oauth(OAuthError(.registrationUnusable, .reason(reason)))) {
        _ = try preparation(home, configuration).prepared()
      }
    }
    try registers(home, ("userinfo_signed_response_alg", "none"))
    #expect(try signIn(home, preparation(home)).configuration.userInfoAlgorithm == nil)
    try registers(home, ("userinfo_signed_response_alg", "HS256"))
    home.http.answer(Self.managed, try response(204, [:]))
    let unknown = OAuthError(.registrationUnusable, .reason("with a signature of UserInfo that is not supported"))
    #expect(throws: SessionError.oauth(unknown)) { _ = try preparation(home).prepared() }
  }

  @Test func `asks for more where a server that announces nothing wants it`() throws {
    let home = try home([("token_endpoint_auth_methods_supported", nil)])
    for _ in 0..<2 { home.http.answer(Self.place, try refusal("invalid_client_metadata")) }
    try registers(home, ("client_secret", "s1"))
    _ = try preparation(home).prepared()
    let tried = home.http.requests.filter { $0.url == Self.place }.compactMap(\.json)
    #expect(
      tried.map { $0["token_endpoint_auth_method"] } == ["none", "none", "client_secret_basic"] as [JSON])
  }

  // Glewlwyd.
  @Test func `may have another name for the device grant, and is refused with the first reason`() throws {
    let home = try home()
    home.http.answer(Self.place, try refusal("invalid_client_metadata"))
    try registers(home)
    _ = try preparation(home).prepared()
    let tried = home.http.requests.filter { $0.url == Self.place }.compactMap(\.json)
    #expect(
      tried.map { $0["grant_types"]?.array?.first } == [
        "urn:ietf:params:oauth:grant-type:device_code", "device_authorization",
      ] as [JSON])
    let other = try self.home()
    other.http.answer(Self.place, try refusal("invalid_client_metadata"))
    other.http.answer(Self.place, try refusal("invalid_redirect_uri"))
    #expect(
      throws: SessionError.oauth(
        refused(.registrationRejected, .endpoint(.registration), "invalid_client_metadata", status: 400))
    ) { try preparation(other).prepared() }
  }

  // RFC 7591 section 3.2.2: each accepted registration creates a client, so none is requested in vain.
  @Test(arguments: ["invalid_redirect_uri", "temporarily_unavailable"])
  func `is asked for once where the refusal is not of what it says of itself`(code: String) throws {
    let home = try home()
    home.http.answer(Self.place, try refusal(code))
    try registers(home)
    #expect(throws: SessionError.self) { try preparation(home).prepared() }
    #expect(home.http.requests.filter { $0.url == Self.place }.count == 1)
  }

  // RFC 9449 section 5.2.
  @Test func `has tokens that are bound to a key where the server wants that`() throws {
    let home = try home()
    try registers(home, ("dpop_bound_access_tokens", true))
    let signIn = try preparation(home).prepared()
    #expect(signIn.configuration.usesDPoP && signIn.server.prover != nil)
  }

  @Test func `has a key of its own where the server wants proof`() throws {
    let home = try home([("token_endpoint_auth_methods_supported", ["private_key_jwt"])])
    try registers(home)
    let outcome = try signIn(home, preparation(home))
    #expect(outcome.configuration.tokenEndpointAuthMethod == .privateKeyJWT)
    let asked = try #require(home.http.requests.first { $0.url == Self.place }?.json)
    let key = try #require(asked["jwks"]?["keys"]?.array?.first?.object)
    #expect(key["kty"] == "EC" && key["d"] == nil)
    // RFC 7638.
    #expect(key["kid"]?.string == outcome.configuration.clientKeyID && key["kid"] != nil)
    #expect(try home.stored()?.credentials.key != nil)
    #expect(home.http.requests.contains { $0.form?.contains { $0.hasPrefix("client_assertion=") } == true })
  }

  // RFC 8705 sections 2.2.2 and 3.4.
  @Test func `has a certificate for a key of its own where that is wanted, and keeps both when it is registered anew`()
    throws
  {
    let home = try home([
      ("authorization_endpoint", "https://as.example/authorize"),
      ("token_endpoint_auth_methods_supported", ["self_signed_tls_client_auth"]),
      ("tls_client_certificate_bound_access_tokens", true),
    ])
    var configuration = AccountConfiguration(issuer: TestIssuer.text, clientID: "")
    configuration.tokenEndpointAuthMethod = .selfSignedTLSClientAuth
    try registers(home)
    var request = preparation(home, configuration)
    request.listen = { (_, _, _, _) throws(SessionError) in 49_152 }
    let outcome = try signIn(home, request)
    #expect(outcome.configuration.usesClientCertificate)
    func certificate() throws -> Certificate {
      let asked = try #require(home.http.requests.last { $0.url == Self.place }?.json)
      #expect(asked["token_endpoint_auth_method"] == "self_signed_tls_client_auth")
      #expect(asked["tls_client_certificate_bound_access_tokens"] == true)
      let key = try #require(asked["jwks"]?["keys"]?.array?.first?.object)
      let chain = try #require(key["x5c"]?.array)
      #expect(key["kty"] == "EC" && key["d"] == nil && chain.count == 1)
      let certificate = try Certificate(der: Base64.decode(try #require(chain.first?.string)))
      guard case .ec(_, let x, _) = certificate.publicComponents else { throw CryptoError(.invalidKey, "test") }
      #expect(key["x"]?.string == Base64URL.encode(x))
      return certificate
    }
    let first = try certificate()
    let thumbprint = Base64URL.encode(first.digest)
    #expect(try home.stored()?.certificate(outcome.configuration, in: NoDevice())?.thumbprint == thumbprint)

    try registers(home, ("client_id", "c2"))
    var again = preparation(home, outcome.configuration)
    again.registersClient = false
    again.listen = { (redirect, _, _, _) throws(SessionError) in
      guard let port = redirect.uri.port else { return 49_153 }
      throw .redirectUnavailable(port: Int(port), SystemError(errno: 98, operation: "bind"))
    }
    #expect(try again.prepared().configuration.clientID == "c2")
    #expect(try certificate() == first)
  }

  // RFC 6749 section 4.4: the client credentials grant is for confidential clients only.
  @Test(arguments: [true, false]) func `of a guest asks for the grant of a client, as one that proves itself`(
    mustAuthenticate: Bool
  ) throws {
    let home = try home([("token_endpoint_auth_methods_supported", ["none", "private_key_jwt"])])
    try registers(home)
    _ = try preparation(home, mustAuthenticate: mustAuthenticate).prepared()
    let asked = try #require(home.http.requests.first { $0.url == Self.place }?.json)
    #expect(asked["grant_types"]?.array?.contains("client_credentials") == mustAuthenticate)
    #expect(asked["token_endpoint_auth_method"] == (mustAuthenticate ? "private_key_jwt" : "none"))
  }

  @Test func `takes the secret that the server gives, and honours its end`() throws {
    let home = try home([("token_endpoint_auth_methods_supported", ["private_key_jwt", "client_secret_post"])])
    try registers(
      home, ("client_secret", "s1"), ("client_secret_expires_at", .int(TestIssuer.now + 100)),
      ("token_endpoint_auth_method", "client_secret_post"))
    let outcome = try signIn(home, preparation(home))
    #expect(outcome.configuration.tokenEndpointAuthMethod == .secretPost)
    #expect(home.http.requests.contains { $0.form?.contains("client_secret=s1") == true })
    home.time.advance(seconds: 101)
    home.http.forgetRequests()
    #expect(throws: SessionError.clientSecretExpired(account: "work")) { try home.refresh(outcome.configuration) }
    #expect(home.http.requests.isEmpty)
  }

  @Test func `has no secret that could end where it proves itself by a key, whatever end the server names`() throws {
    let home = try home([("token_endpoint_auth_methods_supported", ["private_key_jwt"])])
    try registers(home, ("client_secret_expires_at", .int(TestIssuer.now + 100)))
    let outcome = try signIn(home, preparation(home))
    #expect(outcome.configuration.tokenEndpointAuthMethod == .privateKeyJWT)
    home.time.advance(seconds: 101)
    let again = try home.prepare(outcome.configuration)
    #expect(again.prepared.configuration.clientID == "c1")
  }

  // RFC 7591 section 3.2.1: the server may register other values than requested.
  @Test(
    arguments: [
      ("token_endpoint_auth_method", "tls_client_auth"), ("token_endpoint_auth_method", "client_secret_basic"),
      ("token_endpoint_auth_method", "client_secret_jwt"), ("token_endpoint_auth_method", "private_key_jwt"),
      ("grant_types", ["implicit"]), ("redirect_uris", ["https://other.example/"]),
    ] as [(String, JSON)]) func `refuses a client that is of no use, and takes it back`(name: String, value: JSON)
    throws
  {
    let home = try home([("authorization_endpoint", "https://as.example/authorize")])
    try registers(home, (name, value))
    home.http.answer(Self.managed, try response(204, .null))
    do {
      _ = try preparation(home).prepared()
      Issue.record("nothing was thrown")
    } catch SessionError.oauth(let error) {
      #expect(error.code == .registrationUnusable)
    }
    #expect(home.http.requests.last?.method == .delete && home.http.requests.last?.url == Self.managed)
  }

  @Test func `is taken back when the sign-in fails after it, or nobody finishes it`() throws {
    let home = try home()
    try registers(home)
    home.http.answer(Self.managed, try response(204, .null))
    try preparation(home).prepared().deleteNewClient()
    #expect(home.http.requests.last?.method == .delete && home.http.requests.last?.authorization == "Bearer rat")
    #expect(try home.stored() == nil)
  }

  // RFC 7592 section 3: its token is for the server that issued it.
  @Test(arguments: [(managed, 1), ("https://elsewhere.example/register/c1", 2)])
  func `tells a person when it cannot be deleted from here`(place: String, notices: Int) throws {
    let home = try home()
    try registers(home, ("registration_client_uri", .string(place)))
    let outcome = try signIn(home, preparation(home))
    #expect(outcome.notices.count == notices, "\(outcome.notices)")
    #expect(outcome.notices.contains(.foreignManagement) == (notices == 2))
  }

  private func removal(_ home: Home, _ configuration: AccountConfiguration, isLocal: Bool = false) -> SignOutOperation {
    SignOutOperation(
      account: home.account, configuration: configuration, grant: nil, isLocal: isLocal, services: home.services)
  }

  private func signedIn() throws -> (Home, AccountConfiguration) {
    let home = try home()
    try registers(home)
    let configuration = try signIn(home, preparation(home)).configuration
    try home.addSettings(configuration)
    home.http.always(TestIssuer.revocationURL, try response(200, .null))
    home.http.forgetRequests()
    return (home, configuration)
  }

  // RFC 7592 section 2.3.
  @Test func `is deleted at the server when the account is removed`() throws {
    let (home, configuration) = try signedIn()
    home.http.answer(Self.managed, try response(204, .null))
    let outcome = try removal(home, configuration).remove()
    #expect(outcome.revocationResult == .revoked && outcome.registration == .deleted)
    #expect(home.http.urls.last == Self.managed)
    #expect(try home.stored() == nil)
  }

  @Test func `may be gone, refused or left alone`() throws {
    for (status, expected) in [(401, "gone"), (500, "failed")] {
      let (home, configuration) = try signedIn()
      home.http.answer(Self.managed, try response(status, .null))
      let outcome = try removal(home, configuration).remove()
      switch outcome.registration {
      case .gone: #expect(expected == "gone")
      case .failed: #expect(expected == "failed")
      default: Issue.record("\(status) is neither")
      }
      #expect(try home.stored() == nil)
    }
    let (home, configuration) = try signedIn()
    #expect(try removal(home, configuration, isLocal: true).remove().registration == .local)
    #expect(home.http.requests.isEmpty)
  }

  // An attacker who can edit dotfiles must not redirect the registration's token.
  @Test func `is not deleted with settings that somebody changed`() throws {
    var (home, configuration) = try signedIn()
    configuration.pins = ["sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]
    let outcome = try removal(home, configuration).remove()
    #expect(outcome.registration == .failed(.configurationChanged(account: "work", setting: "pins")))
    #expect(home.http.requests.isEmpty)
  }

  @Test func `outlives a sign-out, without a user, and the next sign-in`() throws {
    let (home, configuration) = try signedIn()
    _ = try SignOutOperation(
      account: home.account, configuration: configuration, grant: nil, isLocal: false, services: home.services
    ).run()
    let left = try #require(try home.stored())
    #expect(left.isSignedOut && left.registration?.token?.text == "rat")
    #expect(left.refreshToken == nil && left.identity == nil && left.scope == nil)
    #expect(throws: SessionError.signedOut(account: "work")) { try home.refresh(configuration) }
    let again = try home.prepare(configuration)
    _ = try home.finish(
      again, tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken("aud", "c1")))
    #expect(try home.stored()?.registration?.token?.text == "rat")
    #expect(try home.stored()?.isSignedOut == false)
  }

  @Test func `gives way to a client that is registered anew`() throws {
    let (home, _) = try signedIn()
    home.http.answer(
      Self.place,
      try response(
        201,
        [
          "client_id": "c2", "registration_access_token": "rat2",
          "registration_client_uri": .string(Self.place + "/c2"),
        ]))
    home.http.answer(Self.managed, try response(204, .null))
    let signIn = try preparation(home).device()
    let outcome = try home.finish(
      signIn, tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken("aud", "c2")))
    #expect(outcome.configuration.clientID == "c2")
    #expect(home.http.requests.last?.method == .delete && home.http.requests.last?.url == Self.managed)
    #expect(try home.stored()?.registration?.token?.text == "rat2")
  }
}
