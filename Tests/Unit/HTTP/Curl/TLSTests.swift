import Crypto
import HTTP
import OAuth
import TestSupport
import Testing
import Vocabulary

@Suite struct `TLS` {
  /// A transport that trusts the server's authority.
  private func trusting(_ server: TLSServer, pins: [String] = []) throws -> Transport {
    var transport = Transport()
    transport.certificateAuthorities = try CertificateAuthorities(pem: server.authority.pem)
    transport.pins = pins
    return transport
  }

  @Test func `an authority of the account is trusted`() throws {
    let server = try TLSServer()
    #expect(try client().send(get(server.url, transport: trusting(server))).status == 200)
  }

  @Test func `an unknown authority is not`() throws {
    let server = try TLSServer()
    #expect(throws: HTTPFailure(.certificate, .unknownAuthority)) {
      try client().send(get(server.url, transport: Transport()))
    }
  }

  @Test func `trust of one account does not help another`() throws {
    let server = try TLSServer()
    let client = client()
    #expect(try client.send(get(server.url, transport: trusting(server))).status == 200)
    #expect(throws: HTTPFailure(.certificate, .unknownAuthority)) {
      try client.send(get(server.url, transport: Transport()))
    }
  }

  // RFC 9525 section 6: the certificate must contain the requested name.
  @Test(arguments: [
    (CertificateAuthority.Certificate.otherHost, HTTPFailure(.certificateHost, .certificateOfOtherHost)),
    (.expired, HTTPFailure(.certificateTime, .certificateExpired)),
    (.selfSigned, HTTPFailure(.certificate, .selfSigned)),
  ])
  func `another certificate is refused, and nothing is sent`(
    certificate: CertificateAuthority.Certificate, failure: HTTPFailure
  ) throws {
    let server = try TLSServer(certificate)
    #expect(throws: failure) { try client().send(post(server.url, transport: trusting(server))) }
  }

  // RFC 9325 section 3.1.1.
  @Test func `TLS 1_1 is refused`() throws {
    let server = try TLSServer(options: ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"])
    #expect(throws: HTTPFailure(.tls)) { try client().send(get(server.url, transport: trusting(server))) }
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"]) func `TLS 1_2 and 1_3 are accepted`(version: String) throws {
    let server = try TLSServer(options: [version])
    #expect(try client().send(get(server.url, transport: trusting(server))).status == 200)
  }

  @Test func `a pinned key is accepted, alone or among others`() throws {
    let server = try TLSServer()
    let pin = try server.authority.pin(of: .good)
    let other = try server.authority.pin(of: .otherHost)
    #expect(try client().send(get(server.url, transport: trusting(server, pins: [pin]))).status == 200)
    #expect(try client().send(get(server.url, transport: trusting(server, pins: [other, pin]))).status == 200)
  }

  @Test func `another key than the pinned one is refused`() throws {
    let server = try TLSServer()
    let other = try server.authority.pin(of: .otherHost)
    let request = try post(server.url, transport: trusting(server, pins: [other]))
    #expect(throws: HTTPFailure(.pin)) { try client().send(request) }
  }

  // A pin is required in addition to a trusted certificate, not instead of it.
  @Test func `a pinned key does not make a certificate trusted`() throws {
    let server = try TLSServer(.selfSigned)
    let pin = try server.authority.pin(of: .selfSigned)
    #expect(throws: HTTPFailure(.certificate, .selfSigned)) {
      try client().send(get(server.url, transport: trusting(server, pins: [pin])))
    }
  }

  @Test func `an authority that is no certificate is refused`() throws {
    var transport = Transport()
    transport.certificateAuthorities = try CertificateAuthorities(pem: Array("no certificate".utf8))
    let server = try TLSServer()
    #expect(throws: HTTPFailure(.setup)) { try client().send(get(server.url, transport: transport)) }
  }

  @Test func `a server without TLS is a failure of TLS`() throws {
    let server = try LoopbackServer { try $0.write("HTTP/1.1 400 Bad Request\r\n\r\n") }
    var failure = HTTPFailure(.tls)
    failure.problem = .notTLS
    #expect(throws: failure) { try client().send(get("https://127.0.0.1:\(server.port)/")) }
  }
}
