import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms, .serialized) struct `Many callers at once` {
  @Test func `50 first callers start one daemon`() throws {
    try AgentTree.with { tree in
      let answers = try Crowd.run(50, tree, "daemon", "start", "--json")
      for answer in answers { #expect(answer.status == .exited(0), "\(answer.error)") }
      let daemons = try answers.map { answer in
        try JSON(parsing: Array(try #require(answer.output.first).utf8))["pid"]?.int
      }
      #expect(Set(daemons).count == 1)
      #expect(try tree.daemons().map { Int($0) } == [try #require(daemons.first ?? nil)])
    }
  }

  @Test func `50 callers on a cold daemon share one refresh`() throws {
    try Session.with { session in
      try session.tree.stopDaemon()
      let answers = try Crowd.run(50, session.tree, "token", "work")
      for answer in answers { #expect(answer.status == .exited(0), "\(answer.error)") }
      #expect(Set(answers.map(\.output)).count == 1)
      #expect(answers.first?.output.first?.isEmpty == false)
      #expect(try session.issuer.count("refreshes") == 1)
      #expect(try session.tree.daemons().count == 1)
    }
  }

  @Test func `50 callers on an expired token share one refresh`() throws {
    try Session.with("--access-token-lifetime", "2") { session in
      let first = try session.tree.token()
      try session.waitUntilExpired()
      let before = try session.issuer.count("refreshes")
      // The refresh takes long enough for most requests to arrive during it.
      try session.issuer.control("access_token_lifetime", "3600", ("delay_token_ms", "700"))
      let answers = try Crowd.run(50, session.tree, "token", "work")
      for answer in answers { #expect(answer.status == .exited(0), "\(answer.error)") }
      #expect(Set(answers.map(\.output)).count == 1)
      #expect(answers.first?.output != [first])
      #expect(try session.issuer.count("refreshes") == before + 1)
    }
  }

  @Test func `50 callers of an ended session get the same answer for one request`() throws {
    try Session.with { session in
      try session.tree.stopDaemon()
      try session.issuer.control("revoke_all", "1")
      let answers = try Crowd.run(50, session.tree, "token", "work", "--json")
      #expect(Set(answers.map(\.status)) == [.exited(3)])
      #expect(answers.allSatisfy { $0.output.isEmpty && $0.error.contains("session_expired") })
      #expect(try session.issuer.count("refresh_failures") == 1)
    }
  }
}
