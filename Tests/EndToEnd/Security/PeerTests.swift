import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `Peers of the daemon` {
  private static let token = "{\"v\":1,\"request\":\"token\",\"account\":\"work\"}"

  @Test func `silent and half-spoken ones block nobody, and are let go`() throws {
    try Session.with { session in
      let silent = try Peer(session.tree.socketPath)
      let half = try Peer(session.tree.socketPath)
      #expect(try half.send(Array("{\"v\":1,\"requ".utf8)))
      for _ in 0..<3 { #expect(try !session.tree.token().isEmpty) }
      // A request that was begun must be complete within five seconds.
      #expect(try half.readLine() == nil)
      #expect(try silent.ask(Self.token).contains("access_token"), "one that has not begun has a minute")
    }
  }

  @Test func `300 idle ones leave room`() throws {
    try Session.with { session in
      var idle: [Peer] = []
      for _ in 0..<300 { idle.append(try Peer(session.tree.socketPath)) }
      for _ in 0..<3 { #expect(try !session.tree.token().isEmpty) }
      #expect(try Peer(session.tree.socketPath).ask(Self.token).contains("access_token"))
      #expect(try idle.first?.readLine()?.contains(#""code":"too_busy""#) == true)
      #expect(try idle.first?.readLine() == nil)
      #expect(try idle.last?.ask(Self.token).contains("access_token") == true)
      #expect(try session.tree.daemons().count == 1)
    }
  }

  @Test func `a line of two megabytes is refused`() throws {
    try Session.with { session in
      let before = try session.tree.daemon()
      let flood = try Peer(session.tree.socketPath)
      _ = try flood.send([UInt8](repeating: UInt8(ascii: "x"), count: 2 << 20))
      if let answer = try flood.readLine() {
        #expect(try JSON(parsing: Array(answer.utf8))["error"]?["code"] == "invalid_request")
      }
      #expect(try flood.readLine() == nil)
      #expect(try !session.tree.token().isEmpty)
      #expect(try session.tree.daemon() == before)
    }
  }

  @Test func `what is no request gets an error, and the next one an answer`() throws {
    try Session.with { session in
      let peer = try Peer(session.tree.socketPath)
      let wrong: [(String, String)] = [
        ("", "invalid_request"), ("no json", "invalid_request"), ("[]", "invalid_request"), ("{}", "invalid_request"),
        ("{\"v\":2,\"request\":\"list\"}", "unsupported_version"), ("{\"v\":1}", "invalid_request"),
        ("{\"v\":1,\"request\":\"no-such\"}", "unknown_request"),
        ("{\"v\":1,\"v\":1,\"request\":\"list\"}", "invalid_request"),
        ("{\"v\":1,\"request\":\"token\",\"min_valid\":-1}", "invalid_request"),
        ("{\"v\":1,\"request\":\"token\",\"account\":\"../work\"}", "no_account"),
        ("{\"v\":1,\"request\":\"token\",\"account\":7}", "invalid_request"),
        ("{\"v\":1,\"request\":\"list\",\"timeout\":99999999999999999999}", "invalid_request"),
      ]
      for (line, code) in wrong {
        let answer = try JSON(parsing: Array(peer.ask(line).utf8))
        #expect(answer["v"] == 1)
        #expect(answer["error"]?["code"] == .string(code), "\(line)")
      }
      #expect(try peer.ask(Self.token).contains("access_token"))
    }
  }

  @Test func `requests sent in one go are answered in order`() throws {
    try Session.with { session in
      let peer = try Peer(session.tree.socketPath)
      let lines = ["list", "token", "status", "daemon_status"].map { "{\"v\":1,\"request\":\"\($0)\"}\n" }
      #expect(try peer.send(Array(lines.joined().utf8)))
      var answers: [JSONObject] = []
      for _ in lines {
        let line = try #require(try peer.readLine())
        answers.append(try #require(try JSON(parsing: Array(line.utf8))["result"]?.object))
      }
      #expect(answers[0].names == ["accounts"])
      #expect(answers[1]["access_token"] != nil)
      #expect(answers[2].names == ["accounts", "daemon", "vault"])
      #expect(answers[3]["pid"] != nil)
    }
  }

  @Test func `one that does not read its answers blocks nobody`() throws {
    try Session.with { session in
      let greedy = try Peer(session.tree.socketPath)
      let count = 1000
      let request = "{\"v\":1,\"request\":\"daemon_status\"}\n"
      #expect(try greedy.send(Array(String(repeating: request, count: count).utf8)))
      for _ in 0..<3 { #expect(try !session.tree.token().isEmpty) }
      for _ in 0..<count { #expect(try greedy.readLine()?.contains("\"pid\"") == true) }
      #expect(try greedy.ask(Self.token).contains("access_token"))
    }
  }

  @Test func `one that leaves in the middle changes nothing for those who wait`() throws {
    try Session.with { session in
      try session.issuer.control("hang", "token")
      let leaver = try session.tree.start(["token", "work", "--force-refresh"])
      try session.issuer.await("hangs", 1)
      let stays = try session.tree.start(["token", "work", "--force-refresh", "--timeout", "5m"])
      #expect(try leaver.terminate(Signals.SIGKILL) == .signalled(Signals.SIGKILL))
      try session.issuer.control("hang", "off")
      #expect(try stays.wait() == .exited(0))
      #expect(try session.issuer.count("refreshes") <= 2)
    }
  }
}
