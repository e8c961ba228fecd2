import Crypto
import Encoding
import OAuth
import Testing
import Vocabulary

@Suite struct `A client certificate (RFC 8705)` {
  static func certificate(
    _ text: String = CertificateVectors.selfSigned, key: String = CertificateVectors.key
  ) throws -> ClientCertificate {
    let (text, key) = (Array(text.utf8), Array(key.utf8))
    let read = try ImportedPrivateKey.read(key.span)
    return try ClientCertificate(text.span, key: read.key)
  }

  // RFC 8705 section 3.1.
  @Test func `is known by the digest of the whole certificate`() throws {
    let certificate = try Self.certificate()
    #expect(certificate.thumbprint == CertificateVectors.thumbprint)
    #expect(certificate.expiresAt == CertificateVectors.expiresAt)
    #expect(certificate.isSelfIssued)
  }

  @Test func `may come with the certificates that lead to its authority`() throws {
    let text = CertificateVectors.signed + "\n" + CertificateVectors.authority + "\n"
    let certificate = try Self.certificate("explanation\n" + CertificateVectors.key + "\n" + text)
    #expect(!certificate.isSelfIssued)
    // Other content of the file, such as a key, is ignored.
    #expect(certificate.key.certificates.map { PEM.text("CERTIFICATE", $0) }.joined() == text)
    #expect(try certificate == Self.certificate(text))
    #expect(try certificate != Self.certificate(CertificateVectors.signed))
  }

  @Test(arguments: ["", "text", CertificateVectors.key, CertificateVectors.authority])
  func `is refused when it is none, or another key's`(text: String) {
    #expect(throws: CryptoError(.invalidKey, "certificate")) { try Self.certificate(text) }
  }

  @Test func `is refused when it is cut off anywhere`() {
    let text = CertificateVectors.selfSigned
    for count in stride(from: 0, to: text.utf8.count, by: 7) {
      #expect(throws: CryptoError.self) { try Self.certificate(String(text.prefix(count))) }
    }
  }

  private func server(_ http: ScriptedHTTP, _ authentication: ClientAuthentication) throws -> AuthorizationServer {
    let plain = try testServer(http, authentication)
    return AuthorizationServer(
      metadata: plain.metadata, client: plain.client, transport: Transport(), http: http,
      clientCertificate: try Self.certificate())
  }

  // RFC 8705 section 2: the client ID is sent too, since a certificate need not contain it.
  @Test func `is shown where the client proves itself, beside the client's id`() throws {
    let http = ScriptedHTTP(
      try response(#"{"access_token":"a","token_type":"Bearer"}"#), try response(#"{"sub":"alice"}"#))
    let server = try server(http, .mutualTLS)
    _ = try server.refresh(secret("r"))
    _ = try server.fetchUserInfo(accessToken: secret("a"), expectedSubject: nil)
    #expect(http.requests[0].form == ["grant_type=refresh_token", "refresh_token=r", "client_id=agent"])
    #expect(http.transports.map { $0.clientCertificate == nil } == [false, false])
    #expect(server.transport.clientCertificate == nil)
  }

  private func metadata(_ member: String) throws -> AuthorizationServerMetadata {
    try AuthorizationServerMetadata(
      parsing: Array(
        """
        {"issuer":"\(issuerText)","token_endpoint":"https://as.example/token",
        "revocation_endpoint":"https://as.example/revoke",\(member)}
        """.utf8), issuer: try testIssuer(), allowHTTPLoopback: false)
  }

  // RFC 8705 section 5.
  @Test func `leads to the endpoints that are named for it, and to the others where none is`() throws {
    let metadata = try metadata(
      #""mtls_endpoint_aliases":{"token_endpoint":"https://mtls.as.example/token","device_authorization_endpoint":"#
        + #""https://mtls.as.example/device"},"tls_client_certificate_bound_access_tokens":true"#)
    #expect(metadata[.token]?.text == "https://as.example/token")
    #expect(metadata.bindsTokensToCertificates)
    let aliased = metadata.forMutualTLS
    #expect(aliased[.token]?.text == "https://mtls.as.example/token")
    #expect(aliased[.deviceAuthorization]?.text == "https://mtls.as.example/device")
    #expect(aliased[.revocation]?.text == "https://as.example/revoke")
    #expect(aliased.endpointOrigins == ["https://as.example", "https://mtls.as.example"])
  }

  @Test func `is not taken for announced by a member of another shape`() throws {
    #expect(try !metadata(#""tls_client_certificate_bound_access_tokens":"yes""#).bindsTokensToCertificates)
  }

  // P-031, P-041.
  @Test func `is kept from an alias that cannot be used, which costs other clients nothing`() throws {
    let metadata = try metadata(#""mtls_endpoint_aliases":{"token_endpoint":"http://as.example/"}"#)
    #expect(metadata[.token]?.text == "https://as.example/token")
    try metadata.checkUsable(.token)
    #expect(metadata.forMutualTLS[.token] == nil)
    #expect(throws: OAuthError(.metadataInvalid, .name("mtls_endpoint_aliases.token_endpoint"))) {
      try metadata.forMutualTLS.checkUsable(.token)
    }
    #expect(metadata.forMutualTLS[.revocation]?.text == "https://as.example/revoke")
    for value in ["[]", "{}", "null"] {
      let none = try self.metadata(#""mtls_endpoint_aliases":\#(value)"#)
      #expect(none.forMutualTLS[.token]?.text == "https://as.example/token")
    }
  }

  // Where its aliases cannot be read, the certificate may belong to another endpoint.
  @Test(arguments: ["7", "true", #""https://mtls.as.example""#, "[7]"])
  func `is kept from the server's own endpoints where the aliases are of another shape`(value: String) throws {
    let metadata = try metadata(#""mtls_endpoint_aliases":\#(value)"#)
    try metadata.checkUsable(.token)
    let aliased = metadata.forMutualTLS
    #expect(aliased[.token] == nil && aliased[.revocation] == nil)
    #expect(throws: OAuthError(.metadataInvalid, .name("mtls_endpoint_aliases"))) { try aliased.checkUsable(.token) }
    // An endpoint that the server does not have has no alias.
    try aliased.checkUsable(.registration)
  }

  // The account's settings override the endpoints, whatever the server announces.
  @Test func `does not lead away from an endpoint that is named by hand`() throws {
    let metadata = try metadata(#""mtls_endpoint_aliases":{"token_endpoint":"https://mtls.as.example/token"}"#)
    let named: [EndpointRole: Endpoint] = [.token: try endpoint("https://by.hand.example/token")]
    #expect(metadata.forMutualTLS.applying(named)[.token]?.text == "https://by.hand.example/token")
  }
}
