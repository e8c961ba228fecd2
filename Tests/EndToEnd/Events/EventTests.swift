import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `Events` {
  private static func line(_ event: String, _ more: String = "", account: String = "work") -> String {
    #"{"event":"\#(event)","account":"\#(account)"\#(more.isEmpty ? "" : ",")\#(more)}"#
  }
  private static let signedIn = line("signed_in", #""expires_at":"T""#)
  private static let refreshed = line("refreshed", #""expires_at":"T""#)

  private static func signedOut(_ cause: String) -> String { line("signed_out", #""cause":"\#(cause)""#) }

  /// Runs `body` with all events after the sign-in, and expects that a command received the same ones.
  private static func following(
    _ options: String..., body: (Session, Follower) throws -> [String]
  ) throws {
    try Issuer.with(options) { issuer in
      try AgentTree.with { tree in
        try tree.setCommands([EventSink.command(tree)])
        let follower = try Follower(tree)
        let events = try tree.signIn(at: issuer.url)
        let begin = try follower.until("signed_in")
        #expect(begin == [Self.line("account_added"), Self.line("active_changed"), Self.signedIn])
        let told = try body(Session(tree: tree, issuer: issuer, events: events), follower)
        try EventSink.await(begin + told, in: tree)
      }
    }
  }

  @Test func `tell of refreshes, and of a sign-out that was asked for`() throws {
    try Self.following { session, follower in
      _ = try session.tree.token("work", "--force-refresh")
      #expect(try session.tree.agent("logout").succeeded)
      #expect(try session.tree.agent("logout").succeeded)
      try session.tree.signIn(at: session.issuer.url)
      let told = try follower.until("signed_in")
      #expect(told == [Self.refreshed, Self.signedOut("user"), Self.signedIn])
      return told
    }
  }

  @Test func `tell that the server ended the session, once`() throws {
    try Self.following { session, follower in
      try session.issuer.control("revoke_all", "1")
      for _ in 0..<2 { #expect(try session.tree.agent("token", "--force-refresh").failed(3)) }
      try session.tree.signIn(at: session.issuer.url)
      let told = try follower.until("signed_in")
      let over = Self.line("signed_out", #""cause":"expired","reason":"the grant has ended""#)
      #expect(told == [over, Self.signedIn])
      let log = try session.tree.json("daemon", "log")["events"]?.array ?? []
      let reasons = log.filter { $0["event"] == "refresh_ended" }.compactMap { $0["reason"]?.string }
      #expect(Set(reasons) == ["the grant has ended"], "\(log)")
      return told
    }
  }

  @Test func `tell that the session was ended elsewhere`() throws {
    try Self.following { session, follower in
      #expect(try session.tree.agent("--no-daemon", "logout").succeeded)
      #expect(try session.tree.agent("token").failed(3))
      let told = try follower.until("signed_out")
      #expect(told == [Self.signedOut("elsewhere")])
      // The private daemon also ran the command, for its sign-out.
      return [Self.signedOut("user")] + told
    }
  }

  @Test func `tell that the settings no longer fit, and that they do again`() throws {
    try Self.following { session, follower in
      #expect(try session.tree.agent("account", "set", "work", "--client-id", "other").succeeded)
      #expect(try session.tree.agent("token").failed(3))
      #expect(try session.tree.agent("account", "set", "work", "--client-id", "agent-cli").succeeded)
      _ = try session.tree.token()
      let told = try follower.until("signed_in")
      #expect(told == [Self.signedOut("settings"), Self.signedIn])
      return told
    }
  }

  @Test func `tell of accounts that come, go and change`() throws {
    try Self.following { session, follower in
      let tree = session.tree
      let server = ["--issuer", session.issuer.url, "--client-id", "agent-cli", "--allow-http-loopback"]
      for arguments in [
        ["account", "add", "idle"] + server, ["use", "idle"], ["account", "rename", "idle", "spare"],
        ["account", "remove", "spare"], ["account", "remove", "work"],
      ] { #expect(try tree.agent(arguments).succeeded, "\(arguments)") }
      let told = try (0..<9).map { _ in try follower.next() }
      #expect(
        told == [
          Self.line("account_added", account: "idle"), Self.line("active_changed", account: "idle"),
          Self.line("account_renamed", #""renamed_from":"idle""#, account: "spare"),
          Self.line("active_changed", account: "spare"), Self.line("account_removed", account: "spare"),
          Self.line("active_changed"), Self.signedOut("removed"), Self.line("account_removed"),
          #"{"event":"active_changed"}"#,
        ])
      return told
    }
  }

  @Test func `tell that nobody can be reached, and that somebody can again`() throws {
    try Self.following { session, follower in
      try session.issuer.control("fail_next_token", "6")
      for _ in 0..<2 { #expect(try session.tree.agent("token", "--force-refresh").failed(4)) }
      _ = try session.tree.token("work", "--force-refresh")
      let told = try follower.until("refreshed")
      #expect(told == [Self.line("offline", #""code":"server_unavailable""#), Self.line("online"), Self.refreshed])
      return told
    }
  }

  @Test func `tell of a token that ends and can be renewed`() throws {
    try Self.following("--access-token-lifetime", "3") { session, follower in
      let told = try follower.until("expired")
      let ending = #""expires_at":"T","renewable":true"#
      #expect(told == [Self.line("expiring", ending), Self.line("expired", ending)])
      try session.issuer.control("access_token_lifetime", "3600")
      _ = try session.tree.token()
      #expect(try follower.next() == Self.refreshed)
      return told + [Self.refreshed]
    }
  }

  @Test func `tell of a token that ends with its session`() throws {
    try Issuer.with(["--access-token-lifetime", "3", "--no-refresh-token"]) { issuer in
      try AgentTree.with { tree in
        let follower = try Follower(tree)
        try tree.signIn(at: issuer.url, "--scope", "openid")
        let told = try follower.until("expired")
        let ending = #""expires_at":"T","renewable":false"#
        #expect(told.suffix(2) == [Self.line("expiring", ending), Self.line("expired", ending)])
        #expect(try tree.agent("token").failed(3))
        try tree.signIn(at: issuer.url, "--scope", "openid")
        #expect(try follower.next() == Self.signedIn)
      }
    }
  }

  @Test func `of one account are told to those who ask for it`() throws {
    try Session.with { session in
      let follower = try Follower(session.tree, "work")
      try session.tree.signIn("home", at: session.issuer.url)
      #expect(try session.tree.agent("use", "home").succeeded)
      _ = try session.tree.token("work", "--force-refresh")
      #expect(try follower.next() == Self.refreshed)
      #expect(try session.tree.agent("account", "rename", "work", "job").succeeded)
      #expect(try follower.next() == Self.line("account_renamed", #""renamed_from":"work""#, account: "job"))
      _ = try session.tree.token("job", "--force-refresh")
      #expect(try follower.next().hasPrefix(#"{"event":"refreshed","account":"job""#))
      #expect(try session.tree.agent("events", "nobody").failed(3))
    }
  }

  @Test func `that are over are told to those who come later`() throws {
    try Session.with { session in
      let text = try session.tree.agent("events")
      #expect(text.succeeded && text.lines.count == 3)
      #expect(text.lines.last?.contains(" work: signed in, good until 20") == true)
      let json = try session.tree.agent("events", "--json").lines.map { try JSON(parsing: Array($0.utf8)) }
      #expect(json.map { $0["event"]?.string } == ["account_added", "active_changed", "signed_in"])
      try session.tree.stopDaemon()
      #expect(try session.tree.agent("events").failed(4))
      #expect(try session.tree.daemons() == [])
    }
  }

  @Test func `end with the daemon`() throws {
    try Session.with { session in
      let follower = try Follower(session.tree)
      try session.tree.stopDaemon()
      #expect(try follower.wait() == .exited(4))
      #expect(follower.errorText.contains(#""message":"the daemon was stopped""#))
      #expect(try session.tree.agent("events", "--no-daemon").failed(2))
    }
  }

  @Test func `are followed by so many and no more`() throws {
    try Session.with { session in
      let ask = #"{"v":1,"request":"events","follow":true}"#
      var peers: [Peer] = []
      for _ in 0..<32 {
        let peer = try Peer(session.tree.socketPath)
        #expect(try peer.ask(ask) == #"{"v":1,"event":"following"}"#)
        peers.append(peer)
      }
      let another = try Peer(session.tree.socketPath)
      #expect(try another.ask(ask).contains(#""code":"too_busy""#))
      peers.removeLast()
      // The daemon handles the disconnect before later requests.
      _ = try session.tree.token()
      #expect(try another.ask(ask) == #"{"v":1,"event":"following"}"#)
    }
  }

  @Test func `do not wait for those who do not read`() throws {
    try Session.with { session in
      let deaf = try Peer(session.tree.socketPath)
      #expect(try deaf.ask(#"{"v":1,"request":"events","follow":true}"#) == #"{"v":1,"event":"following"}"#)
      try session.tree.signIn("home", at: session.issuer.url)
      let busy = try Peer(session.tree.socketPath)
      let deadline = Instant.now.advanced(by: .testLimit)
      var isDropped = false
      while !isDropped {
        try #require(Instant.now < deadline, "nobody was dropped")
        for _ in 0..<100 {
          for account in ["work", "home"] {
            _ = try busy.ask(#"{"v":1,"request":"use","account":"\#(account)"}"#)
          }
        }
        isDropped = try session.tree.events().contains { $0["reason"] == "not_reading" }
      }
      _ = try session.tree.token()
    }
  }

  @Test func `hold no secret and no word of a server`() throws {
    let tokens = ScriptedServer.Tokens(
      access: "canary-access-2dRq7T", refresh: "canary-refresh-0kLm5X", device: "canary-device-6hBz1V")
    try ScriptedServer.with(tokens) { server in
      try AgentTree.with { tree in
        try tree.setCommands([EventSink.command(tree)])
        let follower = try Follower(tree)
        try tree.signIn(at: server.url)
        server.hand(out: ScriptedServer.Tokens(access: "", refresh: "canary-refresh-8vNc3J"))
        #expect(try tree.agent("token", "--force-refresh").failed(1))
        var told = try follower.until("refresh_failed")
        #expect(told.last == Self.line("refresh_failed", #""code":"server_misbehaved""#))
        try EventSink.await(told, in: tree)
        told.append(try tree.agent("events").outputText)
        for text in told { #expect(!text.contains("canary") && !text.contains("127.0.0.1"), "\(text)") }
      }
    }
  }
}
