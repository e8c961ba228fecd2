import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `A server that asks for fewer requests` {
  // RFC 9110 section 10.2.3, RFC 6585 section 4.
  @Test(arguments: [429, 503]) func `gets it from all of its accounts, and from no others`(status: Int) throws {
    try RotatingServer.with { server in
      try RotatingServer.with { other in
        try AgentTree.with { tree in
          try tree.importAccount("a", at: server)
          try tree.importAccount("b", at: server)
          try tree.importAccount("c", at: other)
          let token = try tree.token("b")
          server.failAlways(.status(status, retryAfter: 200))
          let first = try tree.agent("token", "a", "--force-refresh", "--json")
          #expect(first.failed(4))
          #expect(first.failureCode == "server_unavailable")
          #expect(server.refreshes.count == 3)
          let second = try tree.agent("token", "b", "--force-refresh", "--json")
          #expect(second.failed(4))
          #expect(second.failureCode == "server_unavailable")
          let error = try JSON(parsing: Array(second.errorText.utf8))["error"]
          let hint = try #require(error?["hint"]?.string)
          #expect(hint.hasPrefix("try again in ") && hint.hasSuffix(" s"))
          let seconds = try #require(Int(hint.split(separator: " ")[3]))
          #expect((100...200).contains(seconds))
          #expect(server.refreshes.count == 3, "it was not asked again")
          #expect(try tree.token("b") == token)
          #expect(try !tree.token("c", "--force-refresh").isEmpty)
        }
      }
    }
  }

  @Test(.disabled(if: Programs.areSanitized, "the moment is over before so slow a program asks again"))
  func `without a time is left alone for a moment, and asked again by who waits`() throws {
    try RotatingServer.with { server in
      try AgentTree.with { tree in
        try tree.importAccount("a", at: server)
        try tree.importAccount("b", at: server)
        try tree.stopDaemon()
        #expect(try tree.agent("daemon", "start").succeeded)
        let peers = try (0..<2).map { _ in try Peer(tree.socketPath) }
        server.fail(.status(503), .status(503), .status(503))
        #expect(try peers[0].ask(#"{"v":1,"request":"token","account":"a"}"#).contains("server_unavailable"))
        #expect(server.refreshes.count == 5)
        #expect(try peers[1].ask(#"{"v":1,"request":"token","account":"b"}"#).contains("server_unavailable"))
        #expect(server.refreshes.count == 5)
        #expect(try !tree.token("b", "--wait", "60s").isEmpty)
        #expect(server.refreshes.count == 6)
      }
    }
  }
}
