import Platform
import TestSupport
import Testing

/// An authorization server with two doors: one for everybody, which tells where the other one is, and one for
/// clients that show a certificate of its authority (RFC 8705). Made of Python's own library.
final class MutualTLSServer: Sendable {
  let url: String
  /// The door for clients with a certificate.
  let privateURL: String
  private let process: RunningProcess

  /// Files in `tree`: `ca.pem`, `client.pem`, `client.key`, and `other.pem`, `other.key` by themselves.
  init(_ tree: AgentTree) throws {
    let authority = try CertificateAuthority(in: tree)
    try authority.certify("server", subject: "server", names: "IP:127.0.0.1")
    try authority.certify("client", subject: "client-7")
    try authority.makeSelfSigned("other", subject: "client-7")
    try tree.directory.write("server.py", Self.script)
    process = try RunningProcess(
      executable: "/usr/bin/env", arguments: ["python3", tree.path("server.py")], directory: tree.directory.path)
    let ports = try process.readLine().split(separator: " ")
    try #require(ports.count == 2)
    (url, privateURL) = ("https://127.0.0.1:\(ports[0])", "https://127.0.0.1:\(ports[1])")
  }

  /// The next request: at which door, and for what.
  func nextRequest() throws -> String { try process.readLine() }

  static let script = #"""
    import base64, hashlib, http.server, json, ssl, sys, threading
    from urllib.parse import parse_qs

    def context(wants_certificate):
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.load_cert_chain("server.pem", "server.key")
        if wants_certificate:
            made.verify_mode = ssl.CERT_REQUIRED
            made.load_verify_locations("ca.pem")
        return made

    class Door(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_): pass

        def answer(self, status, value):
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def tell(self, *words):
            print(self.server.name, self.command, self.path, *words, flush=True)

        def thumbprint(self):
            certificate = self.connection.getpeercert(binary_form=True)
            if not certificate: return None
            return base64.urlsafe_b64encode(hashlib.sha256(certificate).digest()).decode().rstrip("=")

        def do_GET(self):
            if self.path.startswith("/.well-known/"):
                self.tell()
                return self.answer(200, metadata)
            self.tell(self.headers.get("Authorization", "-"))
            self.answer(200, {"thumbprint": self.thumbprint()})

        def do_POST(self):
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.tell(*(form[name][0] for name in ("client_id", "grant_type") if name in form))
            if not self.thumbprint(): return self.answer(401, {"error": "invalid_client"})
            self.answer(200, {"access_token": "bound", "token_type": "Bearer", "expires_in": 300})

    def door(name, wants_certificate):
        made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Door)
        made.name = name
        made.socket = context(wants_certificate).wrap_socket(made.socket, server_side=True)
        threading.Thread(target=made.serve_forever, daemon=True).start()
        return made.server_address[1]

    front, back = door("front", False), door("back", True)
    metadata = {
        "issuer": f"https://127.0.0.1:{front}", "token_endpoint": f"https://127.0.0.1:{front}/token",
        "token_endpoint_auth_methods_supported": ["tls_client_auth"],
        "tls_client_certificate_bound_access_tokens": True,
        "mtls_endpoint_aliases": {"token_endpoint": f"https://127.0.0.1:{back}/token"},
    }
    print(front, back, flush=True)
    sys.stdin.read()
    """#
}
