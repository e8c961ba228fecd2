import OAuth
import Platform
import TestSupport
import Testing

/// A TLS server that responds with the text that a request's path encodes in hexadecimal, and ends the connection: with
/// `close_notify` below `/said/`, without it below `/silent/`.
final class EndingTLSServer: Sendable {
  let port: String
  let transport: Transport
  private let process: RunningProcess
  private let files: TemporaryDirectory

  init() throws {
    let authority = try CertificateAuthority.shared.get()
    files = try TemporaryDirectory()
    let options = try authority.write(.good, to: files)
    process = try RunningProcess(
      executable: "/usr/bin/env", arguments: ["python3", "-c", Self.script] + options.filter { !$0.hasPrefix("-") })
    port = try process.readLine()
    var transport = Transport()
    transport.certificateAuthorities = try CertificateAuthorities(pem: authority.pem)
    self.transport = transport
  }

  func url(_ answer: String, isSaid: Bool) -> String {
    let digits = answer.utf8.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    return "https://127.0.0.1:\(port)/\(isSaid ? "said" : "silent")/\(digits)"
  }

  private static let script = """
    import socket, ssl, sys, threading
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*sys.argv[1:3])
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)

    def serve(connection):
        connection = context.wrap_socket(connection, server_side=True)
        request = b""
        while b"\\r\\n\\r\\n" not in request: request += connection.recv(4096)
        _, how, answer = request.split()[1].decode().split("/")
        connection.sendall(bytes.fromhex(answer))
        # Python's library says nothing at the end by itself.
        (connection.unwrap() if how == "said" else connection).close()

    while True: threading.Thread(target=serve, args=[listener.accept()[0]], daemon=True).start()
    """
}
