import Encoding
import Platform
import TestSupport
import Testing

/// What a command that needs a token asks on a terminal if its account is signed out or locked.
@Suite(.needsPrograms) struct `A command that needs a sign-in` {
  private static func signedOut(_ body: (Session) throws -> Void) throws {
    try Session.with { session in
      try #require(session.tree.agent("account", "set", "work", "--host", session.issuer.url).succeeded)
      try #require(session.tree.agent("logout", "work").succeeded)
      try body(session)
    }
  }

  /// A shell's script on a terminal. With jobs, each command is a job of its own.
  private static func script(_ text: String, _ tree: AgentTree, hasJobs: Bool = false) throws -> WatchedProgram {
    try WatchedProgram(tree, columns: 200, [:], ["/bin/bash"] + (hasJobs ? ["-m"] : []) + ["-c", text])
  }

  private static let question = "work is signed out. Sign in now? [Y/n]"

  @Test(arguments: [
    ["token"], ["token", "--header"], ["env"], ["exec", "--", "printenv", "AGENT_ACCESS_TOKEN"], ["request", "URL"],
    ["exec", "--lease", "--", "AGENT", "request", "URL"],
  ]) func `asks who typed it whether to sign in, and goes on`(words: [String]) throws {
    try Self.signedOut { session in
      let agent = try Programs.path("agent")
      let words = words.map { ["URL": "\(session.issuer.url)/userinfo", "AGENT": agent][$0] ?? $0 }
      let program = try WatchedProgram(session.tree, columns: 200, [:], [agent] + words)
      try program.until(Self.question)
      try program.type("\r")
      let end = try program.end()
      #expect(end.status == 0, "\(end.rows)")
      let answer = words.contains("request") ? "\"sub\":" : try session.tree.token()
      #expect(end.raw.contains("signed in to \(session.issuer.url)") && end.raw.contains(answer), "\(end.rows)")
    }
  }

  @Test func `fails as it does elsewhere if the answer is no, and asks once for an ended session`() throws {
    try Self.signedOut { session in
      let program = try WatchedProgram(session.tree, columns: 200, [:], [Programs.path("agent"), "token"])
      try program.until(Self.question)
      try program.type("n\r")
      let end = try program.end()
      #expect(end.status == 3 && end.lines.contains("agent: hint: agent login work"), "\(end.rows)")
      try session.tree.signIn(at: session.issuer.url)
      try session.issuer.control("revoke_all", "1")
      let ended = try WatchedProgram(
        session.tree, columns: 200, [:], [Programs.path("agent"), "token", "--force-refresh"])
      try ended.until("the session of work has ended. Sign in now? [Y/n]")
      try ended.type("y\r")
      #expect(try ended.end().status == 0)
    }
  }

