import Platform
import TestSupport
import Testing

/// A lease at servers of others, which read a request in their own way.
@Suite(.needsPrograms) struct `A lease at a server` {
  // MARK: Bodies that are not read

  /// Keeps notes and gives them to everybody. It reads the body of no GET, and of no request for /unread, as a handler of
  /// `http.server` does that does not ask for it.
  private static let notes = #"""
    import http.server
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version, notes = "HTTP/1.1", []
        def answer(self, text):
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)
        def do_GET(self): self.answer(b"\n".join(self.notes))
        do_DELETE = do_GET
        def do_POST(self):
            if self.path.startswith("/notes/"):
                self.notes.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.answer(b"kept")
        def log_message(self, *words): pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
    """#

  // RFC 9110 section 9.3.1, RFC 9112 section 9.3.
  @Test(arguments: ["GET", "DELETE", "POST"])
  func `that does not read bodies shows its peer no token of the owner, whatever the body`(method: String) throws {
    let server = try PythonServer(Self.notes)
    try Session.with { session in
      let tree = session.tree
      try tree.signIn("other", at: session.issuer.url)
      for account in ["work", "other"] {
        try #require(try tree.agent("account", "set", account, "--host", server.origin).succeeded)
      }
      let lease = try tree.start(["serve", "work", "--only", server.origin])
      let environment = ["AGENT_SOCKET": Optional(try lease.readLine())]
      // What the owner sends next would be its body.
      let body = "POST /notes/1 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 160\r\n\r\n"
      let sent = try tree.agent(
        ["request", method, "--data", "@-", server.origin + "/unread"], environment, input: body)
      #expect(sent.succeeded == (method == "POST"), "\(sent.errorText)")
      for account in ["other", "work"] {
        #expect(try tree.agent("request", "--account", account, server.origin + "/unread").succeeded)
      }
      let notes = try tree.agent(["request", server.origin + "/notes/"], environment)
      #expect(notes.succeeded && !notes.outputText.contains("uthorization"), "\(notes.outputText)")
    }
  }
}

/// A server that a script in Python is, which prints its port when it can be reached.
private struct PythonServer {
  let origin: String
  private let process: RunningProcess

  init(_ script: String) throws {
    process = try RunningProcess(executable: "/usr/bin/python3", arguments: ["-c", script])
    origin = "http://127.0.0.1:\(try process.readLine())"
  }
}
