import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `A request to a resource` {
  // OpenID Connect Core section 5.3.
  @Test func `reads UserInfo without being told that it may`() throws {
    try Session.with { session in
      let result = try session.tree.agent("request", session.issuer.url + "/userinfo")
      #expect(result.succeeded, "\(result.errorText)")
      #expect(try JSON(parsing: result.output)["sub"]?.string == "user-alice")
      #expect(result.errorText.isEmpty)
    }
  }

  @Test func `carries the token, and the caller's headers and body`() throws {
    try Resource.answering({ _ in (200, [], "hello") }) { resource in
      let token = try resource.tree.token()
      let result = try resource.request("PUT", "-H", "X-A: b", "--header=Accept: text/plain", "--data", "x=1")
      #expect(result.succeeded && result.outputText == "hello", "\(result.errorText)")
      let sent = try #require(resource.server.requests.first)
      #expect(sent.line == "PUT /x HTTP/1.1")
      #expect(sent.values("Authorization") == ["Bearer \(token)"])
      #expect(sent.values("X-A") == ["b"])
      #expect(sent.values("Accept") == ["text/plain"])
      #expect(sent.body == "x=1")
    }
  }

  @Test func `takes its body from an argument, a file or a pipe`() throws {
    try Resource.answering({ (200, [], $0.body) }) { resource in
      let text = String(repeating: "0123456789", count: 10_000)
      try resource.tree.directory.write("home/body", text)
      #expect(try resource.request("--data", "é=1").outputText == "é=1")
      #expect(try resource.request("--data", "@" + resource.tree.path("home/body")).outputText == text)
      #expect(try resource.request("--data", "@-", input: text).outputText == text)
      #expect(try resource.request("--data", "@-").outputText == "")
      #expect(try resource.request("--data", "a=1", "-d", "b=2").outputText == "a=1&b=2")
      #expect(resource.server.requests.allSatisfy { $0.line.hasPrefix("POST ") })
      // A file on standard input is read from its current offset.
      let script = "{ head -c 99995 >/dev/null; agent request --data @- \(resource.server.url()); } < body"
      #expect(try resource.tree.shell("sh", script).outputText == "56789")
    }
  }

  @Test func `is given up when its data do not come in time`() throws {
    try Resource.answering({ (200, [], $0.body) }) { resource in
      let script = "mkfifo data; agent request --data @- \(resource.server.url()) --timeout 1s <> data"
      let result = try resource.tree.shell("sh", script)
      #expect(result.failed(4) && result.errorText == "agent: error: no data to send arrived for 1 s\n")
      #expect(resource.server.requests.isEmpty)
    }
  }

  @Test(
    arguments: [
      (200, 0, nil), (204, 0, nil), (302, 0, nil), (400, 1, "server_rejected"), (404, 1, "server_rejected"),
      (403, 6, "access_denied"), (408, 4, "server_unavailable"), (429, 4, "server_unavailable"),
      (500, 4, "server_unavailable"), (503, 4, "server_unavailable"),
    ] as [(Int, Int32, String?)])
  func `prints any answer and tells by its exit status what it was`(status: Int, exit: Int32, code: String?) throws {
    let seconds = status == 503 ? 1 : 7
    try Resource.answering({ _ in (status, ["Retry-After: \(seconds)"], status == 204 ? "" : "answer") }) { resource in
      let plain = try resource.request()
      #expect(plain.status == .exited(exit), "\(plain.errorText)")
      #expect(plain.outputText == (status == 204 ? "" : "answer"))
      #expect(plain.errorText.contains("answered with status \(status)") == (code != nil))
      #expect(plain.errorText.hasSuffix("try again in \(seconds) s\n") == (exit == 4))
      let json = try resource.request("--json", "--output", resource.tree.path("home/out"))
      #expect(json.status == .exited(exit))
      #expect(json.failureCode == code)
      let object = try JSON(parsing: json.output)
      #expect(object["status"]?.int == status && object["account"] == "work")
      #expect(object["body_bytes"]?.int == plain.output.count)
      #expect(object["headers"]?.array?.contains(["Retry-After", .string(String(seconds))]) == true)
    }
  }

  /// All C1 controls, line and paragraph separators, and characters that change the direction of text.
  private static let unseen: [String] =
    ((0x80...0x9F) + [0x61C, 0x200E, 0x200F, 0x2028, 0x2029] + (0x202A...0x202E) + (0x2066...0x2069)).map {
      UnicodeScalar($0).map { String($0) } ?? ""
    }

  @Test func `prints the head where that is asked for, without what could act on a terminal`() throws {
    let server: @Sendable (Conversation) throws -> Void = { conversation in
      _ = try conversation.readRequest()
      try conversation.write(
        "HTTP/1.1 200 OK\r\nX-A: a\u{1B}[31mb\r\nX-B: \(Self.unseen.joined(separator: "z"))\r\nSet-Cookie: c=d\r\nSet-Cookie: e=f\r\nContent-Length: 2\r\n\r\nok"
      )
    }
    try Resource.with(serve: server) { resource in
      let result = try resource.request("--include")
      #expect(
        result.outputText
          == "HTTP 200\r\nX-A: a [31mb\r\nX-B: \(Self.unseen.map { _ in " " }.joined(separator: "z"))\r\n"
          + "Set-Cookie: c=d\r\nSet-Cookie: e=f\r\nContent-Length: 2\r\n\r\nok")
      let head = try resource.request("HEAD", "-i", "-o", resource.tree.path("home/head"))
      #expect(head.succeeded && head.output.isEmpty, "\(head.errorText)")
      #expect(try resource.tree.directory.read("home/head").starts(with: "HTTP 200\r\n".utf8))
    }
  }

  @Test func `leaves a file alone until there is an answer`() throws {
    let stall: @Sendable (Conversation) throws -> Void = { conversation in
      _ = try conversation.readRequest()
      try conversation.waitForEnd()
    }
    try Resource.with(serve: stall) { resource in
      try resource.tree.directory.write("home/out", "before")
      let result = try resource.request("--timeout", "1s", "--output", resource.tree.path("home/out"), "--quiet")
      #expect(result.failed(4), "\(result.errorText)")
      #expect(try resource.tree.directory.read("home/out") == Array("before".utf8))
    }
  }

  @Test func `says what is wrong before anything is sent`() throws {
    try Resource.answering({ _ in (200, [], "") }) { resource in
      let url = resource.server.url()
      for arguments in [
        ["CONNECT", url], ["TRACE", url], ["G T", url], ["http://example.com/"], ["ftp://example.com/"],
        ["example.com"],
        [url, "-H", "Authorization: Bearer x"], [url, "-H", "Host: evil.example"],
        [url, "-H", "Proxy-Authorization: x"],
        [url, "-H", "X: a\r\nAuthorization: Bearer x"], [url, "-H", "X: a\nb"], [url, "-H", "no colon"],
        [url, "-H", "Transfer-Encoding: chunked"], ["HEAD", url, "--data", "x"], [url + "a b"], [url, "--json"],
        [url, "--data", "@/nowhere/at/all"],
      ] {
        let result = try resource.tree.agent(["request"] + arguments)
        #expect(result.failed(2), "\(arguments): \(result.errorText)")
      }
      #expect(resource.server.connections == 0)
    }
  }

  @Test func `works with a daemon of its own`() throws {
    try Resource.answering({ _ in (200, [], "hello") }) { resource in
      try resource.tree.stopDaemon()
      #expect(try resource.request("--no-daemon").outputText == "hello")
      #expect(try resource.tree.daemons().isEmpty)
    }
  }

  @Test func `tells no token to those who watch`() throws {
    try Resource.answering({ _ in (200, [], "hello") }) { resource in
      let token = try resource.tree.token()
      let result = try resource.request("--verbose", path: "/x?secret=query")
      #expect(result.succeeded && result.errorText.contains("resource: GET \(resource.server.url(""))"))
      #expect(!result.errorText.contains(token) && !result.errorText.contains("secret=query"), "\(result.errorText)")
      #expect(try resource.tree.files(containing: [token]) == [])
    }
  }

  @Test func `of many at once shares one refresh`() throws {
    try Session.with("--access-token-lifetime", "1") { session in
      try session.waitUntilExpired()
      try session.issuer.control("access_token_lifetime", "3600")
      let before = try session.issuer.count("refreshes")
      let running = try (0..<20).map { _ in try session.tree.start(["request", session.issuer.url + "/resource"]) }
      for process in running { #expect(try process.wait() == .exited(0), "\(process.errorText)") }
      #expect(try session.issuer.count("refreshes") == before + 1)
    }
  }
}
