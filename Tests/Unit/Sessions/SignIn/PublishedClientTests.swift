import Encoding
import OAuth
import Platform
@testable import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary

/// A client whose identifier is the URL of its metadata (draft-ietf-oauth-client-id-metadata-document-03).
@Suite struct `A published client` {
  private static let url = "https://me.example/agent.json"
  private let home: Home

  init() throws {
    home = try Home()
    try announce(true)
  }

  private func announce(_ isTaken: Bool?, _ more: (String, JSON)...) throws {
    var metadata = TestIssuer.metadata("client_id_metadata_document_supported", isTaken.map { .bool($0) })
    metadata["authorization_endpoint"] = "https://as.example/authorize"
    for (name, value) in more { metadata[name] = value }
    home.http.always(TestIssuer.metadataURL, try response(200, .object(metadata)))
  }

  private static func configuration(
    _ id: String = url, _ change: (inout AccountConfiguration) -> Void = { _ in }
  ) -> AccountConfiguration {
    var configuration = AccountConfiguration(issuer: TestIssuer.text, clientID: id)
    change(&configuration)
    return configuration
  }

  private func request(
    _ configuration: AccountConfiguration = configuration(), _ given: SignInSecrets = .init()
  ) -> SignIn.Request {
    SignIn.Request(
      account: home.account, configuration: configuration, services: home.services, cancellation: Cancellation()
    ) { _ in given }
  }

  private func document(
    _ configuration: AccountConfiguration = configuration(), _ credentials: ClientCredentials = .init()
  ) throws -> JSONObject {
    try ClientRegistrationRequest(
      publishing: configuration, credentials, name: "agent", in: home.services.vault.keyDevice
    ).json
  }

  // MARK: The redirect URI

  @Test func `has the same redirect URI at all servers, which its document names`() throws {
    func redirect(_ change: (inout AccountConfiguration) -> Void = { _ in }) throws -> String? {
      try request(Self.configuration(Self.url, change)).prepared().redirect?.uri.text
    }
    #expect(try redirect() == "http://127.0.0.1/callback")
    #expect(try redirect { $0.provider = .slack } == "http://127.0.0.1/callback")
    try home.store(Self.configuration()) { $0.redirectURI = "http://127.0.0.1/older" }
    #expect(try redirect() == "http://127.0.0.1/callback")
    let documented: JSON = ["http://127.0.0.1/callback", "http://[::1]/callback"]
    #expect(try document()["redirect_uris"] == documented)
    let fixed = "http://127.0.0.1:47600/callback"
    #expect(try redirect { $0.redirectURI = fixed } == fixed)
    #expect(try document(Self.configuration { $0.redirectURI = fixed })["redirect_uris"] == [.string(fixed)])
  }

  // MARK: The server

  @Test(arguments: [false, true]) func `is refused where the server does not announce that it takes one`(
    registers: Bool
  ) throws {
    if registers {
      try announce(false, ("registration_endpoint", "https://as.example/register"))
    } else {
      try announce(nil)
    }
    #expect(throws: SessionError.unusableClientURL(.unannounced(canRegister: registers))) { try request().prepared() }
    #expect(home.http.urls == [TestIssuer.metadataURL])
    // Section 7.2: it may be registered there manually.
    let named = Self.configuration { $0.redirectURI = "http://127.0.0.1/callback" }
    #expect(try request(named).prepared().configuration.clientID == Self.url)
  }

  @Test func `is taken to a server that has no metadata`() throws {
    home.http.always(TestIssuer.metadataURL, try response(404, [:]))
    home.http.always(
      "https://as.example/.well-known/oauth-authorization-server/tenant", try response(404, [:]))
    home.http.always("https://as.example/.well-known/openid-configuration/tenant", try response(404, [:]))
    let named = Self.configuration {
      $0.tokenEndpoint = TestIssuer.tokenURL
      $0.deviceAuthorizationEndpoint = TestIssuer.deviceURL
    }
    #expect(try request(named).prepared().configuration.clientID == Self.url)
  }

  @Test(arguments: [
    "https://me.example", "https://me.example/a#b", "https://me.example/a/../b", "https://u@me.example/a",
    "https://ME.example/a", "https://me.example:443/a",
  ])
  func `must be at a URL where the server would fetch it`(id: String) throws {
    #expect(throws: SessionError.unusableClientURL(.malformed)) { try request(Self.configuration(id)).prepared() }
    // Elsewhere it is an ordinary client ID.
    try announce(nil)
    #expect(try request(Self.configuration(id)).prepared().configuration.clientID == id)
  }

  @Test func `may have a query, of which the person is warned`() throws {
    #expect(try request(Self.configuration()).prepared().notices.contains(.clientURLHasQuery) == false)
    #expect(try request(Self.configuration(Self.url + "?a=b")).prepared().notices.contains(.clientURLHasQuery))
  }

  @Test func `is no client that a server registered under a URL`() throws {
    try announce(nil, ("registration_endpoint", "https://as.example/register"))
    home.http.always(TestIssuer.deviceURL, try response(200, Home.codes))
    home.http.answer(
      "https://as.example/register",
      try response(
        201,
        [
          "client_id": .string(Self.url), "client_secret": "s", "token_endpoint_auth_method": "client_secret_basic",
          "registration_access_token": "rat", "registration_client_uri": "https://as.example/register/c1",
        ]))
    var first = request(Self.configuration(""))
    first.registersClient = true
    first.registration = .init(clientName: "agent", softwareVersion: "1")
    let registered = try home.finish(
      try first.device(), tokens("at-1", refresh: "rt-1", idToken: TestIssuer.first.idToken("aud", .string(Self.url)))
    ).configuration
    #expect(registered.clientID == Self.url && registered.tokenEndpointAuthMethod == .secretBasic)
    let again = try request(registered).prepared()
    #expect(again.redirect?.uri.text == "http://127.0.0.1/as.example/tenant" && again.hasCredentials)
  }

