import Encoding
import OAuth
import Testing
import Vocabulary

@Suite struct `Authorization server metadata` {
  static let full = """
    {"issuer":"https://as.example/tenant","token_endpoint":"https://t.example/token?p=1",
    "device_authorization_endpoint":"https://as.example/device","authorization_endpoint":"https://as.example/auth",
    "jwks_uri":"https://keys.example/jwks","userinfo_endpoint":"https://as.example/userinfo",
    "revocation_endpoint":"https://as.example/revoke","introspection_endpoint":"https://as.example/introspect",
    "end_session_endpoint":"https://as.example/end","pushed_authorization_request_endpoint":"https://as.example/par",
    "registration_endpoint":"https://as.example/register",
    "id_token_signing_alg_values_supported":["RS256","ES256"],
    "token_endpoint_auth_methods_supported":["none"],"grant_types_supported":["refresh_token"],
    "scopes_supported":["openid"],"code_challenge_methods_supported":["S256"],
    "signed_metadata":"e30.e30.AA","unknown":[{"any":"thing"}]}
    """

  private func parse(_ text: String, loopback: Bool = false) throws -> AuthorizationServerMetadata {
    try AuthorizationServerMetadata(parsing: Array(text.utf8), issuer: try testIssuer(), allowHTTPLoopback: loopback)
  }