  @Test func `asks nobody from a script, with --no-input, for JSON, and where its output is read`() throws {
    try Self.signedOut { session in
      for command in [
        "agent token", "agent exec -- true", "agent exec --lease -- true", "agent -q token", "agent token --json",
        "agent token | cat; exit ${PIPESTATUS[0]}",
        #"t=$(agent token)"#, "agent token </dev/null", "agent token 2>/dev/null",
      ] {
        let end = try Self.script(command + "; exit $?", session.tree).end()
        #expect(end.status == 3 && !end.raw.contains("[Y/n]"), "\(command): \(end.rows)")
      }
      for words in [["token", "--no-input"], ["token", "--json"], ["token", "-q"]] {
        let end = try WatchedProgram(session.tree, columns: 200, [:], [Programs.path("agent")] + words).end()
        #expect(end.status == 3 && !end.raw.contains("[Y/n]"), "\(words): \(end.rows)")
      }
      #expect(try session.tree.agent("token", "--ask").failed(3))
      for words in [
        ["token", "--ask", "--no-input"], ["env", "--ask", "--hook", "bash"],
        ["request", "--ask", "--data", "@-", "https://api.example"],
        ["exec", "--ask", "--lease", "--no-input", "--", "true"],
      ] { #expect(try session.tree.agent(words).status == .exited(2), "\(words)") }
    }
  }

  @Test(arguments: [
    #"eval "$(agent env --ask)""#, #"eval "$(agent env --ask 2>/dev/null)""#, "AGENT_ACCESS_TOKEN=$(agent token --ask)",
  ]) func `signs in at once with --ask, whatever is redirected`(command: String) throws {
    try Self.signedOut { session in
      let end = try Self.script(#"\#(command); echo "status:$?:$AGENT_ACCESS_TOKEN:""#, session.tree).end()
      let token = try session.tree.token()
      #expect(end.raw.contains("status:0:\(token):") && !end.raw.contains("[Y/n]"), "\(end.rows)")
      #expect(end.raw.contains("signed in to"), "\(end.rows)")
    }
  }

  @Test(arguments: ["--token-file --var FILE=token_file", "--lease"])
  func `signs in before the command of exec gets a token file or a lease`(options: String) throws {
    try Self.signedOut { session in
      let command = options == "--lease" ? "agent request \(session.issuer.url)/userinfo" : "sh -c 'cat $FILE'"
      let end = try Self.script(
        #"t=$(agent exec --ask \#(options) -- \#(command)); echo "status:$?:$t:""#, session.tree
      ).end()
      let answer = options == "--lease" ? "\"sub\":" : try session.tree.token()
      #expect(end.raw.contains("status:0:") && end.raw.contains(answer), "\(end.rows)")
      #expect(end.raw.contains("signed in to") && !end.raw.contains("[Y/n]"), "\(end.rows)")
    }
  }

  @Test func `starts no command with a lease that it cannot use, and asks no server`() throws {
    try Self.signedOut { session in
      let words = ["exec", "--lease", "work", "--", "echo", "started"]
      let result = try session.tree.agent(words)
      #expect(result.failed(3) && result.output.isEmpty && result.errorText.contains("agent login work"))
      try session.tree.signIn(at: session.issuer.url)
      _ = try session.tree.agent("daemon", "stop")
      let requests = try session.issuer.requests()
      #expect(try session.tree.agent(words).outputText == "started\n")
      #expect(try session.issuer.requests() == requests)
    }
  }

  @Test func `asks for nothing in the background`() throws {
    try Self.signedOut { session in
      let end = try Self.script(
        #"cd; agent token --ask >out & wait $!; echo "status:$?:""#, session.tree, hasJobs: true
      ).end()
      #expect(end.raw.contains("status:3:") && !end.raw.contains("signed in"), "\(end.rows)")
    }
  }

  @Test func `signs in once for several at a time`() throws {
    try Self.signedOut { session in
      let before = try session.issuer.count("device_authorizations")
      let all = "for n in 1 2 3 4; do agent token --ask >$n & done; wait; cat 1 2 3 4 | sort -u | wc -l"
      let end = try Self.script("cd; \(all)", session.tree).end()
      #expect(end.status == 0 && end.lines.contains("1"), "\(end.rows)")
      #expect(try session.issuer.count("device_authorizations") == before + 1)
    }
  }

  @Test func `asks for the passphrase, by the name of the account`() throws {
    try LockedHome.with { home in
      try home.run("lock")
      let program = try WatchedProgram(home.tree, columns: 200, [:], [Programs.path("agent"), "token", "shut"])
      try program.until("Passphrase for shut:")
      try program.untilEcho(false)
      try program.type("wrong\r")
      try program.until("try again")
      try program.untilEcho(false)
      try program.type(LockedHome.passphrase + "\r")
      let end = try program.end()
      #expect(try end.status == 0 && end.raw.contains(home.tree.token("shut")), "\(end.rows)")
      try home.run("lock")
      let asked = try Self.script(#"t=$(agent token shut --ask); echo "status:$?:""#, home.tree)
      try asked.until("Passphrase for shut:")
      try asked.untilEcho(false)
      try asked.type(LockedHome.passphrase + "\r")
      #expect(try asked.end().raw.contains("status:0:"))
      #expect(try home.tree.agent("token", "shut").succeeded)
    }
  }
}
