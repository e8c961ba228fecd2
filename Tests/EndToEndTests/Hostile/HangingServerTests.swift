import Encoding
import Platform
import TestSupport
import Testing

/// These measure time, so they run one after the other.
@Suite(.needsPrograms, .serialized) struct `A server that hangs` {
  /// Far more than a cached token takes on a busy machine, and far less than a request may hang.
  private static let soon = Duration.seconds(3)

  @Test func `it delays no other account`() throws {
    try Issuer.with { slow in
      try Session.with { session in
        try session.tree.signIn("slow", at: slow.url)
        _ = try session.tree.token("work")
        try slow.control("hang", "token")
        let stuck = try session.tree.start(["token", "slow", "--force-refresh", "--timeout", "25s"])
        try slow.await("hangs", 1)
        let started = Instant.now
        for _ in 0..<5 { #expect(try !session.tree.token("work").isEmpty) }
        #expect(try !session.tree.token("work", "--force-refresh").isEmpty)
        #expect(try session.tree.agent("list").succeeded)
        #expect(try session.tree.agent("status").succeeded)
        #expect(started.duration(to: .now) < Self.soon)
        #expect(try session.tree.json("status", "slow")["accounts"]?.array?.first?["state"] == "refreshing")
        try slow.control("hang", "off")
        #expect(try stuck.wait() == .exited(0))
      }
    }
  }

  @Test func `its own good token is still served`() throws {
    try Session.with { session in
      let token = try session.tree.token()
      try session.issuer.control("hang", "token")
      let stuck = try session.tree.start(["token", "work", "--force-refresh", "--timeout", "25s"])
      try session.issuer.await("hangs", 1)
      let started = Instant.now
      #expect(try session.tree.token() == token)
      #expect(started.duration(to: .now) < Self.soon)
      try session.issuer.control("hang", "off")
      #expect(try stuck.wait() == .exited(0))
    }
  }

  @Test func `a caller's own deadline holds`() throws {
    try Session.with { session in
      try session.issuer.control("hang", "token")
      let started = Instant.now
      let result = try session.tree.agent("token", "work", "--force-refresh", "--timeout", "1s", "--json")
      #expect(result.failed(4))
      #expect(result.failureCode == "timeout")
      #expect(started.duration(to: .now) < .seconds(1) + Self.soon)
      try session.issuer.control("hang", "off")
    }
  }

  @Test func `a sign-in that hangs can be interrupted`() throws {
    try Session.with { session in
      try session.issuer.control("hang", "device")
      let login = try session.tree.start(["login", "work", "--json"])
      try session.issuer.await("hangs", 1)
      let started = Instant.now
      try login.signal(Signals.SIGINT)
      #expect(try login.wait() == .exited(130))
      #expect(try !session.tree.token().isEmpty)
      #expect(started.duration(to: .now) < Self.soon)
      try session.issuer.control("hang", "off")
    }
  }
}
