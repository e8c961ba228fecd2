import Encoding
import Platform
import TestSupport
import Testing

/// With fewer scopes, for a resource or for an audience, in addition to the account's own token.
@Suite(.needsPrograms) struct `Tokens with a target` {
  /// The claims of a JWT access token, or the JSON output about it.
  private func token(_ session: borrowing Session, _ options: String...) throws -> String {
    let result = try session.tree.agent(["token", "work"] + options)
    try #require(result.succeeded, "\(result.errorText)")
    return result.outputText
  }

  @Test func `are kept beside the account's own token and never take its place`() throws {
    try Session.with { session in
      let own = try token(session)
      let narrow = try token(session, "--scope", "openid")
      let elsewhere = try token(session, "--audience", "backend")
      #expect(Set([own, narrow, elsewhere]).count == 3)
      let requests = try session.issuer.requests()
      #expect(try token(session) == own)
      #expect(try token(session, "--scope", "openid") == narrow)
      #expect(try token(session, "--audience", "backend") == elsewhere)
      #expect(try session.issuer.requests() == requests)
      #expect(try session.issuer.count("refreshes") == 2)
    }
  }

  @Test(arguments: [["--scope", "openid"], ["--audience", "backend"], ["--resource", "https://api.example"]])
  func `are not to be had without a refresh token, which ends no session whose token is good`(
    options: [String]
  ) throws {
    try Issuer.with(["--no-refresh-token"]) { issuer in
      try AgentTree.with { tree in
        try tree.signIn(at: issuer.url)
        let own = try tree.token()
        let other = try tree.agent(["token", "work", "--json"] + options)
        #expect(!other.succeeded && other.failureCode != "session_expired", "\(other.errorText)")
        #expect(other.errorText.contains("work has no refresh token"), "\(other.errorText)")
        #expect(try tree.token() == own && tree.state() == "active")
      }
    }
  }

  @Test func `tell their own scope`() throws {
    try Session.with { session in
      let narrow = try session.tree.json("token", "work", "--scope", "openid")
      #expect(narrow["scope"] == "openid")
      let own = try session.tree.json("token", "work")
      #expect(own["scope"] == session.events.last?["scope"] && own["scope"] != "openid")
    }
  }

  @Test func `survive a refresh of the account's own token, which writes the session again`() throws {
    try Session.with { session in
      let narrow = try token(session, "--scope", "openid")
      let own = try token(session, "--force-refresh")
      #expect(try token(session) == own)
      #expect(try token(session, "--scope", "openid") == narrow)
    }
  }

  @Test func `are traded for when that is asked for (RFC 8693)`() throws {
    try Session.with { session in
      let own = try token(session)
      let traded = try token(session, "--exchange", "--audience", "backend")
      #expect(try token(session, "--exchange", "--audience", "backend") == traded)
      #expect(try session.issuer.count("exchanges") == 1)
      #expect(try token(session) == own)
      #expect(try session.issuer.count("refreshes") == 0)
    }
  }

  @Test func `are got by the first caller of a new daemon, the account's own token first`() throws {
    try Session.with { session in
      try session.tree.stopDaemon()
      _ = try token(session, "--exchange", "--audience", "backend")
      #expect(try session.issuer.count("refreshes") == 1)
      #expect(try session.issuer.count("exchanges") == 1)
    }
  }

  @Test func `that the server refuses end no session`() throws {
    try Session.with { session in
      let result = try session.tree.agent("token", "work", "--scope", "never-granted")
      #expect(result.status == .exited(1), "\(result.errorText)")
      #expect(try session.tree.agent("token", "work", "--force-refresh").succeeded)
    }
  }

  @Test func `must name what can be asked for`() throws {
    try Session.with { session in
      let before = try session.issuer.requests()
      let result = try session.tree.agent("token", "work", "--resource", "not a URI")
      #expect(result.status == .exited(2), "\(result.errorText)")
      #expect(try session.issuer.requests() == before)
    }
  }

  @Test func `die with the session`() throws {
    try Session.with { session in
      _ = try token(session, "--scope", "openid")
      #expect(try session.tree.agent("logout", "work").succeeded)
      #expect(try session.tree.agent("token", "work", "--scope", "openid").status == .exited(3))
    }
  }
}
