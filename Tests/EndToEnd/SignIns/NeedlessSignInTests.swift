import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `A sign-in that there is no need for` {
  @Test func `is left out with --if-needed, after a renewal if need be, and says who is signed in`() throws {
    try Session.with("--access-token-lifetime", "3") { session in
      let (tree, issuer) = (session.tree, session.issuer)
      let begun = try issuer.count("device_authorizations")
      let kept = try tree.agent("login", "work", "--if-needed")
      #expect(kept.succeeded && kept.outputText.isEmpty)
      #expect(kept.errorText.hasPrefix("agent: already signed in to \(issuer.url) as "), "\(kept.errorText)")
      try session.waitUntilExpired()
      #expect(
        try tree.agent("login", "--if-needed", "--quiet") == ProcessResult(status: .exited(0), output: [], error: []))
      #expect(try issuer.count("refreshes") >= 1)
      let event = try JSON(parsing: tree.agent("login", "work", "--if-needed", "--json").output)
      #expect(event["event"] == "signed_in" && event["kept"] == true && event["account"] == "work")
      #expect(event["renews"] == true)
      #expect(try issuer.count("device_authorizations") == begun)
    }
  }

  @Test func `is made with --if-needed when no token can be had, and not when only the server is away`() throws {
    try Session.with { session in
      let (tree, issuer) = (session.tree, session.issuer)
      #expect(try tree.agent("logout", "work").succeeded)
      let again = try tree.agent("login", "work", "--if-needed", "--device", "--json")
      #expect(again.succeeded, "\(again.errorText)")
      #expect(again.lines.last?.contains(#""event":"signed_in""#) == true && !again.outputText.contains("kept"))
      try issuer.control("revoke_all", "1")
      #expect(try tree.agent("token", "work", "--force-refresh").failed(3))
      #expect(try tree.agent("login", "work", "--if-needed", "--device").succeeded)
      try tree.stopDaemon()
      issuer.stop()
      #expect(try tree.agent("login", "work", "--if-needed", "--device").failed(4))
    }
  }

  @Test func `is left out with --ended, which signs in again where a session has ended`() throws {
    try Session.with { session in
      let (tree, issuer) = (session.tree, session.issuer)
      let gone = try Issuer.start()
      defer { gone.stop() }
      try tree.signIn("gone", at: gone.url)
      try tree.signIn("home", at: issuer.url)
      try gone.control("revoke_all", "1")
      try issuer.control("revoke_all", "1")
      try tree.signIn("valid", at: issuer.url)
      let status = try tree.agent("status", "--check")
      #expect(status.outputText.hasSuffix("\n3 sessions have ended; to sign in again: agent login --ended\n"))
      let before = try tree.token("valid")
      gone.stop()
      let again = try tree.agent("login", "--ended", "--device")
      #expect(again.failed(4), "\(again.errorText)")
      let lines = again.errorText.split(separator: "\n").filter { $0.contains(": signed in to ") }
      #expect(lines.count == 2 && lines[0].contains("(account work") && lines[1].contains("(account home"), "\(lines)")
      #expect(again.errorText.contains("agent: error: gone: cannot reach "), "\(again.errorText)")
      for (index, name) in ["work", "gone", "home"].enumerated() {
        #expect(again.errorText.contains("agent: signing in to \(name) (\(index + 1) of 3)\n"), "\(again.errorText)")
      }
      #expect(
        again.errorText.hasSuffix("agent: signed in again: 2 of 3; still signed out: gone\n"), "\(again.errorText)")
      #expect(!again.errorText.contains("the active account is still"), "\(again.errorText)")
      #expect(try tree.token("valid") == before)
      #expect(
        try tree.agent("status").outputText.hasSuffix("\n1 session has ended; to sign in again: agent login --ended\n"))
      #expect(try tree.agent("account", "remove", "gone", "--local").succeeded)
      #expect(try tree.agent("login", "--ended").errorText == "agent: no session has ended\n")
      #expect(try tree.agent("login", "work", "--ended").failed(2))
    }
  }

  @Test func `is made for a new account with --if-needed`() throws {
    try Issuer.with([]) { issuer in
      try AgentTree.with { tree in
        try tree.signIn("new", at: issuer.url, "--if-needed")
        #expect(try !tree.token("new").isEmpty)
      }
    }
  }

  @Test(arguments: ["y", "n", ""]) func `is asked for on a terminal`(answer: String) throws {
    try Session.with { session in
      let tree = session.tree
      let before = try tree.token()
      let program = try WatchedProgram(
        tree, columns: 100, ["AGENT_QR_CODE": "never"],
        [Programs.path("agent"), "login", "work", "--device"])
      try program.until("work is signed in as ")
      try program.until("Sign in again?")
      if !answer.isEmpty { try program.type(answer) }
      try program.type("^M")
      let end = try program.end()
      #expect(end.status == 0)
      #expect(end.rows.contains { $0.contains("agent: signed in to ") } == (answer == "y"), "\(end.rows)")
      #expect(try (tree.token() == before) == (answer != "y"))
    }
  }

  @Test func `is made without a question where more is named, without a terminal, and after a sign-out`() throws {
    try Session.with { session in
      let tree = session.tree
      let before = try tree.token()
      #expect(try tree.agent("login", "work", "--device").succeeded)
      #expect(try tree.token() != before)
      let wider = try WatchedProgram(
        tree, columns: 100, ["AGENT_QR_CODE": "never"],
        [Programs.path("agent"), "login", "work", "--device", "--scope", "openid email"])
      #expect(try wider.end().status == 0)
      #expect(try tree.agent("logout").succeeded)
      let again = try WatchedProgram(
        tree, columns: 100, ["AGENT_QR_CODE": "never"],
        [Programs.path("agent"), "login", "work", "--device"])
      #expect(try again.end().status == 0)
    }
  }
}
