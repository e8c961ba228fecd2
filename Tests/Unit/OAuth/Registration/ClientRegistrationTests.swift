import Encoding
import OAuth
import Testing
import Vocabulary

@Suite struct `Client registration (RFC 7591)` {
  private static let subject = OAuthError.Subject.endpoint(.registration)

  private func metadata() throws -> AuthorizationServerMetadata {
    var metadata = AuthorizationServerMetadata(issuer: try testIssuer(), overrides: [:])
    metadata[.registration] = try endpoint("https://as.example/register")
    return metadata
  }

  private static let request: ClientRegistrationRequest = {
    var request = ClientRegistrationRequest(name: "agent", softwareID: "id", softwareVersion: "1")
    request.grantTypes = [AuthorizationServer.GrantType.device, "authorization_code", "refresh_token"]
    request.redirectURIs = ["http://127.0.0.1/x"]
    return request
  }()

  private func register(
    _ http: ScriptedHTTP, _ request: ClientRegistrationRequest = request, token: String? = nil
  ) throws -> ClientRegistration {
    try ClientRegistration.register(
      request, at: try metadata(), initialAccessToken: try token.map(secret), transport: Transport(), http: http,
      cancellation: nil)
  }

  // RFC 7591 section 3.1, RFC 8252 section 8.4.
  @Test func `asks for a native public client with the grants it uses`() throws {
    let http = ScriptedHTTP(try response(201, #"{"client_id":"c1"}"#))
    _ = try register(http)
    let sent = try #require(http.requests.first)
    #expect(sent.method == .post && sent.url == "https://as.example/register" && sent.authorization == nil)
    #expect(
      sent.json == [
        "application_type": "native", "client_name": "agent", "software_id": "id", "software_version": "1",
        "grant_types": ["urn:ietf:params:oauth:grant-type:device_code", "authorization_code", "refresh_token"],
        "response_types": ["code"], "token_endpoint_auth_method": "none", "redirect_uris": ["http://127.0.0.1/x"],
      ])
  }

  @Test func `names redirect URIs only for the authorization code grant`() throws {
    let http = ScriptedHTTP(try response(201, #"{"client_id":"c1"}"#))
    var request = Self.request
    request.grantTypes = [AuthorizationServer.GrantType.device]
    _ = try register(http, request)
    let sent = try #require(http.requests.first?.json)
    #expect(sent["redirect_uris"] == nil && sent["response_types"] == [])
  }

  // RFC 9449 section 5.2, RFC 8705 section 3.4.
  @Test func `says that tokens are to be bound to a key or a certificate, and else nothing of it`() throws {
    let http = ScriptedHTTP(try response(201, #"{"client_id":"c1"}"#), try response(201, #"{"client_id":"c2"}"#))
    var request = Self.request
    request.bindsTokensToKey = true
    _ = try register(http, request)
    request.bindsTokensToKey = false
    request.bindsTokensToCertificate = true
    _ = try register(http, request)
    let (key, certificate) = ("dpop_bound_access_tokens", "tls_client_certificate_bound_access_tokens")
    #expect(http.requests.map { $0.json?[key] } == [true, nil])
    #expect(http.requests.map { $0.json?[certificate] } == [nil, true])
  }

  // RFC 7591 section 3.
  @Test func `shows the token that lets it register`() throws {
    let http = ScriptedHTTP(try response(201, #"{"client_id":"c1"}"#))
    _ = try register(http, token: "iat")
    #expect(http.requests.first?.authorization == "Bearer iat")
  }

  // RFC 7591 section 3.2.1, RFC 7592 section 3.
  @Test func `reads what the server made of it`() throws {
    let made = try register(
      ScriptedHTTP(
        try response(
          201,
          #"{"client_id":"c1","client_secret":"s","client_secret_expires_at":1700000000,"grant_types":["x"],"#
            + #""redirect_uris":["y"],"token_endpoint_auth_method":"client_secret_basic","unknown":1,"#
            + #""registration_access_token":"rat","registration_client_uri":"https://as.example/register/c1"}"#)))
    #expect(made.clientID == "c1" && made.secret?.text == "s" && made.secretExpiresAt == 1_700_000_000)
    #expect(made.grantTypes == ["x"] && made.redirectURIs == ["y"])
    #expect(made.tokenEndpointAuthMethod == "client_secret_basic")
    #expect(made.management?.endpoint.text == "https://as.example/register/c1")
    #expect(made.management?.token.text == "rat" && !made.hasForeignManagement && !made.bindsTokensToKey)
  }

  @Test(arguments: [#""client_secret":"s","client_secret_expires_at":0"#, #""client_secret":"s""#, #""x":1"#])
  func `takes a secret without an end for one that does not expire`(members: String) throws {
    let made = try register(ScriptedHTTP(try response(200, #"{"client_id":"c1",\#(members)}"#)))
    #expect(made.secretExpiresAt == nil)
  }

  // The registration token must not be sent elsewhere.
  @Test(arguments: ["https://evil.example/c1", "http://as.example/c1", "not a URL"])
  func `keeps no place for the management that is not the server's`(place: String) throws {
    let made = try register(
      ScriptedHTTP(
        try response(
          201, #"{"client_id":"c1","registration_access_token":"rat","registration_client_uri":"\#(place)"}"#)))
    #expect(made.management == nil && made.hasForeignManagement)
  }

  @Test(arguments: [
    "{}", #"{"client_id":""}"#, #"{"client_id":1}"#, #"{"client_id":"a\nb"}"#, "[]", "",
    #"{"client_id":"c","client_secret":1}"#, #"{"client_id":"c","grant_types":"x"}"#,
    #"{"client_id":"c","redirect_uris":[1]}"#, #"{"client_id":"c","client_secret":"s","client_secret_expires_at":-1}"#,
  ]) func `refuses an answer that is no registration`(body: String) throws {
    let http = ScriptedHTTP(try response(201, body))
    do {
      _ = try register(http)
      Issue.record("nothing was thrown")
    } catch {
      #expect((error as? OAuthError)?.code == .malformedResponse)
    }
  }

  // RFC 7591 section 3.2.2.
  @Test(arguments: [
    "invalid_redirect_uri", "invalid_client_metadata", "invalid_software_statement", "unapproved_software_statement",
  ]) func `tells what the server has against it`(error: String) throws {
    let http = ScriptedHTTP(try response(400, #"{"error":"\#(error)","error_description":"no"}"#))
    #expect(
      throws: expected(.registrationRejected, Self.subject, status: 400, error: error, description: "no")
    ) { try register(http) }
  }

  @Test(arguments: [401, 403]) func `tells that not everybody may register`(status: Int) throws {
    let http = ScriptedHTTP(try response(status, #"{"error":"invalid_token"}"#))
    #expect(throws: expected(.registrationRejected, Self.subject, status: status, error: "invalid_token")) {
      try register(http)
    }
  }

  @Test func `needs a server that offers it`() throws {
    let plain = AuthorizationServerMetadata(issuer: try testIssuer(), overrides: [:])
    #expect(throws: OAuthError(.registrationMissing, .server)) {
      try ClientRegistration.register(
        Self.request, at: plain, initialAccessToken: nil, transport: Transport(), http: ScriptedHTTP(),
        cancellation: nil)
    }
  }

  private func delete(_ http: ScriptedHTTP) throws {
    try ClientRegistration.Management(
      endpoint: try endpoint("https://as.example/register/c1"), token: try secret("rat")
    ).delete(transport: Transport(), http: http)
  }

  // RFC 7592 section 2.3.
  @Test func `is ended with its own token`() throws {
    let http = ScriptedHTTP(try response(204, ""))
    try delete(http)
    let sent = try #require(http.requests.first)
    #expect(sent.method == .delete && sent.authorization == "Bearer rat" && sent.form == nil && sent.json == nil)
  }

  @Test(arguments: [401, 404]) func `may be gone already`(status: Int) throws {
    #expect(throws: OAuthError(.registrationGone, Self.subject, httpStatus: status)) {
      try delete(ScriptedHTTP(try response(status, #"{"error":"invalid_token"}"#)))
    }
  }

  @Test func `may not be ended at every server`() throws {
    #expect(throws: expected(.otherServerError, Self.subject, status: 405)) {
      try delete(ScriptedHTTP(try response(405, "")))
    }
  }
}
