import Encoding
import Platform
import TestSupport
import Testing

/// RFC 6750 section 3.1, RFC 9470.
@Suite(.needsPrograms) struct `A token that a resource refuses` {
  /// Rejects the first token, and accepts later ones.
  private static func refusingFirst(
    _ body: (Resource) throws -> Void
  ) throws {
    let first = Monitor<String?>(nil)
    try Resource.answering(
      { request in
        let token = request.values("Authorization").first
        let known = first.withLock { known in
          known = known ?? token
          return known
        }
        return token == known
          ? (401, [#"WWW-Authenticate: Bearer error="invalid_token""#], "refused") : (200, [], request.body)
      }, body: body)
  }

  @Test(arguments: ["argument", "file", "pipe"]) func `is renewed once and the request made again`(source: String)
    throws
  {
    try Self.refusingFirst { resource in
      try resource.tree.directory.write("home/body", "text")
      let data = ["argument": "text", "file": "@" + resource.tree.path("home/body"), "pipe": "@-"][source] ?? ""
      let result = try resource.request("--data", data, input: "text")
      #expect(result.succeeded && result.outputText == "text", "\(result.errorText)")
      #expect(resource.server.requests.map(\.body) == ["text", "text"])
      #expect(Set(resource.server.requests.map { $0.values("Authorization") }).count == 2)
      #expect(try resource.session.issuer.count("refreshes") == 1)
      #expect(try resource.request().succeeded)
      #expect(try resource.session.issuer.count("refreshes") == 1)
    }
  }

  @Test func `for good is told as that, with one refresh in all, and the session stays what it is`() throws {
    let refuses = Monitor(true)
    try Resource.answering({ _ in
      refuses.withLock { $0 } ? (401, ["WWW-Authenticate: Bearer"], "no") : (200, [], "yes")
    }) { resource in
      for round in 1...10 {
        let result = try resource.request("--json", "--output", resource.tree.path("home/out"))
        #expect(result.status == .exited(3))
        #expect(result.failureCode == "token_refused")
        #expect(try resource.tree.directory.read("home/out") == Array("no".utf8))
        #expect(result.errorText.contains("agent login work"))
        #expect(resource.server.requests.count == round + 1)
      }
      #expect(try resource.session.issuer.count("refreshes") == 1)
      #expect(try resource.tree.state() == "active")
      let told = try resource.tree.agent("events", "--json").outputText
      #expect(told.contains("signed_in") && !told.contains("signed_out"), "\(told)")
      // After a renewal for another reason, a new token is tried again.
      _ = try resource.tree.token("work", "--force-refresh")
      #expect(try resource.request().status == .exited(3))
      #expect(try resource.session.issuer.count("refreshes") == 3)
      refuses.withLock { $0 = false }
      #expect(try resource.request().succeeded)
    }
  }

  @Test func `by one origin and by another costs one refresh each`() throws {
    let second = try LoopbackServer { conversation in
      while try conversation.readRequest() != nil { try conversation.respond(401, headers: [], body: "no") }
    }
    try Resource.answering({ _ in (401, [], "no") }) { resource in
      try resource.tree.allow(second)
      for _ in 0..<5 {
        #expect(try resource.request().status == .exited(3))
        #expect(try resource.tree.agent("request", "--account", "work", second.url("/x")).status == .exited(3))
      }
      #expect(try resource.session.issuer.count("refreshes") == 2)
    }
  }

  @Test func `when the body cannot be sent again costs one refresh, and no other one`() throws {
    let serve: @Sendable (Conversation) throws -> Void = { conversation in
      var seen = 0
      while seen < 2 << 20 { seen += try #require(try conversation.readBytes()).count }
      try conversation.respond(401, headers: ["Connection: close"], body: "no")
      while try conversation.readBytes() != nil {}
    }
    try Resource.with(serve: serve) { resource in
      for _ in 0..<4 {
        let result = try resource.tree.shell(
          "sh", "head -c 3000000 /dev/zero | agent request PUT --data @- \(resource.server.url())")
        #expect(result.status == .exited(3))
      }
      #expect(try resource.session.issuer.count("refreshes") == 1)
    }
  }

  @Test func `is told of when the body cannot be sent again`() throws {
    let serve: @Sendable (Conversation) throws -> Void = { conversation in
      var seen = 0
      while seen < 2 << 20 { seen += try #require(try conversation.readBytes()).count }
      try conversation.respond(401, headers: ["Connection: close"], body: "no")
      // Closing the connection with unread bytes would reset it, and lose the response.
      while try conversation.readBytes() != nil {}
    }
    try Resource.with(serve: serve) { resource in
      let result = try resource.tree.shell(
        "sh", "head -c 3000000 /dev/zero | agent request PUT --data @- \(resource.server.url())")
      #expect(result.status == .exited(3))
      #expect(result.outputText == "no")
      #expect(result.errorText.contains("it gets a new token"), "\(result.errorText)")
      #expect(try resource.session.issuer.count("refreshes") == 0)
      _ = try resource.tree.token()
      #expect(try resource.session.issuer.count("refreshes") == 1)
    }
  }

  @Test(
    arguments: [
      (
        401, #"Bearer error="insufficient_user_authentication", acr_values="gold silver", max_age="5""#, 3,
        "agent login work --acr gold --max-age 5"
      ),
      (
        401, #"Bearer error="insufficient_user_authentication", acr_values="$(touch x)""#, 3,
        "agent login work --acr '$(touch'"
      ),
      (401, #"Bearer error="insufficient_user_authentication", acr_values="-x""#, 3, "agent login work --acr=-x"),
      (401, "Bearer error=\"insufficient_user_authentication\", acr_values=\"g\u{FC}ld\"", 3, "agent login work"),
      (
        403, #"Bearer error="insufficient_scope", scope="write admin""#, 6,
        "agent login work --host 'ORIGIN scope=openid scope=profile scope=email scope=offline_access scope=write scope=admin'"
      ),
      (
        403, #"Bearer error="insufficient_scope", scope="profile openid""#, 6,
        "ask the service's administrator for permission"
      ),
      (
        401, #"Bearer error="insufficient_claims", claims="eyJhIjp7fX0=""#, 3,
        "agent login work --claims-challenge eyJhIjp7fX0"
      ),
      (401, #"Bearer error="insufficient_claims", claims="$(touch x)""#, 3, "agent login work"),
      (
        401, #"Bearer error="insufficient_scope", scope="admin""#, 6,
        "agent login work --host 'ORIGIN scope=openid scope=profile scope=email scope=offline_access scope=admin'"
      ),
      (
        403, #"Bearer error="insufficient_scope", scope="';reboot;'""#, 6,
        "sign in with this scope included in --scope"
      ),
      (
        403, #"Bearer error="insufficient_scope", scope="\\';touch /tmp/x;#""#, 6,
        "sign in with this scope included in --scope"
      ),
      (
        403, #"Bearer error="insufficient_scope", scope="!-1""#, 6,
        "sign in with this scope included in --scope"
      ),
      (401, #"Bearer error="insufficient_user_authentication", acr_values="\\';touch""#, 3, "agent login work"),
      (401, #"Bearer error="insufficient_user_authentication", acr_values="!!""#, 3, "agent login work"),
      (403, #"Bearer error="insufficient_scope""#, 6, "sign in with this scope included in --scope"),
    ] as [(Int, String, Int32, String)])
  func `for want of something else names the sign-in that helps`(
    status: Int, challenge: String, exit: Int32, hint: String
  ) throws {
    try Resource.answering({ _ in (status, ["WWW-Authenticate: \(challenge)"], "no") }) { resource in
      let hint = hint.replacing("ORIGIN", with: resource.server.url(""))
      let result = try resource.request()
      #expect(result.status == .exited(exit))
      #expect(result.outputText == "no")
      #expect(result.errorText.hasSuffix("agent: hint: \(hint)\n"), "\(result.errorText)")
      if challenge.contains(#"scope="write admin""#) {
        let text = "\(resource.server.url("")) requires a scope that the token of work does not have: write admin\n"
        #expect(result.errorText.contains(text), "\(result.errorText)")
      }
      // A refresh that requests the claims may return them.
      let tries = hint.contains("--claims-challenge") ? 1 : 0
      #expect(resource.server.requests.count == 1 + tries)
      #expect(try resource.session.issuer.count("refreshes") == tries)
    }
  }

  // RFC 6750 section 3.
  @Test func `of a new token too names the scope that the challenge asks for`() throws {
    let challenge = #"WWW-Authenticate: Bearer error="invalid_token", scope="profile admin""#
    try Resource.answering({ _ in (401, [challenge], "no") }) { resource in
      let result = try resource.request()
      #expect(result.failureCode == nil && result.errorText.contains("even new ones"), "\(result.errorText)")
      let scopes = ["openid", "profile", "email", "offline_access", "admin"].map { " scope=\($0)" }.joined()
      let command = "agent login work --host '\(resource.server.url(""))\(scopes)'"
      #expect(result.errorText.hasSuffix("agent: hint: \(command)\n"), "\(result.errorText)")
    }
  }

  @Test(arguments: ["end", "half", "hex", "reversed"])
  func `is not in what is told of the answer, where that repeats a part of it`(form: String) throws {
    let echo = { @Sendable (token: String) -> String in
      switch form {
      case "end": String(token.suffix(10))
      case "half": String(token.prefix(token.utf8.count / 2))
      case "hex": token.utf8.map { String($0, radix: 16) }.joined()
      default: String(token.reversed())
      }
    }
    try Resource.answering({ request in
      let part = echo(String(request.values("Authorization").first?.dropFirst("Bearer ".utf8.count) ?? ""))
      let place = request.line.split(separator: " ")[1]
      if place.hasSuffix("moved") { return (302, ["Location: https://other.example/\(part)"], "") }
      let words =
        place.hasSuffix("scope")
        ? #"error="insufficient_scope", scope="\#(part)""#
        : #"error="insufficient_claims", claims="{\"a\":\"\#(part)\"}""#
      return (401, [#"WWW-Authenticate: Bearer \#(words), error_description="\#(part)""#], "no")
    }) { resource in
      let tree = resource.tree
      let part = echo(try tree.token())
      for place in ["/scope", "/claims", "/moved"] {
        let result = try tree.agent("request", "--account", "work", resource.server.url(place))
        #expect(result.status != .exited(0) || place == "/moved")
        #expect(!result.errorText.contains(part), "\(result.errorText)")
        let json = try tree.agent(
          "request", "--account", "work", "--json", "-o", tree.path("home/out"), resource.server.url(place))
        #expect((json.failureCode == nil) == (place == "/moved"))
        #expect(!json.errorText.contains(part), "\(json.errorText)")
      }
      #expect(try !tree.agent("daemon", "log", "--json").outputText.contains(part))
    }
  }

  @Test func `by many requests at once is renewed once`() throws {
    try Self.refusingFirst { resource in
      let running = try (0..<10).map { _ in try resource.tree.start(["request", resource.server.url()]) }
      for process in running { #expect(try process.wait() == .exited(0), "\(process.errorText)") }
      #expect(try resource.session.issuer.count("refreshes") == 1)
    }
  }
}

@Suite(.needsPrograms) struct `A malformed answer of a resource` {
  // libcurl has its own result for each of these kinds.
  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nabc", "HTTP/1.1 200 OK\r\nTransfer-Encoding: x\r\n\r\nabc",
    "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "220 mail.example ESMTP\r\n",
  ])
  func `is named as the resource's, not as a failure of this machine`(answer: String) throws {
    try Resource.with(
      serve: { conversation in
        guard try conversation.readRequest() != nil else { return }
        try conversation.write(answer)
      },
      body: { resource in
        let result = try resource.request()
        #expect(result.failed(1), "\(result.errorText)")
        let message = "agent: error: the answer of http://127.0.0.1:\(resource.server.port) is malformed\n"
        #expect(result.errorText.hasPrefix(message), "\(result.errorText)")
        #expect(try resource.tree.state() == "active")
      })
  }
}
