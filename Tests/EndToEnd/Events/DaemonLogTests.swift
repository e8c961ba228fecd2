import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `The log of the daemon` {
  private static let first = ScriptedServer.Tokens(
    access: "canary-access-4bVtq1", refresh: "canary-refresh-9sLw2c", device: "canary-device-7hZ0pX")

  @Test func `tells what happened, in order`() throws {
    try Session.with { session in
      _ = try session.tree.token("work", "--force-refresh")
      #expect(try session.tree.agent("logout", "work").succeeded)
      let events = try session.tree.events()
      #expect(
        events.map { $0["event"]?.string } == [
          "started", "sign_in_began", "sign_in_code", "sign_in_approved", "sign_in_ended", "settings_changed",
          "refresh_began", "refresh_ended", "signed_out",
        ])
      #expect(events.dropFirst().allSatisfy { $0["account"] == "work" })
      #expect(events[7]["result"] == "ok")
      #expect(events[8]["result"] == "revoked")
      let text = try session.tree.agent("daemon", "log").outputText
      #expect(try text.split(separator: "\n").count == session.tree.logged().count)
      #expect(text.contains(" work: signed out: revoked\n"))
    }
  }

  @Test func `tells of each request to a server, whoever looks on, and of one that failed where and why`() throws {
    try Session.with { session in
      let tree = session.tree
      _ = try tree.token("work", "--force-refresh")
      let answered = try tree.logged().filter { $0["event"] == "answered" }
      #expect(answered.contains { $0["url"] == .string(session.issuer.url + "/token") && $0["status"] == 200 })
      #expect(answered.allSatisfy { $0["account"] == "work" && $0["duration_ms"]?.int != nil })
      session.issuer.stop()
      #expect(try tree.agent("token", "work", "--force-refresh").failed(4))
      let place = session.issuer.url.dropFirst("http://".count)
      let failed = try #require(try tree.logged().first { $0["event"] == "unanswered" })
      #expect(failed["cause"] == "refused" && failed["url"] == .string(session.issuer.url + "/token"), "\(failed)")
      let log = try tree.agent("daemon", "log").outputText
      #expect(log.contains(" work: token endpoint: POST \(session.issuer.url)/token: failed after "), "\(log)")
      #expect(log.contains(": connection refused\n"), "\(log)")
      let told = try tree.agent("events").outputText
      #expect(told.hasSuffix(" work: offline: \(place): connection refused\n"), "\(told)")
      let event = try #require(try tree.agent("events", "--json").lines.last)
      let json = try JSON(parsing: Array(event.utf8))
      #expect(json["code"] == "network" && json["host"] == .string(String(place)) && json["cause"] == "refused")
    }
  }

  @Test func `and events have the times of the person's clock, or with an option those of UTC`() throws {
    try Session.with { session in
      let tree = session.tree
      let zone = ["TZ": "XYZ-5:30"] as [String: String?]
      for command in [["events"], ["daemon", "log"]] {
        let seconds = try tree.agent(command + ["--utc"], zone).lines.map { line in
          try #require(Timestamp.unixSeconds(rfc3339: String(line.prefix { $0 != " " })), "\(line)")
        }
        let local = try tree.agent(command, zone).lines.prefix(seconds.count).map { line in
          let stamp = line.split(separator: " ").prefix(2).joined(separator: "T") + "Z"
          return try #require(Timestamp.unixSeconds(rfc3339: stamp), "\(line)")
        }
        #expect(local == seconds.map { $0 + 19_800 } && !local.isEmpty)
      }
      let expiry = try #require(session.events.last?["expires_at"]?.int)
      let end = Timestamp.rfc3339(expiry)
      #expect(try tree.agent(["events", "--utc"], zone).outputText.contains(", good until \(end)\n"))
    }
  }

  @Test func `tells of attempts that failed and of the waits between them`() throws {
    try Session.with { session in
      try session.issuer.control("fail_next_token", "3")
      #expect(try session.tree.agent("token", "work", "--force-refresh").failed(4))
      let events = try session.tree.events().drop { $0["event"] != "refresh_began" }
      #expect(
        events.map { $0["event"]?.string } == [
          "refresh_began", "refresh_ended", "refresh_retry", "refresh_began", "refresh_ended", "refresh_retry",
          "refresh_began", "refresh_ended",
        ])
      #expect(events.compactMap { $0["attempt"]?.int } == [1, 2, 2, 3, 3])
      #expect(events.last?["result"] == "server_unavailable")
    }
  }

  @Test func `tells of peers that were dropped, and not what they sent`() throws {
    try Session.with { session in
      let peer = try Peer(session.tree.socketPath)
      _ = try peer.send(Array(repeating: UInt8(ascii: "x"), count: (1 << 20) + 4096))
      while try peer.readLine() != nil {}
      let last = try session.tree.events().last
      #expect(last?["event"] == "peer_dropped")
      #expect(last?["reason"] == "line_too_long")
    }
  }

  @Test func `holds no secret and no word of a server or a peer`() throws {
    try ScriptedServer.with(Self.first) { server in
      try AgentTree.with { tree in
        try tree.signIn(at: server.url)
        server.hand(out: ScriptedServer.Tokens(access: "", refresh: "canary-refresh-Rj6yU5"))
        #expect(try tree.agent("token", "work", "--force-refresh").failed(1))
        let peer = try Peer(tree.socketPath)
        _ = try peer.ask(#"{"v":1,"request":"token","account":"canary-account"}"#)
        _ = try peer.ask(#"{"v":1,"request":"canary-request"}"#)
        #expect(try tree.agent("status", "--check").succeeded)
        for text in [
          try tree.agent("daemon", "log").outputText, try tree.agent("daemon", "log", "--json").outputText,
          try tree.agent("status", "--check", "--json").outputText,
        ] {
          #expect(!text.isEmpty)
          #expect(!text.contains("canary"), "\(text)")
        }
        let urls = try tree.logged().compactMap { $0["url"]?.string }
        #expect(urls.contains(server.url + "/token"), "\(urls)")
        #expect(urls.allSatisfy { $0.hasPrefix(server.url + "/") && !$0.contains("?") }, "\(urls)")
      }
    }
  }

  @Test func `starts no daemon`() throws {
    try AgentTree.with { tree in
      let log = try tree.agent("daemon", "log")
      #expect(log.failed(4))
      #expect(try tree.daemons() == [])
    }
  }

  @Test(arguments: [nil, "8:1234"] as [String?]) func `goes to standard error in the foreground`(journal: String?)
    throws
  {
    try AgentTree.with { tree in
      let daemon = try RunningProcess(
        executable: Programs.path("agentd"), arguments: ["--foreground"],
        environment: tree.environment(["JOURNAL_STREAM": journal]))
      let deadline = Instant.now.advanced(by: .testLimit)
      while daemon.errorText.isEmpty, Instant.now < deadline { Threads.sleep(for: .milliseconds(20)) }
      let log = try tree.agent("daemon", "log", "--utc").outputText
      let level = journal == nil ? "" : "<6>"
      #expect(daemon.errorText == log.split(separator: "\n").map { "\(level)\($0)\n" }.joined())
      #expect(log.hasSuffix("Z the daemon started\n"))
      #expect(try daemon.terminate() == .exited(0))
      #expect(daemon.errorText.hasSuffix("Z the daemon stops\n"))
    }
  }
}
