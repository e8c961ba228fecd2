import Platform
import TestSupport
import Testing

/// An https authorization server, written in Python, for clients with a secret. The test changes its certificate and
/// how it ends connections. Its first refresh token is `refresh-0`.
final class HostileTLSServer: Sendable {
  enum Mode: String, Sendable, CaseIterable {
    case good
    /// The certificate for 127.0.0.1 expired yesterday.
    case expired
    case selfSigned
    case otherHost
    case plain
    /// Ends the connection within the content, without a closure alert (RFC 8446 section 6.1).
    case cut
    /// Like ``cut``, for content without a length (RFC 9112 section 9.8).
    case unmeasured
    /// Sends the complete content without a length or a closure alert. Accepted, because JSON shows by itself that it
    /// is complete.
    case unclosed
    /// Like ``unclosed``, with a correct closure alert (RFC 8446 section 6.1).
    case closed

    var takesRequests: Bool {
      switch self {
      case .good, .cut, .unmeasured, .unclosed, .closed: true
      case .expired, .selfSigned, .otherHost, .plain: false
      }
    }
  }

  let url: String
  private let process: RunningProcess

  /// Writes `ca.pem` to `tree`.
  init(_ tree: AgentTree) throws {
    let authority = try CertificateAuthority(in: tree)
    try authority.certify("good", subject: "server", names: "IP:127.0.0.1")
    try authority.certify("expired", subject: "server", names: "IP:127.0.0.1", days: -1)
    try authority.certify("otherHost", subject: "server", names: "DNS:other.example,IP:127.0.0.2")
    try authority.makeSelfSigned("selfSigned", subject: "server", names: "IP:127.0.0.1")
    try tree.directory.write("server.py", Self.script)
    process = try RunningProcess(
      executable: "/usr/bin/env", arguments: ["python3", tree.path("server.py")], directory: tree.directory.path)
    url = "https://127.0.0.1:\(try process.readLine())"
  }

  /// Suspends the server: connections are accepted, but handshakes are not answered.
  func standStill() throws { try process.signal(Signals.SIGSTOP) }

  /// Returns the number of requests so far.
  @discardableResult
  func behave(_ mode: Mode) throws -> Int {
    try process.send(mode.rawValue + "\n")
    return try #require(Int(try process.readLine()))
  }

  private static let script = #"""
    import http.server, json, ssl, sys, threading, urllib.parse

    def context(name):
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.load_cert_chain(name + ".pem", name + ".key")
        return made

    contexts = {name: context(name) for name in ("good", "expired", "selfSigned", "otherHost")}
    mode, requests = "good", 0
    # Refresh tokens rotate. The last one counts until its successor is used, since an answer may get lost.
    previous, current = None, "refresh-0"

    class Door(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_): pass

        def setup(self):
            self.mode = mode
            if mode != "plain":
                self.request = contexts.get(mode, contexts["good"]).wrap_socket(self.request, server_side=True)
            super().setup()

        def handle(self):
            if self.mode == "plain":
                self.request.recv(4096)
                return self.wfile.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            super().handle()

        # The library ends the connection without a word, which is allowed after a content of known length.
        def finish(self):
            super().finish()
            if self.mode == "closed": self.request.unwrap()
            self.request.close()

        def answer(self, value, status=200):
            global requests
            requests += 1
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            if self.mode not in ("unmeasured", "unclosed", "closed"): self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:len(body) // 2] if self.mode in ("cut", "unmeasured") else body)

        def do_GET(self):
            self.answer({"/jwks": keys, "/resource": {"data": "0123456789"}}.get(self.path, metadata))

        def do_POST(self):
            global previous, current
            form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            answer = {"access_token": f"token-{requests}", "token_type": "Bearer", "expires_in": 300}
            if "refresh_token" in form:
                sent = form["refresh_token"][0]
                if sent not in (previous, current): return self.answer({"error": "invalid_grant"}, 400)
                if sent == current: previous, current = current, f"refresh-{requests + 1}"
                answer["refresh_token"] = current
            self.answer(answer)

    class Server(http.server.ThreadingHTTPServer):
        def handle_error(self, *_): pass

    server = Server(("127.0.0.1", 0), Door)
    url = f"https://127.0.0.1:{server.server_address[1]}"
    # The example of RFC 8037 appendix A.2.
    keys = {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}
    metadata = {
        "issuer": url, "token_endpoint": url + "/token", "revocation_endpoint": url + "/revoke", "jwks_uri": url + "/jwks",
        "token_endpoint_auth_methods_supported": ["client_secret_basic"],
    }
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    for line in sys.stdin:
        mode = line.strip()
        print(requests, flush=True)
    """#
}
