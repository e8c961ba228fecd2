import Platform
import TestSupport
import Testing

/// Third-party servers parse requests in their own way.
@Suite(.needsPrograms) struct `A lease at a server` {
  // MARK: Unread bodies

  /// Stores notes and returns them to any client. Like handlers of `http.server` that do not request it, it does not
  /// read the body of a GET or of a request for /unread.
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
      // The owner's next request would be this body.
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

  // MARK: Header names

  /// Applies header fields that override the method or the path, as frameworks do.
  private static let application = #"""
    import wsgiref.simple_server
    class Handler(wsgiref.simple_server.WSGIRequestHandler):
        def log_message(self, *words): pass
    def application(environ, start_response):
        method = environ.get("HTTP_X_HTTP_METHOD_OVERRIDE") or environ["REQUEST_METHOD"]
        path = environ.get("HTTP_X_ORIGINAL_URL") or environ["PATH_INFO"]
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [f"{method} {path}".encode()]
    server = wsgiref.simple_server.make_server("127.0.0.1", 0, application, handler_class=Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
    """#

  // RFC 3875 section 4.1.18.
  @Test(arguments: ["X_HTTP_Method_Override: DELETE", "X-HTTP_Method-Override: DELETE", "X_Original_URL: /secret"])
  func `that reads underscores as hyphens does nothing else than the lease permits`(header: String) throws {
    let server = try PythonServer(Self.application)
    try Self.with(server.origin, "/notes", "--method", "GET") { peer in
      let plain = try peer.request(server.origin + "/notes/1")
      #expect(plain.outputText == "GET /notes/1", "\(plain.errorText)")
      let result = try peer.request("--header", header, server.origin + "/notes/1")
      #expect(result.failed(6), "\(result.outputText)")
      #expect(result.errorText.contains("the header X"), "\(result.errorText)")
    }
  }

  // MARK: Answers

  /// Returns the request's header fields, or only their names, and a cookie.
  private static let echo = #"""
    import base64, http.server, urllib.parse
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            text = "\n".join(f"{name}: {value}" for name, value in self.headers.items())
            if self.path == "/names": text = "\n".join(self.headers)
            if self.path == "/base64": text = base64.b64encode(b"x" + text.encode()).decode()
            if self.path == "/percent": text = "".join(f"%{byte:02x}" for byte in text.encode())
            self.send_response(200)
            self.send_header("Set-Cookie", "session=1")
            if self.path == "/head": self.send_header("X-Echo", self.headers["Authorization"])
            self.end_headers()
            self.wfile.write(b"before\n" + text.encode())
        def log_message(self, *words): pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
    """#

  @Test func `that repeats requests gives no token and no cookie back, and the owner is told`() throws {
    let server = try PythonServer(Self.echo)
    try Session.with { session in
      let tree = session.tree
      try #require(try tree.agent("account", "set", "work", "--host", server.origin).succeeded)
      let token = try tree.token()
      let lease = try tree.start(["serve", "work", "--only", server.origin, "--allow-header", "X-Mine"])
      let peer = Borrower(tree: tree, socket: try lease.readLine())
      for path in ["/", "/base64", "/percent", "/head"] {
        let result = try peer.request(server.origin + path)
        #expect(result.failed(1) && result.errorText.contains("sent the access token back"), "\(result.errorText)")
        #expect(!result.outputText.contains(token) && result.outputText.utf8.count < 200, "\(result.outputText)")
      }
      let names = try peer.request(
        "-i", "-H", "X-Mine: 1", "-H", "X-Other: 2", "-H", "Referer: x", "-H", "Accept-Encoding: gzip",
        server.origin + "/names")
      let text = names.outputText.lowercased()
      #expect(names.succeeded && text.contains("x-mine") && text.contains("accept-encoding"), "\(names.errorText)")
      #expect(!text.contains("x-other") && !text.contains("referer") && !text.contains("set-cookie"), "\(text)")
      #expect(try tree.agent("events", "--lease").outputText.contains("headers left out: 2"))
      _ = try lease.terminate()
      #expect(lease.errorText.contains("sent the access token back to a program"), "\(lease.errorText)")
      let own = try tree.agent("request", server.origin + "/")
      #expect(own.succeeded && own.outputText.contains(token))
    }
  }

  // MARK: nginx

  // RFC 4918 sections 9.8 and 9.9.
  @Test(.needs(client: "nginx"), arguments: ["COPY", "MOVE"])
  func `that is nginx with DAV writes to no place that the lease does not name`(method: String) throws {
    let configuration = "root files; dav_methods PUT DELETE MKCOL COPY MOVE; create_full_put_path on;"
    try Self.withNginx(configuration) { server, peer in
      let put = try peer.request("PUT", "--data", "a note", server.origin + "/notes/1")
      #expect(put.succeeded, "\(put.errorText)")
      let destination = "Destination: \(server.origin)/secret"
      let result = try peer.request(method, "--header", destination, server.origin + "/notes/1")
      #expect(result.failed(6), "\(result.outputText)")
      #expect(result.errorText.contains("names a second resource"), "\(result.errorText)")
      #expect(try peer.request(server.origin + "/notes/1").outputText == "a note")
      #expect(!server.has("secret"))
    }
  }

  // RFC 3986 sections 3.3 and 6.2.2. nginx decodes the semicolon, and Tomcat drops the text after it.
  @Test(.needs(client: "nginx"), .needs(client: "tomcat"))
  func `that is nginx before Tomcat answers for no path but that of the lease`() throws {
    let tomcat = try Tomcat()
    let configuration = "location /notes/ { proxy_pass \(tomcat.origin)/notes/; } location / { return 403; }"
    try Self.withNginx(configuration) { server, peer in
      #expect(try peer.request(server.origin + "/notes/1").outputText == "a note")
      for path in ["/notes/..%3b/secret", "/notes/..;/secret", "/notes/..%3Bx/secret"] {
        let result = try peer.request(server.origin + path)
        #expect(result.failed(6) && result.outputText.isEmpty, "\(path): \(result.outputText)")
        #expect(result.errorText.contains("servers may interpret the path differently"), "\(result.errorText)")
      }
    }
  }

  private struct Borrower {
    let tree: AgentTree
    let socket: String

    func request(_ arguments: String...) throws -> ProcessResult {
      try tree.agent(["request"] + arguments, ["AGENT_SOCKET": socket])
    }
  }

  private static func with(
    _ origin: String, _ path: String, _ options: String..., body: (Borrower) throws -> Void
  ) throws {
    try Session.with { session in
      let tree = session.tree
      try #require(try tree.agent("account", "set", "work", "--host", origin).succeeded)
      let lease = try tree.start(["serve", "work", "--only", origin + path] + options)
      try body(Borrower(tree: tree, socket: lease.readLine()))
      #expect(try lease.terminate() == .exited(0))
    }
  }

  private static func withNginx(_ configuration: String, body: (Nginx, Borrower) throws -> Void) throws {
    let server = try Nginx(configuration)
    defer { server.stop() }
    try with(server.origin, "/notes") { peer in try body(server, peer) }
  }
}

/// A server written in Python, which prints its port when it is reachable.
private struct PythonServer {
  let origin: String
  private let process: RunningProcess

  init(_ script: String) throws {
    process = try RunningProcess(executable: "/usr/bin/python3", arguments: ["-c", script])
    origin = "http://127.0.0.1:\(try process.readLine())"
  }
}

/// Tomcat with two files, /notes/1 and /secret.
private struct Tomcat {
  let origin: String
  private let directory: TemporaryDirectory
  private let process: RunningProcess

  private static let server = """
    <Server port="-1"><Service name="Catalina"><Connector address="127.0.0.1" port="0"/>
    <Engine name="Catalina" defaultHost="localhost"><Host name="localhost" appBase="webapps" autoDeploy="false"/></Engine>
    </Service></Server>
    """
  private static let application = """
    <web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0" metadata-complete="true">
    <servlet><servlet-name>default</servlet-name>
    <servlet-class>org.apache.catalina.servlets.DefaultServlet</servlet-class></servlet>
    <servlet-mapping><servlet-name>default</servlet-name><url-pattern>/</url-pattern></servlet-mapping></web-app>
    """

  init() throws {
    let program = try #require(ClientProgram.tomcat)
    directory = try TemporaryDirectory()
    try #require(
      ProcessRunner.shell("cd '\(directory.path)' && mkdir -p conf webapps/ROOT/WEB-INF webapps/ROOT/notes").succeeded)
    try directory.write("conf/server.xml", Self.server)
    try directory.write("webapps/ROOT/WEB-INF/web.xml", Self.application)
    try directory.write("webapps/ROOT/notes/1", "a note")
    try directory.write("webapps/ROOT/secret", "a secret")
    process = try RunningProcess(
      executable: "/bin/sh",
      arguments: [
        "-c",
        "exec \"$0\" -cp \"$1\" -Dcatalina.home=\"$2\" -Dcatalina.base=\"$2\" org.apache.catalina.startup.Tomcat --await 2>&1",
        program.java, program.archive, directory.path,
      ])
    // This line ends with Tomcat's port.
    while true {
      let line = try process.readLine()
      guard line.contains("Starting ProtocolHandler"), let end = line.split(separator: "-").last else { continue }
      origin = "http://127.0.0.1:\(end.prefix { $0.isNumber })"
      return
    }
  }
}

/// nginx with one server. Its own processes end with ``stop()``.
private struct Nginx {
  let origin: String
  private let directory: TemporaryDirectory
  private let process: RunningProcess

  /// - Parameter configuration: The content of its `server` block; paths are below its own directory.
  init(_ configuration: String) throws {
    directory = try TemporaryDirectory()
    // nginx uses an inherited socket like its own, so the port is free and connections wait until nginx accepts them.
    let listener = try UnixSocket.listenLoopback(port: 0)
    let port = try UnixSocket.localPort(listener)
    origin = "http://127.0.0.1:\(port)"
    let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \($0);" }
    try directory.write(
      "nginx.conf",
      """
      daemon off; pid pid; error_log stderr; worker_processes 1; \(Machine.userID == 0 ? "user root;" : "")
      events {}
      http { access_log off; \(folders.joined(separator: " ")) server { listen 127.0.0.1:\(port); \(configuration) } }
      """)
    process = try RunningProcess(
      executable: try #require(ClientProgram.nginx),
      arguments: ["-p", directory.path, "-c", directory.path("nginx.conf"), "-e", "stderr"],
      environment: ["NGINX=3;"], inherits: [(parent: listener.raw, child: 3)])
  }

  func stop() {
    let status = try? process.terminate()
    #expect(status == .exited(0), "\(process.errorText)")
  }

  func has(_ name: String) -> Bool { (try? directory.readText("files/" + name)) != nil }
}
