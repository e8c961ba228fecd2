import Crypto
import HTTP
import OAuth
import Platform
import TestSupport
import Testing
import Vocabulary

/// Certificates whose key is in a device, which signs the handshake.
@Suite struct `A client certificate with its key in a device` {
  private let device: PlayedDevice
  private let certificate: ClientCertificate
  private let files: TemporaryDirectory

  init() throws {
    device = try PlayedDevice()
    certificate = try device.certificate()
    files = try TemporaryDirectory()
    try files.write("own", ClientCertificate.text(try Certificate(der: certificate.key.certificates[0])))
  }

  /// A server that requires this certificate.
  private func server(_ options: String...) throws -> TLSServer {
    try TLSServer(options: ["-CAfile", files.path("own"), "-Verify", "1", "-verify_return_error"] + options)
  }

  private func request(_ server: TLSServer, proxy: String? = nil) throws -> HTTPRequest {
    var transport = Transport()
    transport.certificateAuthorities = try CertificateAuthorities(pem: server.authority.pem)
    transport.clientCertificate = certificate
    transport.proxy = proxy.map { Transport.Proxy(url: $0, exclusions: "") }
    return try get(server.url, transport: transport)
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"]) func `is shown to the server, with a signature for each connection`(
    version: String
  ) throws {
    let (server, client) = (try server(version), client())
    let before = device.signatures
    for round in 1...3 {
      let response = try client.send(request(server))
      #expect(response.status == 200 && response.body.text.contains("Client certificate"))
      #expect(device.signatures == before + round)
      client.closeIdle(after: .zero)
    }
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"]) func `costs no signature where the server does not ask for it`(
    version: String
  ) throws {
    let server = try TLSServer(options: [version])
    let before = device.signatures
    #expect(try client().send(request(server)).status == 200)
    #expect(device.signatures == before)
  }

  @Test(
    arguments: [
      (.unreachable, .clientKeyUnavailable), (.foreignKey, .clientKeyForeign),
      (.secureHeapFull, .clientKeyUnavailable),
    ] as [(CryptoError.Code, HTTPFailure.Code)], ["-tls1_2", "-tls1_3"])
  func `tells that the device does not sign, and nothing is sent`(
    problem: (CryptoError.Code, HTTPFailure.Code), version: String
  ) throws {
    let (server, client) = (try server(version), client())
    device.problem = problem.0
    #expect(throws: HTTPFailure(problem.1)) { try client.send(request(server)) }
    // The next request contacts it again.
    device.problem = nil
    #expect(try client.send(request(server)).status == 200)
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"]) func `is told when the server takes no such signature`(
    version: String
  ) throws {
    let server = try server(version, "-client_sigalgs", "ECDSA+SHA384:RSA+SHA256:RSA-PSS+SHA256")
    let before = device.signatures
    #expect(throws: HTTPFailure(.tls, .clientKeyUnsuitable)) { try client().send(request(server)) }
    #expect(device.signatures == before)
  }

  @Test func `holds up nobody else while the device does not answer`() throws {
    let (server, other, client) = (try server(), try TLSServer(), client())
    device.mustWait = true
    defer { device.mustWait = false }
    let result = Monitor<Int?>(nil)
    try Threads.start(name: "test-request") {
      let response = try? client.send(try request(server))
      result.update { $0 = response?.status ?? 0 }
    }
    try #require(device.waitForWaiter())
    var transport = Transport()
    transport.certificateAuthorities = try CertificateAuthorities(pem: other.authority.pem)
    for _ in 0..<3 { #expect(try client.send(get(other.url, transport: transport)).status == 200) }
    #expect(result.withLock { $0 } == nil)
    device.mustWait = false
    #expect(result.wait(.testLimit) { $0 } == 200)
  }

  /// A proxy with TLS that also requests a certificate, and reports whether it got one.
  private static let proxy = #"""
    import socket, ssl, sys, threading
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("certificate", "key")
    context.verify_mode = ssl.CERT_OPTIONAL
    context.load_verify_locations("own")
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    def pass_on(source, target):
        while data := source.recv(65536): target.sendall(data)
    while True:
        client = context.wrap_socket(listener.accept()[0], server_side=True)
        head = b""
        while b"\r\n\r\n" not in head: head += client.recv(65536)
        print("shown" if client.getpeercert(binary_form=True) else "hidden", flush=True)
        host, port = head.split()[1].decode().split(":")
        far = socket.create_connection((host, int(port)))
        client.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
        threading.Thread(target=pass_on, args=(far, client), daemon=True).start()
        threading.Thread(target=pass_on, args=(client, far), daemon=True).start()
    """#

  @Test(.enabled(if: Spawn.search("python3") != nil)) func `is shown to the server and not to the proxy before it`()
    throws
  {
    let (server, client) = (try server(), client())
    _ = try server.authority.write(.good, to: files)
    try files.write("proxy.py", Self.proxy)
    let proxy = try RunningProcess(
      executable: "/usr/bin/env", arguments: ["python3", files.path("proxy.py")], directory: files.path)
    let url = "https://127.0.0.1:\(try proxy.readLine())"
    for _ in 0..<2 {
      let response = try client.send(request(server, proxy: url))
      #expect(response.body.text.contains("Client certificate"))
      #expect(try proxy.readLine() == "hidden")
      client.closeIdle(after: .zero)
    }
  }
}
