import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `The places that get a token` {
  private static func other() throws -> LoopbackServer {
    try LoopbackServer { while try $0.readRequest() != nil { try $0.respond(body: "other") } }
  }

  @Test func `are listed by a command, without a new sign-in`() throws {
    try Session.with { session in
      let server = try Self.other()
      for arguments in [[], ["--account", "work"]] {
        let refused = try session.tree.agent(
          ["request", server.url()] + arguments + ["--json", "--output", "/dev/null"])
        #expect(refused.failed(1), "\(refused.errorText)")
        #expect(refused.failureCode == "origin_not_allowed")
        let place = arguments.isEmpty ? "agent login \(server.url())" : "account set work --host \(server.url(""))"
        #expect(refused.errorText.contains(place))
      }
      #expect(server.connections == 0)
      let token = try session.tree.token()
      try session.tree.allow(server)
      #expect(try session.tree.agent("request", server.url()).outputText == "other")
      #expect(try session.tree.token() == token, "the session went on")
      #expect(try session.issuer.count("refreshes") == 0)
      #expect(
        try session.tree.json("account", "show", "work")["settings"]?["origins"] == [
          .string("http://127.0.0.1:\(server.port)")
        ])
      let taken = try session.tree.agent("account", "set", "work", "--unset", "host")
      #expect(taken.succeeded)
      #expect(try session.tree.agent("request", server.url()).failed(1))
    }
  }

  // RFC 6761 section 6.3: the name needs no name server.
  @Test func `may be localhost, which is another place than its address`() throws {
    try Session.with { session in
      let (tree, server) = (session.tree, try Self.other())
      let place = "http://LocalHost:\(server.port)"
      #expect(try tree.agent("account", "set", "work", "--host", place).succeeded)
      #expect(try tree.agent("request", place + "/x").outputText == "other")
      #expect(try tree.agent("request", server.url()).failed(1))
    }
  }

  @Test func `are known to the next daemon`() throws {
    try Session.with { session in
      let server = try Self.other()
      try session.tree.allow(server)
      try session.tree.stopDaemon()
      #expect(try session.tree.agent("request", server.url()).outputText == "other")
    }
  }

  @Test func `are not those that somebody wrote into the settings file`() throws {
    try Session.with { session in
      let (good, evil) = (try Self.other(), try Self.other())
      try session.tree.editSettings { $0["origins"] = [.string("http://127.0.0.1:\(evil.port)")] }
      for attempt in ["before", "after"] {
        let refused = try session.tree.agent("request", evil.url(), "--json", "--output", "/dev/null")
        #expect(refused.failed(1) && refused.failureCode == "origin_not_allowed", "\(attempt): \(refused.errorText)")
        try session.tree.allow(good)
      }
      #expect(evil.connections == 0)
      try session.tree.allow(evil)
      #expect(try session.tree.agent("request", evil.url()).outputText == "other")
    }
  }

  @Test func `leave a choice among accounts to the caller`() throws {
    try Session.with { session in
      let server = try Self.other()
      try session.tree.allow(server)
      try session.tree.signIn("second", at: session.issuer.url)
      let set = try session.tree.agent("account", "set", "second", "--host", "http://127.0.0.1:\(server.port)")
      #expect(set.succeeded)
      let refused = try session.tree.agent("request", server.url())
      #expect(refused.failed(2))
      #expect(
        refused.errorText.contains("work, second")
          && refused.errorText.contains(
            "choose one: agent request \(server.url()) --account work or agent request \(server.url()) --account second"
          ))
      #expect(server.connections == 0)
      for account in ["work", "second"] {
        let token = try session.tree.token(account)
        #expect(try session.tree.agent("request", server.url(), "--account", account).succeeded)
        #expect(server.requests.last?.values("Authorization") == ["Bearer \(token)"])
        #expect(try session.tree.agent(["request", server.url()], ["AGENT_ACCOUNT": account]).succeeded)
        #expect(server.requests.last?.values("Authorization") == ["Bearer \(token)"])
      }
    }
  }

  @Test func `are not where a redirect leads`() throws {
    let other = try Self.other()
    let target = other.url("/stolen")
    try Resource.answering({ _ in (302, ["Location: \(target)?signature=1#x"], "moved") }) { resource in
      let result = try resource.request()
      #expect(result.succeeded && result.outputText == "moved")
      #expect(result.errorText.contains("redirects to \(target), which was not followed"))
      #expect(other.connections == 0)
    }
  }

  @Test func `are so within one origin, where redirects are followed`() throws {
    let answer: @Sendable (ReceivedRequest) -> (status: Int, headers: [String], body: String) = { request in
      request.line.hasPrefix("GET /end ") ? (200, [], "end") : (307, ["Location: /end"], "moved")
    }
    try Resource.answering(answer) { (resource) throws in
      #expect(try resource.request().outputText == "end")
      #expect(resource.server.requests.map { $0.values("Authorization").count } == [1, 1])
      #expect(try resource.request("POST").outputText == "moved")
      #expect(resource.server.requests.count == 3)
    }
  }
}
