import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `With --verbose the daemon tells` {
  /// The output without times, without the client's own steps, and without the issuer's URL.
  private func steps(_ result: ProcessResult) -> [String] {
    let prefix = "agent: work: "
    return result.errorText.split(separator: "\n").filter { $0.hasPrefix(prefix) }.map { line in
      line.dropFirst(prefix.count).split(separator: " ").map { word in
        if word.allSatisfy(\.isNumber), word != "200" { return "N" }
        guard let uri = try? URI(String(word)), uri.isHTTPLoopback else { return String(word) }
        return "ISSUER\(uri.path)\(word.hasSuffix(":") && !uri.path.hasSuffix(":") ? ":" : "")"
      }.joined(separator: " ")
    }
  }

  private static let cached = "metadata from the cache, N s old"
  private static let tokens = "token endpoint: POST ISSUER/token: HTTP status 200 in N ms"
  private static let written = "the account's record is on disk"
  private static let read = "the account's record was read from the vault"
  private static let began = "refresh began, attempt N"

  @Test(arguments: [
    ["token", "work"], ["token", "work", "--json"], ["env", "-a", "work"], ["exec", "work", "--", "true"],
  ])
  func `why a token came from memory`(command: [String]) throws {
    try Session.with { session in
      let asked = try session.issuer.requests()
      var line = command
      line.insert("--verbose", at: 1)
      let result = try session.tree.agent(line)
      #expect(result.succeeded)
      #expect(steps(result) == ["using the cached token, 59m left"])
      #expect(try !result.errorText.contains(session.tree.token()))
      #expect(try session.issuer.requests() == asked)
    }
  }

  @Test func `why a token is refreshed, and each step of that`() throws {
    try Session.with { session in
      try session.tree.stopDaemon()
      let cold = try session.tree.agent("token", "work", "-v")
      #expect(
        steps(cold) == [
          "no cached token: refreshing", Self.began, Self.read, Self.cached, Self.tokens, Self.written,
          "key set from the cache, N s old", "the ID Token was verified: ES256", "refresh ended after N ms: ok",
        ])
      let forced = try session.tree.agent("token", "work", "-v", "--force-refresh")
      #expect(steps(forced).first == "a new token was requested: refreshing")
      #expect(forced.lines.count == 1)
      let log = try session.tree.agent("daemon", "log").outputText
      #expect(log.contains(" work: a new token was requested: refreshing\n"))
      #expect(log.contains(" work: token endpoint: POST \(session.issuer.url)/token: HTTP status 200 in "))
    }
  }

  @Test func `how much of its life a token has left`() throws {
    try Session.with("--access-token-lifetime", "100") { session in
      let expiry = try #require(session.events.last?["expires_at"]?.int)
      while SystemTime().wallSeconds() < expiry - 98 { Threads.sleep(for: .milliseconds(50)) }
      let result = try session.tree.agent("token", "work", "-v", "--min-valid", "99")
      #expect(steps(result).first == "the cached token has N s left, less than N s: refreshing")
      #expect(result.errorText.contains(" less than 99 s: "))
    }
  }

  @Test func `that a refresh is under way, and how it goes on`() throws {
    try Session.with { session in
      try session.issuer.control("hang", "token")
      let first = try session.tree.start(["token", "work", "--force-refresh"])
      try session.issuer.await("hangs", 1)
      let second = try session.tree.start(["token", "work", "--force-refresh", "--verbose"])
      let deadline = Instant.now.advanced(by: .testLimit)
      while !second.errorText.contains("waiting for a running refresh") {
        try #require(Instant.now < deadline, "\(second.errorText)")
        Threads.sleep(for: .milliseconds(20))
      }
      try session.issuer.control("hang", "off")
      #expect(try first.wait() == .exited(0) && second.wait() == .exited(0))
      #expect(
        second.errorText.contains("agent: work: token endpoint: POST \(session.issuer.url)/token: HTTP status 200 in "))
      #expect(first.errorText == "")
    }
  }

  @Test func `what went wrong, and that it tries again`() throws {
    try Session.with { session in
      session.issuer.stop()
      let result = try session.tree.agent("token", "work", "-v", "--force-refresh", "--json")
      #expect(result.failed(4) && result.failureCode == "network")
      let told = steps(result)
      #expect(told.count { $0 == "token endpoint: POST ISSUER/token: failed after N ms: connection refused" } == 3)
      #expect(told.contains("refresh waits N ms before attempt N"))
    }
  }

  @Test func `what it asks the server for a sign-in`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let login = try tree.agent(
          "login", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--verbose",
          "--json")
        #expect(login.succeeded)
        let told = steps(login)
        #expect(told.first == "sign-in began")
        #expect(told.contains("metadata: GET ISSUER/.well-known/openid-configuration: HTTP status 200 in N ms"))
        #expect(
          told.contains("device authorization endpoint: POST ISSUER/device_authorization: HTTP status 200 in N ms"))
        #expect(told.contains("the ID Token was verified: ES256"))
        #expect(told.contains("sign-in ended after N ms: ok"))
        let events = try login.lines.map { try JSON(parsing: Array($0.utf8))["event"]?.string }
        #expect(events == ["device_code", "signed_in"])
      }
    }
  }

  @Test func `what it asks the server for a check, for a person's claims and for a sign-out`() throws {
    try Session.with { session in
      let tree = session.tree
      #expect(
        steps(try tree.agent("status", "work", "--check", "-v")).contains(
          "UserInfo endpoint: GET ISSUER/userinfo: HTTP status 200 in N ms"))
      #expect(
        steps(try tree.agent("whoami", "work", "-v")).last
          == "the ID Token identifies the user: no UserInfo request")
      #expect(steps(try tree.agent("account", "set", "work", "--scope", "openid", "-v")).last == "settings: changed")
      let logout = steps(try tree.agent("logout", "work", "--verbose"))
      #expect(logout.contains("revocation endpoint: POST ISSUER/revoke: HTTP status 200 in N ms"))
      #expect(logout.last == "signed out: revoked")
    }
  }

  @Test func `nothing to those who did not ask, and nothing of other accounts`() throws {
    try Session.with { session in
      let tree = session.tree
      try tree.signIn("home", at: session.issuer.url)
      #expect(try tree.agent("token", "work", "--force-refresh").errorText == "")
      #expect(try !tree.agent("daemon", "log").outputText.contains("refreshing"))
      try session.issuer.control("hang", "token")
      let slow = try tree.start(["token", "work", "--force-refresh", "-v"])
      try session.issuer.await("hangs", 1)
      _ = try tree.agent("use", "home")
      try session.issuer.control("hang", "off")
      #expect(try slow.wait() == .exited(0))
      #expect(!slow.errorText.contains("home"))
    }
  }
}