  @Test func `is named where the server takes one and the person has no client`() throws {
    func missing(registers: Bool) -> MissingClient? {
      var request = request(Self.configuration(""))
      request.registersClient = registers
      request.registration = .init(clientName: "agent", softwareVersion: "1")
      do throws(SessionError) {
        try request.prepare { (_) throws(SessionError) in () }
      } catch .clientIDNeeded(let missing) {
        return missing
      } catch {}
      return nil
    }
    #expect(missing(registers: false)?.canPublish == true)
    // Registration is not available.
    #expect(missing(registers: true)?.canPublish == true)
    try announce(nil)
    #expect(missing(registers: false)?.canPublish == false)
    #expect(missing(registers: true) == nil)
  }

  // MARK: Client authentication

  @Test func `has no secret`() throws {
    let secret = SignInSecrets(clientSecret: try secret("s"))
    #expect(throws: SessionError.unusableClientURL(.secret)) { try request(Self.configuration(), secret).prepared() }
    for method in [ClientAuthenticationMethod.secretBasic, .secretPost] {
      let configuration = Self.configuration { $0.tokenEndpointAuthMethod = method }
      #expect(throws: SessionError.unusableClientURL(.secret)) { try request(configuration).prepared() }
      #expect(throws: SessionError.unusableClientURL(.secret)) { try document(configuration) }
      #expect(throws: SessionError.unusableClientURL(.secret)) {
        try home.services.add(home.account, configuration)
      }
      try home.addSettings(Self.configuration())
      #expect(throws: SessionError.unusableClientURL(.secret)) {
        try home.services.change(home.account, from: Self.configuration(), to: configuration)
      }
    }
    let other = try AccountName("other")
    #expect(throws: SessionError.unusableClientURL(.secret)) {
      try SignIn.Request(
        account: other, configuration: Self.configuration(), isNew: true, services: home.services,
        cancellation: Cancellation()
      ).importToken(secret.credentials.secret!, secret)
    }
    #expect(home.http.requests.isEmpty)
  }

  @Test func `proves itself by its key, under the name that its document has for it`() throws {
    var given = SignInSecrets()
    given.credentials.key = try ClientKeyFile.generate().key
    let chosen = try request(Self.configuration(), given).prepared().configuration
    #expect(chosen.tokenEndpointAuthMethod == .privateKeyJWT)
    let document = try document(Self.configuration(), given.credentials)
    let key = try #require(document["jwks"]?["keys"]?.array?.first?.object)
    #expect(chosen.clientKeyID != nil && key["kid"]?.string == chosen.clientKeyID)
    // RFC 7518 section 6.2.2: the private half is `d`.
    #expect(Set(key.names) == ["crv", "kty", "x", "y", "use", "kid"])
    #expect(document["token_endpoint_auth_method"] == "private_key_jwt")
    #expect(document["grant_types"]?.array?.last == "client_credentials")
    // The account's own key produces the same document.
    try home.store(chosen) { $0.credentials = given.credentials }
    let kept = try home.services.credentials(of: home.account, chosen)
    #expect(try self.document(chosen, kept) == document)
    // Another client's key is not published.
    let other = Self.configuration("https://me.example/other.json") { $0.tokenEndpointAuthMethod = .privateKeyJWT }
    #expect(try home.services.credentials(of: home.account, other).isEmpty)
    #expect(throws: SessionError.configuration(ConfigurationError(.missingClientKey, ""))) { try self.document(other) }
  }

  // MARK: The document

  @Test func `has a document that tells what the settings want, the same at all times`() throws {
    let configuration = Self.configuration {
      $0.scope = ["openid", "offline_access"]
      $0.usesDPoP = true
    }
    let text = String(decoding: JSON.object(try document(configuration)).serialized(), as: UTF8.self)
    #expect(
      text == #"{"client_id":"https://me.example/agent.json","client_name":"agent","application_type":"native","#
        + #""grant_types":["authorization_code","urn:ietf:params:oauth:grant-type:device_code","refresh_token"],"#
        + #""response_types":["code"],"redirect_uris":["http://127.0.0.1/callback","http://[::1]/callback"],"#
        + #""token_endpoint_auth_method":"none","scope":"openid offline_access","dpop_bound_access_tokens":true}"#)
  }

  @Test(arguments: ["cli", "https://me.example", "http://me.example/agent.json", "http://127.0.0.1:80/agent.json"])
  func `has no document where nothing can be published`(id: String) {
    #expect(throws: SessionError.unusableClientURL(.malformed)) { try document(Self.configuration(id)) }
  }

  @Test func `may be on this machine for development, and has no certificate`() throws {
    let local = Self.configuration("http://127.0.0.1:8080/agent.json") { $0.allowHTTPLoopback = true }
    #expect(try document(local)["client_id"] == "http://127.0.0.1:8080/agent.json")
    let certified = Self.configuration { $0.tokenEndpointAuthMethod = .selfSignedTLSClientAuth }
    #expect(throws: SessionError.unusableClientURL(.certificate)) { try document(certified) }
  }
}