  private func withMember(_ member: String) -> String { #"{"issuer":"\#(issuerText)",\#(member)}"# }

  @Test func `every member is read and unknown ones are ignored`() throws {
    let metadata = try parse(Self.full)
    #expect(metadata.issuer.text == issuerText)
    #expect(metadata[.token]?.text == "https://t.example/token?p=1")
    #expect(metadata[.deviceAuthorization]?.text == "https://as.example/device")
    #expect(metadata[.authorization]?.text == "https://as.example/auth")
    #expect(metadata[.keys]?.text == "https://keys.example/jwks")
    #expect(metadata[.userinfo]?.text == "https://as.example/userinfo")
    #expect(metadata[.revocation]?.text == "https://as.example/revoke")
    #expect(metadata[.introspection]?.text == "https://as.example/introspect")
    #expect(metadata.endSessionEndpoint?.text == "https://as.example/end")
    #expect(metadata[.pushedAuthorization]?.text == "https://as.example/par")
    #expect(metadata[.registration]?.text == "https://as.example/register")
    #expect(metadata.idTokenSigningAlgorithms == ["RS256", "ES256"])
    #expect(metadata.tokenEndpointAuthMethods == ["none"])
    #expect(metadata.grantTypes == ["refresh_token"])
    #expect(metadata.scopes == ["openid"])
    #expect(metadata.codeChallengeMethods == ["S256"])
    #expect(metadata.endpointOrigins == ["https://as.example", "https://keys.example", "https://t.example"])
  }

  // draft-ietf-oauth-client-id-metadata-document-03 section 6.
  @Test func `say whether a client may be the URL of its metadata`() throws {
    func takes(_ value: String) throws -> Bool? {
      try parse(withMember(#""client_id_metadata_document_supported":\#(value)"#)).acceptsMetadataURLs
    }
    #expect(try takes("true") == true && takes("false") == false && takes("null") == false)
    #expect(try parse(Self.full).acceptsMetadataURLs == false)
    #expect(try takes("\"true\"") == false)
    // Unknown without metadata.
    let none = AuthorizationServerMetadata(issuer: try testIssuer(), overrides: [:])
    #expect(none.acceptsMetadataURLs == nil)
  }

  // RFC 8414 section 2.
  @Test func `absent members have the defaults of the specification`() throws {
    let metadata = try parse(withMember(#""jwks_uri":null,"scopes_supported":null"#))
    #expect(metadata.tokenEndpointAuthMethods == ["client_secret_basic"])
    #expect(metadata.grantTypes == ["authorization_code", "implicit"])
    #expect(metadata.idTokenSigningAlgorithms == [])
    #expect(metadata.codeChallengeMethods == [])
    #expect(metadata.scopes == nil)
    #expect(metadata[.keys] == nil)
    #expect(metadata[.token] == nil)
    #expect(metadata.endpointOrigins == [])
  }

  // RFC 8414 section 3.3.
  @Test(arguments: [
    "https://as.example/tenant/", "https://AS.example/tenant", "https://as.example:443/tenant", "https://evil.example",
    "",
  ])
  func `a document of another issuer is not used, and the issuer is named`(other: String) {
    var error = OAuthError(.issuerMismatch, .configuredIssuer)
    error.serverDescription = other.isEmpty ? nil : other
    // The issuers differ only by a slash.
    if other == issuerText + "/" { error.intendedIssuer = other }
    #expect(throws: error) { try parse(#"{"issuer":"\#(other)"}"#) }
  }

  @Test func `a document without an issuer is not used`() {
    #expect(throws: OAuthError(.issuerMismatch, .configuredIssuer)) { try parse("{}") }
  }

  // P-031: nothing is sent there. P-041: the error appears only if it is needed.
  @Test(arguments: [
    ("token_endpoint", EndpointRole.token), ("device_authorization_endpoint", .deviceAuthorization),
    ("authorization_endpoint", .authorization), ("jwks_uri", .keys), ("userinfo_endpoint", .userinfo),
    ("revocation_endpoint", .revocation), ("introspection_endpoint", .introspection),
    ("pushed_authorization_request_endpoint", .pushedAuthorization), ("registration_endpoint", .registration),
  ])
  func `an endpoint that is not an https URL costs only itself`(name: String, role: EndpointRole) throws {
    for value in [
      #""http://as.example/x""#, #""http://127.0.0.1/x""#, #""/x""#, "1", #"["https://as.example"]"#, #""""#,
    ] {
      let metadata = try parse(withMember(#""\#(name)":\#(value)"#))
      #expect(metadata.unusableEndpoints == [role: name])
      #expect(throws: OAuthError(.metadataInvalid, .name(name))) { try metadata.checkUsable(role) }
      #expect(!metadata.endpointOrigins.contains("http://as.example"))
    }
  }

  @Test func `an end-session endpoint that is not an https URL is none`() throws {
    for value in [#""http://as.example/x""#, "5"] {
      let metadata = try parse(withMember(#""end_session_endpoint":\#(value)"#))
      #expect(metadata.endSessionEndpoint == nil && metadata.unusableEndpoints.isEmpty)
    }
  }

  @Test func `an endpoint named by hand takes the place of one that cannot be used`() throws {
    let metadata = try parse(withMember(#""token_endpoint":"http://as.example/x""#))
    let named = metadata.applying([.token: try endpoint("https://by.hand.example/token")])
    #expect(named[.token]?.text == "https://by.hand.example/token")
    try named.checkUsable(.token)
  }

  @Test func `a loopback endpoint is taken with the opt-in`() throws {
    let metadata = try parse(withMember(#""token_endpoint":"http://127.0.0.1:1/t""#), loopback: true)
    #expect(metadata[.token]?.text == "http://127.0.0.1:1/t")
  }

  @Test(arguments: [
    "id_token_signing_alg_values_supported", "token_endpoint_auth_methods_supported", "grant_types_supported",
    "scopes_supported", "code_challenge_methods_supported",
  ])
  func `a list of another shape costs only itself`(name: String) throws {
    let token = #""token_endpoint":"https://as.example/token","#
    for value in ["7", "[1]", "{}", "true"] {
      let metadata = try parse(withMember(token + #""\#(name)":\#(value)"#))
      #expect(metadata[.token] != nil)
      #expect((metadata.malformedCodeProtection == name) == (name == "code_challenge_methods_supported"))
    }
  }

  @Test func `a text in the place of a list is a list of one, and of a list the texts count`() throws {
    #expect(try parse(withMember(#""scopes_supported":"openid""#)).scopes == ["openid"])
    #expect(try parse(withMember(#""scopes_supported":["openid",7,null]"#)).scopes == ["openid"])
    let methods = try parse(withMember(#""code_challenge_methods_supported":"S256""#))
    #expect(methods.codeChallengeMethods == ["S256"] && methods.malformedCodeProtection == nil)
    let none = try parse(withMember(#""code_challenge_methods_supported":[]"#))
    #expect(none.malformedCodeProtection == nil)
  }

  // These members protect only sign-ins by authorization code.
  @Test(arguments: [
    "authorization_response_iss_parameter_supported", "require_pushed_authorization_requests",
    "code_challenge_methods_supported",
  ])
  func `a safeguard of another shape stops a sign-in by browser and nothing else`(name: String) throws {
    let endpoints =
      #""token_endpoint":"https://as.example/t","authorization_endpoint":"https://as.example/a","#
      + #""device_authorization_endpoint":"https://as.example/d","#
    for value in ["7", "{}", "[1]"] {
      let metadata = try parse(withMember(endpoints + #""\#(name)":\#(value)"#))
      #expect(!metadata.offersCodeFlow && metadata[.deviceAuthorization] != nil)
      let server = try testServer(ScriptedHTTP()) { $0 = metadata }
      #expect(throws: OAuthError(.metadataInvalid, .name(name))) {
        try server.makeAuthorizationRequest(scope: nil, redirectURI: "http://127.0.0.1/")
      }
    }
    let whole = try parse(withMember(endpoints + #""\#(name)":null"#))
    #expect(whole.offersCodeFlow && whole.malformedCodeProtection == nil)
  }

  @Test(arguments: ["", "[]", "null", "<html>", #"{"issuer":"a","issuer":"b"}"#])
  func `what is no JSON object is no metadata`(text: String) {
    #expect(throws: OAuthError(.metadataInvalid, .reason("it is not a JSON object"))) { try parse(text) }
  }

  @Test func `a document cut at any byte is refused`() {
    let bytes = Array(Self.full.utf8)
    for length in 0..<bytes.count {
      #expect(throws: OAuthError(.metadataInvalid, .reason("it is not a JSON object"))) {
        try AuthorizationServerMetadata(
          parsing: Array(bytes.prefix(length)), issuer: try testIssuer(), allowHTTPLoopback: false)
      }
    }
  }

  @Test func `an account's own endpoints come before the server's`() throws {
    let own: [EndpointRole: Endpoint] = [
      .token: try endpoint("https://own.example/t"), .deviceAuthorization: try endpoint("https://own.example/d"),
      .userinfo: try endpoint("https://own.example/u"), .revocation: try endpoint("https://own.example/r"),
      .registration: try endpoint("https://own.example/n"), .keys: try endpoint("https://own.example/j"),
    ]
    let metadata = try parse(Self.full).applying(own)
    #expect(metadata[.token] == own[.token])
    #expect(metadata[.deviceAuthorization] == own[.deviceAuthorization])
    #expect(metadata[.userinfo] == own[.userinfo])
    #expect(metadata[.revocation] == own[.revocation])
    #expect(metadata[.registration] == own[.registration])
    #expect(metadata[.keys] == own[.keys])
    #expect(metadata[.introspection]?.text == "https://as.example/introspect")
    #expect(try parse(Self.full).applying([:])[.token]?.text == "https://t.example/token?p=1")
  }

  @Test func `a URL for a role without an endpoint adds no origin`() throws {
    let other = try Endpoint("https://other.example/", allowHTTPLoopback: false)
    let metadata = try parse(Self.full)
    #expect(metadata.applying([.resource: other, .metadata: other]).endpointOrigins == metadata.endpointOrigins)
  }

  @Test func `a server without metadata is what the account names`() throws {
    let own: [EndpointRole: Endpoint] = [.token: try endpoint("https://own.example/t")]
    let metadata = AuthorizationServerMetadata(issuer: try testIssuer(), overrides: own)
    #expect(metadata[.token] == own[.token])
    #expect(metadata.endpointOrigins == ["https://own.example"])
  }
}
