import Crypto
import HTTP
import OAuth
import Testing

/// Servers that request a client certificate (RFC 8705).
@Suite struct `A client certificate` {
  private func certificate(_ text: [UInt8]) throws -> ClientCertificate {
    let read = try ImportedPrivateKey.read(text.span)
    return try ClientCertificate(text.span, key: read.key)
  }

  /// A server that rejects clients without a certificate of its authority, and reports on the connection.
  private func server(_ options: [String] = []) throws -> TLSServer {
    try TLSServer(options: options, wantsCertificate: true)
  }

  private func transport(_ server: TLSServer, _ certificate: ClientCertificate? = nil) throws -> Transport {
    var transport = Transport()
    transport.certificateAuthorities = try CertificateAuthorities(pem: server.authority.pem)
    transport.clientCertificate = certificate
    return transport
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"]) func `is shown to the server`(version: String) throws {
    let server = try server([version])
    let certificate = try certificate(server.authority.client)
    let response = try client().send(get(server.url, transport: transport(server, certificate)))
    #expect(response.status == 200)
    #expect(response.body.text.contains("Client certificate"))
    #expect(response.body.text.contains("CN = client") || response.body.text.contains("CN=client"))
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"]) func `is needed where a server wants one`(version: String) throws {
    let server = try server([version])
    #expect(throws: HTTPFailure.self) { try client().send(get(server.url, transport: transport(server))) }
    let other = try certificate(server.authority.otherClient)
    #expect(throws: HTTPFailure.self) { try client().send(get(server.url, transport: transport(server, other))) }
  }

  // A connection with the certificate must not be used for an account without one.
  @Test func `of one account does not serve another`() throws {
    let server = try server()
    let (certificate, client) = (try certificate(server.authority.client), client())
    #expect(try client.send(get(server.url, transport: transport(server, certificate))).status == 200)
    #expect(throws: HTTPFailure.self) { try client.send(get(server.url, transport: transport(server))) }
    #expect(try client.send(get(server.url, transport: transport(server, certificate))).status == 200)
  }

  @Test func `is not shown to a server that does not ask`() throws {
    let server = try TLSServer()
    let certificate = try certificate(server.authority.client)
    let response = try client().send(get(server.url, transport: transport(server, certificate)))
    #expect(response.status == 200 && response.body.text.contains("no client certificate available"))
  }

  @Test func `is shown again on a connection that is made anew`() throws {
    let server = try server()
    let (certificate, client) = (try certificate(server.authority.client), client())
    for _ in 0..<3 {
      #expect(try client.send(get(server.url, transport: transport(server, certificate))).status == 200)
      client.closeIdle(after: .zero)
    }
  }
}
