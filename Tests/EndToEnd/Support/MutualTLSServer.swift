import Platform
import TestSupport
import Testing

/// An authorization server, written in Python, with two ports: a public one, whose metadata names the other, and one
/// for clients with a certificate of its authority or a registered one (RFC 8705). It approves device codes
/// automatically, issues a new refresh token with each response, and binds tokens to the certificate.
final class MutualTLSServer: Sendable {
  let url: String
  /// The URL of the port for clients with a certificate.
  let privateURL: String
  private let process: RunningProcess

  /// Writes `ca.pem`, `client.pem`, `client.key`, and the self-signed `other.pem` and `other.key` to `tree`.
  ///
  /// - Parameter version: The only supported TLS version, such as `TLSv1_2`; nil for Python's default.
  init(_ tree: AgentTree, version: String? = nil) throws {
    let authority = try CertificateAuthority(in: tree)
    try authority.certify("server", subject: "server", names: "IP:127.0.0.1")
    try authority.certify("client", subject: "client-7")
    try authority.makeSelfSigned("other", subject: "client-7")
    try tree.directory.write("server.py", Self.script)
    process = try RunningProcess(
      executable: "/usr/bin/env", arguments: ["python3", tree.path("server.py"), version ?? ""],
      directory: tree.directory.path)
    let ports = try process.readLine().split(separator: " ")
    try #require(ports.count == 2)
    (url, privateURL) = ("https://127.0.0.1:\(ports[0])", "https://127.0.0.1:\(ports[1])")
  }

  /// The port and endpoint of the next request.
  func nextRequest() throws -> String { try process.readLine() }

  /// The requests since the last one that was read.
  func newRequests() throws -> [String] {
    let end = "/end"
    let asked = try ProcessRunner.shell("curl -sS --insecure '\(url)\(end)'")
    try #require(asked.succeeded, "\(asked.errorText)")
    var requests: [String] = []
    while true {
      let request = try nextRequest()
      if request.hasPrefix("front GET \(end)") { return requests }
      requests.append(request)
    }
  }

  static let script = #"""
    import base64, hashlib, http.server, json, ssl, sys, threading
    from urllib.parse import parse_qs

    # The thumbprint of each client's certificate, once it is known; of each token; and the clients of refresh tokens.
    clients, tokens, refresh_tokens = {}, {}, {}

    def thumbprint_of(certificate):
        return base64.urlsafe_b64encode(hashlib.sha256(certificate).digest()).decode().rstrip("=")

    def context(wants_certificate):
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if sys.argv[1]:
            made.minimum_version = made.maximum_version = ssl.TLSVersion[sys.argv[1]]
        made.load_cert_chain("server.pem", "server.key")
        # Each connection is a whole handshake.
        made.num_tickets = 0
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
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)

        def tell(self, *words):
            print(self.server.name, self.command, self.path, *words, flush=True)

        def thumbprint(self):
            certificate = self.connection.getpeercert(binary_form=True)
            if not certificate: return None
            return thumbprint_of(certificate)

        def do_GET(self):
            if self.path.startswith("/.well-known/"):
                self.tell()
                return self.answer(200, metadata)
            self.tell(*self.headers.get("Authorization", "-").split()[:1])
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            if self.thumbprint() and tokens.get(token) != self.thumbprint(): return self.answer(401, {})
            self.answer(200, {"thumbprint": self.thumbprint(), "version": self.connection.version()})

        def register(self, text):
            asked = json.loads(text)
            self.tell(asked["token_endpoint_auth_method"], asked.get("tls_client_certificate_bound_access_tokens"))
            key = asked["jwks"]["keys"][0]
            certificate = base64.b64decode(key["x5c"][0])
            # From now on the handshake takes it (section 2.2.2).
            back_context.load_verify_locations(cadata=certificate)
            name = f"registered-{len(clients)}"
            clients[name] = thumbprint_of(certificate)
            asked.update(client_id=name, registration_client_uri=f"{metadata['issuer']}/clients/{name}",
                         registration_access_token=f"registration-{name}")
            self.answer(201, asked)

        def do_DELETE(self):
            self.tell()
            clients.pop(self.path.rsplit("/", 1)[1], None)
            self.send_response(204)
            self.end_headers()

        def do_POST(self):
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            if self.path == "/register": return self.register(text)
            form = {name: values[0] for name, values in parse_qs(text).items()}
            self.tell(*(form[name] for name in ("client_id", "grant_type") if name in form))
            client, shown = form.get("client_id"), self.thumbprint()
            if not shown or clients.get(client, shown) != shown: return self.answer(401, {"error": "invalid_client"})
            if self.path == "/device":
                return self.answer(200, {"device_code": "d", "user_code": "U", "expires_in": 300, "interval": 1,
                                         "verification_uri": metadata["issuer"] + "/verify"})
            if self.path == "/revoke": return self.answer(200, {})
            if "refresh_token" in form and refresh_tokens.pop(form["refresh_token"], None) != (client, shown):
                return self.answer(400, {"error": "invalid_grant"})
            number = len(tokens)
            tokens[f"bound-{number}"] = shown
            answer = {"access_token": f"bound-{number}", "token_type": "Bearer", "expires_in": 300}
            if form["grant_type"] != "client_credentials":
                answer["refresh_token"] = f"refresh-{number}"
                refresh_tokens[answer["refresh_token"]] = (client, shown)
            self.answer(200, answer)

    back_context = context(True)

    def door(name, context):
        made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Door)
        made.name = name
        made.socket = context.wrap_socket(made.socket, server_side=True)
        threading.Thread(target=made.serve_forever, daemon=True).start()
        return made.server_address[1]

    front, back = door("front", context(False)), door("back", back_context)
    metadata = {
        "issuer": f"https://127.0.0.1:{front}", "token_endpoint": f"https://127.0.0.1:{front}/token",
        "token_endpoint_auth_methods_supported": ["tls_client_auth", "self_signed_tls_client_auth"],
        "tls_client_certificate_bound_access_tokens": True,
        "registration_endpoint": f"https://127.0.0.1:{front}/register",
        "device_authorization_endpoint": f"https://127.0.0.1:{front}/device",
        "revocation_endpoint": f"https://127.0.0.1:{front}/revoke",
        "mtls_endpoint_aliases": {
            name + "_endpoint": f"https://127.0.0.1:{back}/{path}"
            for name, path in (("token", "token"), ("device_authorization", "device"), ("revocation", "revoke"))},
    }
    print(front, back, flush=True)
    sys.stdin.read()
    """#
}
