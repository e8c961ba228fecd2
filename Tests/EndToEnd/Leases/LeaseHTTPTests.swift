import Platform
import TestSupport
import Testing

/// For programs that know HTTP and a token, but not leases.
@Suite(.needsPrograms) struct `A lease by HTTP` {
  /// Returns what it received, keeps connections, and accepts bodies of any form.
  private static let server = #"""
    import http.server, sys
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def content(self):
            if self.headers.get("Transfer-Encoding") != "chunked": return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            parts = []
            while size := int(self.rfile.readline(), 16): parts.append(self.rfile.read(size)); self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        def answer(self):
            content = self.content()
            print(self.command, self.path, flush=True)
            if not (self.headers.get("Authorization") or "").startswith("Bearer "): return self.say(b"no token", 500)
            if self.path == "/v1/moved": return self.say(b"", 302, ("Location", f"http://127.0.0.1:{self.server.server_port}/v1/there"))
            if self.path == "/v1/big": return self.say(b"0123456789abcdef" * 500_000)
            if self.path == "/v1/broken":
                self.close_connection = True
                self.send_response(200); self.send_header("Content-Length", "99000000"); self.end_headers()
                return self.wfile.write(b"0123456789abcdef" * 100_000)
            if self.path == "/v1/events":
                self.send_response(200); self.send_header("Content-Type", "text/event-stream")
                self.send_header("Transfer-Encoding", "chunked"); self.end_headers()
                self.wfile.write(b"9\r\ndata: 1\n\n\r\n"); self.wfile.flush()
                # The rest comes when the client has asked for it.
                while not released: pass
                return self.wfile.write(b"9\r\ndata: 2\n\n\r\n0\r\n\r\n")
            if self.path == "/v1/release": released.append(1)
            self.say(f"{self.command} {self.path} {len(content)} {content[:40].decode()}".encode())
        do_GET = do_POST = do_PUT = do_HEAD = answer
        def say(self, text, status=200, *fields):
            self.send_response(status)
            for field in (*fields, ("Content-Length", str(len(text)))): self.send_header(*field)
            self.end_headers()
            if self.command != "HEAD": self.wfile.write(text)
        def log_message(self, *words): pass
    released = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
    """#

  private struct Place {
    let session: Session
    let server: RunningProcess
    let origin: String

    var tree: AgentTree { session.tree }

    /// Runs a script with a lease of the path /v1.
    func lent(_ script: String, _ options: String..., environment: [String: String?] = [:]) throws -> ProcessResult {
      let lease = ["--only", origin + "/v1", "--url-as", "API", "--token-as", "KEY"] + options
      return try tree.agent(["exec", "--lease"] + lease + ["work", "--", "sh", "-c", script], environment)
    }

    /// The requests that the server has received, before one for /v1/last that this sends.
    func requests() throws -> [String] {
      try #require(lent("curl -sS -H \"Authorization: Bearer $KEY\" $API/last").succeeded)
      var lines: [String] = []
      while lines.last != "GET /v1/last" { lines.append(try server.readLine()) }
      return lines.dropLast()
    }
  }

  private static func with(_ body: (Place) throws -> Void) throws {
    let server = try RunningProcess(executable: "/usr/bin/python3", arguments: ["-c", server])
    let origin = "http://127.0.0.1:\(try server.readLine())"
    try Session.with { session in
      try #require(session.tree.agent("account", "set", "work", "--host", origin).succeeded)
      try body(Place(session: session, server: server, origin: origin))
    }
  }

  private static let curl = #"curl -sS -H "Authorization: Bearer $KEY""#

  @Test func `answers curl as the server would, with bodies of each form`() throws {
    try Self.with { place in
      let script = """
        \(Self.curl) $API/x?a=b; echo
        \(Self.curl) --data hello $API/x; echo
        \(Self.curl) -H 'Transfer-Encoding: chunked' --data hello $API/x; echo
        \(Self.curl) -H 'Expect: 100-continue' -T - $API/x <<.
        put
        .
        echo
        \(Self.curl) -I $API/x | tr -d '\\r' | grep -iE '^(HTTP|content-length)'
        curl -sS -u me:$KEY $API/basic; echo
        curl -sS -H "X-Api-Key: $KEY" $API/key; echo
        \(Self.curl) -v $API/1 $API/2 2>&1 | grep -c -i 're-using existing connection'
        \(Self.curl) -o /dev/null -w '%header{location}' $API/moved | sed "s|$API|API|"
        """
      let result = try place.lent(script)
      #expect(
        result.outputText.split(separator: "\n") == [
          "GET /v1/x?a=b 0 ", "POST /v1/x 5 hello", "POST /v1/x 5 hello", "PUT /v1/x 4 put", "HTTP/1.1 200 OK",
          "Content-Length: 13", "GET /v1/basic 0 ", "GET /v1/key 0 ", "1", "API/there",
        ], "\(result.outputText) \(result.errorText)")
    }
  }

  @Test func `passes large bodies both ways, up to a break, and each event when it comes`() throws {
    try Self.with { place in
      let script = """
        head -c 8000000 /dev/zero | \(Self.curl) -T - $API/up | cut -d' ' -f3
        \(Self.curl) $API/big | wc -c
        { \(Self.curl) $API/broken 2>/dev/null || echo $? >&2; } | wc -c
        \(Self.curl) -N $API/events | { read -r first; \(Self.curl) -o /dev/null $API/release; echo "$first"; cat; } | tr -d '\\n'
        """
      let result = try place.lent(script)
      #expect(
        result.outputText == "8000000\n8000000\n1600000\ndata: 1data: 2" && result.errorText == "18\n",
        "\(result.outputText) \(result.errorText)")
    }
  }

  @Test func `sends nothing without its token, and no token that is the account's`() throws {
    try Self.with { place in
      let status = "curl -sS -o /dev/null -w '%{http_code} '"
      let script = """
        \(status) $API/x; \(status) -H 'Authorization: Bearer wrong' $API/x; \(status) -u $KEY:me $API/x
        \(status) -H "Authorization: Bearer $KEY" -H "X-Api-Key: $KEY" $API/x; \(status) "$API/x?access_token=$KEY"
        env
        """
      let result = try place.lent(script, environment: ["KEY": "an earlier one"])
      #expect(result.outputText.hasPrefix("401 401 401 401 401 "), "\(result.outputText)")
      #expect(try !result.outputText.contains(place.tree.token()) && !result.outputText.contains("an earlier one"))
      #expect(try place.requests() == [])
    }
  }

  @Test func `permits what the lease permits, and says why not`() throws {
    try Self.with { place in
      let status = Self.curl + " -o /dev/null -w '%{http_code} '"
      let script = """
        \(status) --path-as-is ${API%/v1}/secret; \(status) --path-as-is $API/../secret; \(status) --path-as-is $API/%2e%2e/secret
        \(status) -X PUT $API/x; \(status) -H 'Upgrade: websocket' -H 'Connection: Upgrade' $API/x
        \(status) -H 'X-HTTP-Method-Override: DELETE' $API/x
        \(Self.curl) -X PUT $API/x
        """
      let result = try place.lent(script, "--method", "GET")
      #expect(result.outputText.hasPrefix("403 403 403 403 501 403 "), "\(result.outputText)")
      #expect(result.outputText.contains(#""code":"not_permitted""#), "\(result.outputText)")
      #expect(try place.requests() == [])
    }
  }

  // RFC 9112 sections 6.1 and 11.2.
  @Test func `sends on no part of a request that could be two`() throws {
    try Self.with { place in
      let script = #"""
        python3 -c '
        import os, socket, urllib.parse
        place = urllib.parse.urlsplit(os.environ["API"])
        def answer(text):
            near = socket.create_connection((place.hostname, place.port))
            near.sendall(text.replace("\n", "\r\n").replace("KEY", os.environ["KEY"]).encode())
            near.shutdown(socket.SHUT_WR)
            data = b""
            while part := near.recv(65536): data += part
            return data.split(b"\r\n")[0].decode()
        start = "POST /v1/x HTTP/1.1\nHost: a\nAuthorization: Bearer KEY\n"
        hidden = "GET /v1/hidden HTTP/1.1\nHost: a\nAuthorization: Bearer KEY\n\n"
        for text in (start + "Content-Length: 4\nTransfer-Encoding: chunked\n\n0\n\n" + hidden,
                     start + "Content-Length: 4\nContent-Length: 5\n\nabcd" + hidden,
                     start + "Transfer-Encoding: chunked\n\n0;a\n\n" + hidden,
                     start + "Transfer-Encoding: xchunked\n\n0\n\n" + hidden, start + " folded\n\n" + hidden,
                     start.replace("/v1", "http://127.0.0.1/v1") + "\n", start.replace("1.1", "1.0") + "\n"):
            print(answer(text))
        '
        """#
      let result = try place.lent(script)
      let lines = result.outputText.split(separator: "\n")
      #expect(lines.count == 7 && lines.allSatisfy { $0 == "HTTP/1.1 400 Bad Request" }, "\(lines) \(result.errorText)")
      #expect(try !place.requests().contains { $0.contains("hidden") })
    }
  }

  @Test func `answers on after ten thousand random requests, and sends on none that it must not`() throws {
    try Self.with { place in
      let script = #"""
        python3 -c '
        import os, random, socket, urllib.parse
        random.seed(0x5EED)
        place, key = urllib.parse.urlsplit(os.environ["API"]), os.environ["KEY"]
        lines = ["GET /v1/x HTTP/1.1", "GET /secret HTTP/1.1", "PUT /v1/x HTTP/1.1", "GET /v1/../secret HTTP/1.1", "GET http://a/secret HTTP/1.1",
                 "Host: a", "Authorization: Bearer " + key, "Content-Length: 30", "Transfer-Encoding: chunked", "Connection: keep-alive",
                 "Content-Length: 0", " folded", "X-Original-URL: /secret", "Expect: 100-continue", "X: " + "y" * 70000, "5", "0", "hello", "",
                 "\0", "Cookie: a=b", "Upgrade: websocket", "PRI * HTTP/2.0"]
        ends = ["\r\n"] * 8 + ["\n", "\r", "", "\r\n\r\n"]
        near, sent = None, 0
        while sent < 10000:
            try:
                if near is None:
                    near = socket.create_connection((place.hostname, place.port), timeout=0.002)
                start = random.choice(["", "GET /v1/x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + key + "\r\n"])
                text = start + "".join(random.choice(lines) + random.choice(ends) for _ in range(random.randrange(9))) + "\r\n"
                sent += 1
                near.sendall(text.encode())
                if not near.recv(65536): near = None
            except TimeoutError: near = None if random.randrange(4) == 0 else near
            except OSError: near = None
        '
        """#
      let result = try place.lent(script, "--method", "GET")
      #expect(result.succeeded, "\(result.errorText)")
      let requests = try place.requests()
      #expect(requests.allSatisfy { $0 == "GET /v1/x" } && !requests.isEmpty, "\(Set(requests))")
    }
  }

  @Test func `tells a program beyond its limit of connections that they are too many`() throws {
    try Self.with { place in
      let script = #"""
        python3 -c '
        import os, socket, urllib.parse
        place = urllib.parse.urlsplit(os.environ["API"])
        many = [socket.create_connection((place.hostname, place.port)) for _ in range(33)]
        print(many[32].recv(1000).decode().split(chr(13))[0], many[32].recv(1000))
        many[0].sendall(b"GET /v1/x HTTP/1.1\r\nHost: a\r\n\r\n")
        print(many[0].recv(1000).decode().split(chr(13))[0])
        '
        """#
      let result = try place.lent(script)
      #expect(
        result.outputText == "HTTP/1.1 429 Too Many Requests b''\nHTTP/1.1 401 Unauthorized\n",
        "\(result.outputText) \(result.errorText)")
    }
  }

  @Test func `says that the daemon is not there while none runs`() throws {
    try Self.with { place in
      let agent = try Programs.path("agent")
      let status = Self.curl + " -o /dev/null -w '%{http_code} '"
      let script = """
        \(status) $API/x; \(Self.curl) $API/x | cut -c1-17
        AGENT_SOCKET='\(place.tree.socketPath)' '\(agent)' daemon stop >/dev/null 2>&1
        \(status) $API/x
        """
      let result = try place.lent(script)
      #expect(result.outputText == "200 GET /v1/x 0 \n502 ", "\(result.outputText) \(result.errorText)")
    }
  }

  // MARK: Programs

  @Test func `lets git clone with its token as a password`() throws {
    try Session.with { session in
      let tree = session.tree
      let served = tree.path("served")
      let made = try ProcessRunner.shell(
        """
        mkdir -p '\(served)/v1' && cd '\(served)' && git init -q work && cd work && echo text > file && git add file &&
        git -c user.name=a -c user.email=a@b commit -q -m first && git clone -q --bare . ../v1/repo.git &&
        git -C ../v1/repo.git update-server-info
        """)
      try #require(made.succeeded, "\(made.errorText)")
      let files = """
        import http.server, os
        os.chdir("\(served)")
        class Handler(http.server.SimpleHTTPRequestHandler):
            def do_GET(self):
                if (self.headers.get("Authorization") or "").startswith("Bearer "): super().do_GET()
                else: self.send_error(403)
            def log_message(self, *words): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """
      let server = try RunningProcess(executable: "/usr/bin/python3", arguments: ["-c", files])
      let origin = "http://127.0.0.1:\(try server.readLine())"
      try #require(tree.agent("account", "set", "work", "--host", origin).succeeded)
      let script = """
        git -c credential.helper= -c "url.http://me:$KEY@${API#http://}.insteadOf=lent:" clone -q lent:/repo.git clone &&
        cat clone/file
        """
      let result = try tree.agent(
        [
          "exec", "--lease", "--only", origin + "/v1", "--method", "GET", "--url-as", "API", "--token-as", "KEY",
          "work",
          "--", "sh", "-c", "cd '\(tree.path("home"))' && \(script)",
        ])
      #expect(result.outputText == "text\n", "\(result.errorText)")
    }
  }

  @Test(.enabled(if: Recipes.hasBubblewrap, "bubblewrap is not installed; \"make deps-check\" installs it"))
  func `is all that a program in bubblewrap without a network reaches`() throws {
    try Self.with { place in
      let agent = try Programs.path("agent")
      let script = """
        exec bwrap --unshare-net --unshare-pid --unshare-ipc --ro-bind / / --proc /proc --dev /dev --tmpfs /run \
          --tmpfs '\(place.tree.directory.path)' --ro-bind '\(agent)' /run/agent \
          --bind "${AGENT_SOCKET%/*}" /run/lease --setenv AGENT_SOCKET /run/lease/agent.sock \
          /run/agent lease-port -- sh -c '\(Self.curl) $API/x; echo; curl -sS -m 5 \(place.origin)/v1/x >/dev/null 2>&1 || echo no other way; env'
        """
      let result = try place.lent(script)
      #expect(
        result.outputText.hasPrefix("GET /v1/x 0 \nno other way\n"), "\(result.outputText) \(result.errorText)")
      #expect(try !result.outputText.contains(place.tree.token()))
      #expect(try place.requests() == ["GET /v1/x"])
    }
  }

  @Test(
    .needsForeignMemory,
    .enabled(if: Recipes.hasBubblewrap, "bubblewrap is not installed; \"make deps-check\" installs it"))
  func `leaves no byte of the account's token in the memory of its process and its peers`() throws {
    try Self.with { place in
      let tree = place.tree
      let peer = """
        import os, sys, urllib.request as web
        web.install_opener(web.build_opener(web.ProxyHandler({})))
        key = os.environ["KEY"]
        answer = web.urlopen(web.Request(os.environ["API"] + "/x", headers={"Authorization": "Bearer " + key}))
        print(answer.status, os.getpid(), os.getppid(), key, flush=True)
        sys.stdin.read()
        """
      let script = """
        exec bwrap --unshare-net --unshare-ipc --ro-bind / / --dev /dev --tmpfs /run \
          --tmpfs '\(tree.directory.path)' --ro-bind '\(try Programs.path("agent"))' /run/agent \
          --bind "${AGENT_SOCKET%/*}" /run/lease --setenv AGENT_SOCKET /run/lease/agent.sock \
          /run/agent lease-port -- python3 -c '\(peer)'
        """
      let lease = ["--only", place.origin + "/v1", "--url-as", "API", "--token-as", "KEY"]
      let owner = try tree.start(["exec", "--lease"] + lease + ["work", "--", "sh", "-c", script])
      let answer = try owner.readLine().split(separator: " ")
      try #require(answer.count == 4 && answer[0] == "200", "\(answer) \(owner.errorText)")
      let server = try ProcessRunner.shell("pgrep -P \(owner.processID) -x agent-lease").outputText
      let processes = [answer[1], answer[2], server.split(separator: "\n")[0]].compactMap { Int32($0) }
      try #require(processes.count == 3, "\(answer) \(server)")
      let token = try tree.token()
      for process in processes + [owner.processID] {
        let memory = ProcessMemory(of: process)
        let places = try memory.places(of: [("access token", token), ("lease's token", String(answer[3]))])
        // The search finds existing secrets.
        #expect(places.contains { $0.secret.hasPrefix("lease") }, "\(process)")
        #expect(!places.contains { $0.secret.hasPrefix("access") }, "\(process): \(places)")
        #expect(ProcessFiles.text("environ", of: process)?.contains(token) == false)
      }
      try owner.terminate()
      #expect(!owner.errorText.contains(token))
    }
  }

  @Test func `is opened for places by options that belong together`() throws {
    try Session.with { session in
      let tree = session.tree
      try #require(tree.agent("account", "set", "work", "--host", "https://api.example").succeeded)
      let only = ["--only", "https://api.example/v1"]
      for (words, hint) in [
        (only + ["--url-as", "API"], "--token-as"), (["--url-as", "API", "--token-as", "KEY"], "--only"),
        (only + ["--token-as", "KEY"], "--url-as"), (only + ["--url-as", "PATH", "--token-as", "KEY"], "PATH"),
        (only + ["--url-as", "A", "--url-as", "B", "--token-as", "KEY"], "--only"),
      ] {
        let result = try tree.agent(["exec", "--lease"] + words + ["work", "--", "true"])
        #expect(result.failed(2) && result.errorText.contains(hint), "\(words) \(result.errorText)")
      }
      #expect(try tree.agent("exec", "--url-as", "API", "work", "--", "true").failed(2))
      #expect(try tree.agent("lease-port", "--", "true").failed(2))
    }
  }
}
