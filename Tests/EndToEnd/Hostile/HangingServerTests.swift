import Encoding
import Platform
import TestSupport
import Testing

/// If the server still hangs afterwards, nothing waited for it.
@Suite(.needsPrograms) struct `A server that hangs` {
  @Test func `it delays no other account`() throws {
    try Issuer.with { slow in
      try Session.with { session in
        try session.tree.signIn("slow", at: slow.url)
        _ = try session.tree.token("work")
        try slow.control("hang", "token")
        let stuck = try session.tree.start(["token", "slow", "--force-refresh", "--timeout", "5m"])
        try slow.await("hangs", 1)
        for _ in 0..<5 { #expect(try !session.tree.token("work").isEmpty) }
        #expect(try !session.tree.token("work", "--force-refresh").isEmpty)
        #expect(try session.tree.agent("list").succeeded)
        #expect(try session.tree.agent("status").succeeded)
        #expect(try session.tree.isRefreshing("slow"))
        try slow.control("hang", "off")
        #expect(try stuck.wait() == .exited(0))
      }
    }
  }

  @Test func `its own good token is still served`() throws {
    try Session.with { session in
      let token = try session.tree.token()
      try session.issuer.control("hang", "token")
      let stuck = try session.tree.start(["token", "work", "--force-refresh", "--timeout", "5m"])
      try session.issuer.await("hangs", 1)
      #expect(try session.tree.token() == token)
      #expect(try session.tree.isRefreshing())
      try session.issuer.control("hang", "off")
      #expect(try stuck.wait() == .exited(0))
    }
  }

  @Test func `a caller's own deadline holds`() throws {
    try Session.with { session in
      try session.issuer.control("hang", "token")
      let result = try session.tree.agent("token", "work", "--force-refresh", "--timeout", "5s", "--json")
      #expect(result.failed(4))
      #expect(result.failureCode == "timeout")
      #expect(try session.tree.isRefreshing())
      try session.issuer.control("hang", "off")
    }
  }

  @Test func `a sign-in that hangs can be interrupted`() throws {
    try Session.with { session in
      try session.issuer.control("hang", "device")
      let login = try session.tree.start(["login", "work", "--json"])
      try session.issuer.await("hangs", 1)
      try login.signal(Signals.SIGINT)
      #expect(try login.wait() == .exited(130))
      #expect(try !session.tree.token().isEmpty)
      try session.issuer.control("hang", "off")
    }
  }
}
