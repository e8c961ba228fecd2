import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `A request with a token of a target` {
  private static func authorization(_ request: ReceivedRequest) -> String? { request.values("Authorization").first }

  @Test(arguments: [["--scope", "openid"], ["--audience", "backend"], ["--audience", "backend", "--exchange"]])
  func `sends the token that agent token prints for it`(target: [String]) throws {
    try Resource.answering({ _ in (200, [], "ok") }) { resource in
      let own = try resource.tree.token()
      let narrow = try resource.tree.agent(["token", "work"] + target)
      #expect(try resource.tree.agent(["request", resource.server.url()] + target).succeeded)
      #expect(try resource.request().succeeded)
      let sent = resource.server.requests.map(Self.authorization)
      #expect(sent == ["Bearer \(narrow.outputText.dropLast())", "Bearer \(own)"])
      #expect(narrow.outputText.dropLast() != own)
    }
  }

  // RFC 8707 section 2.2.
  @Test func `opens the resource that it was asked for, and no other`() throws {
    try Session.with { session in
      let (tree, issuer) = (session.tree, session.issuer)
      #expect(try tree.agent("account", "set", "work", "--host", issuer.url).succeeded)
      let good = try tree.agent("request", issuer.url + "/resource", "--resource", issuer.url + "/resource")
      #expect(good.succeeded, "\(good.errorText)")
      let wrong = try tree.agent("request", issuer.url + "/resource", "--resource", issuer.url + "/echo")
      #expect(wrong.status == .exited(3), "\(wrong.errorText)")
      #expect(try issuer.count("refreshes") == 3)
      #expect(try tree.agent("request", issuer.url + "/resource").succeeded)
      #expect(try tree.state() == "active")
      #expect(try issuer.count("refreshes") == 3)
    }
  }

  @Test(arguments: [["--scope", "openid"], ["--audience", "backend", "--exchange"]])
  func `is made once more with a new token of that target`(target: [String]) throws {
    let refused = Monitor<String?>(nil)
    try Resource.answering({ request in
      let token = Self.authorization(request)
      let isRefused = refused.withLock { known in
        known = known ?? token
        return known == token
      }
      return isRefused ? (401, [#"WWW-Authenticate: Bearer error="invalid_token""#], "no") : (200, [], "ok")
    }) { resource in
      let own = try resource.tree.token()
      let result = try resource.tree.agent(["request", resource.server.url()] + target)
      #expect(result.succeeded && result.outputText == "ok", "\(result.errorText)")
      let renewed = try resource.tree.agent(["token", "work"] + target).outputText.dropLast()
      #expect(resource.server.requests.last.flatMap(Self.authorization) == "Bearer \(renewed)")
      #expect(resource.server.requests.count == 2)
      #expect(try resource.session.issuer.count(target.contains("--exchange") ? "exchanges" : "refreshes") == 2)
      #expect(try resource.tree.token() == own)
    }
  }

  @Test func `twice refused leaves the account's own session alone`() throws {
    try Resource.answering({ _ in (401, ["WWW-Authenticate: Bearer"], "no") }) { resource in
      let own = try resource.tree.token()
      let result = try resource.tree.agent("request", resource.server.url(), "--scope", "openid")
      #expect(result.status == .exited(3) && resource.server.requests.count == 2)
      #expect(try resource.tree.state() == "active")
      #expect(try resource.tree.token() == own)
      // A resource that rejects new tokens invalidates no other one.
      #expect(try resource.session.issuer.count("refreshes") == 2)
      #expect(try resource.tree.agent("token", "work", "--scope", "openid").succeeded)
      #expect(try resource.session.issuer.count("refreshes") == 2)
    }
  }

  @Test func `goes to no other place than the account's own token`() throws {
    try Session.with { session in
      let result = try session.tree.agent(
        "request", "https://api.example/x", "--account", "work", "--resource", "https://api.example/x")
      #expect(result.status == .exited(1) && result.errorText.contains("--host api.example"), "\(result.errorText)")
      #expect(try session.issuer.count("refreshes") == 0)
      let malformed = try session.tree.agent("request", session.issuer.url + "/userinfo", "--resource", "not a URI")
      #expect(malformed.failed(2), "\(malformed.errorText)")
    }
  }

  // An origin added later also applies to existing tokens.
  @Test func `follows the account's settings`() throws {
    try Session.with { session in
      let server = try LoopbackServer { conversation in
        while try conversation.readRequest() != nil { try conversation.respond(200, body: "ok") }
      }
      #expect(try session.tree.agent("token", "work", "--scope", "openid").succeeded)
      try session.tree.allow(server)
      let result = try session.tree.agent("request", server.url(), "--scope", "openid")
      #expect(result.succeeded, "\(result.errorText)")
      #expect(try session.issuer.count("refreshes") == 1)
    }
  }
}

@Suite(.needsPrograms) struct `A resource that is named at a sign-in` {
  @Test func `may get the token, until that is taken back`() throws {
    let server = try LoopbackServer { conversation in
      while try conversation.readRequest() != nil { try conversation.respond(200, body: "ok") }
    }
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        try tree.signIn("work", at: issuer.url, clientID: "agent-cli", "--resource", server.url("/x"))
        let settings = try #require(try tree.json("account", "show", "work")["settings"])
        #expect(settings["origins"] == [.string("http://127.0.0.1:\(server.port)")])
        let answer = try tree.agent("request", server.url("/y"))
        #expect(answer.succeeded && answer.outputText == "ok", "\(answer.errorText)")
        #expect(try tree.agent("account", "set", "work", "--unset", "host").succeeded)
        #expect(try tree.agent("request", server.url("/y"), "--account", "work").status == .exited(1))
        #expect(server.requests.count == 1)
      }
    }
  }
}
