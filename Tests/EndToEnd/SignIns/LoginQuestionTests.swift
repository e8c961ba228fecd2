import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `What a sign-in asks a person on a terminal` {
  private func watch(_ tree: AgentTree, _ operands: String...) throws -> WatchedProgram {
    try WatchedProgram(
      tree, columns: 80, ["AGENT_QR_CODE": "never"],
      [Programs.path("agent"), "login"] + operands
        + ["--allow-http-loopback", "--device", "--no-open"])
  }

  @Test func `is the service, then the client id that is missing there`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let program = try watch(tree)
        try program.until("Sign in to (")
        try program.type("\(issuer.url)")
        try program.type("^M")
        try program.until("Client ID")
        try program.type("agent-cli")
        try program.type("^M")
        let end = try program.end()
        #expect(end.status == 0, "\(end.raw)")
        #expect(try tree.json("status")["accounts"]?.array?[0]["client_id"] == "agent-cli")
      }
    }
  }

  @Test func `is which account or service, by number, name, first letters, or nothing for the active one`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        for name in ["work", "own", "wide"] { try tree.signIn(name, at: issuer.url) }
        for name in ["work", "own"] { #expect(try tree.agent("logout", name).succeeded) }
        for (answer, account) in [("2", "own"), ("wo", "work"), ("", "work"), ("work", "work")] {
          let program = try watch(tree)
          let screen = try program.until("Sign in to (number, name or issuer URL; Enter for work):")
          #expect(screen.lines.contains { $0.hasPrefix("2  own ") && $0.hasSuffix("signed out") }, "\(screen.lines)")
          #expect(screen.lines.contains { $0.contains(" github") && $0.contains(" gitlab") }, "\(screen.lines)")
          try program.type(answer + "\r")
          let end = try program.end()
          #expect(end.status == 0, "\(end.raw)")
          #expect(try !tree.token(account).isEmpty)
          #expect(try tree.agent("logout", account).succeeded)
        }
        let program = try watch(tree)
        try program.until("Enter for work):")
        try program.type("99\r")
        try program.until("choose a number from 1 to ")
        try program.type("w\r")
        try program.until("did you mean work or wide?")
        try program.type("gith\r")
        let client = try program.until("Client ID")
        #expect(client.lines.contains { $0.contains("https://github.com/settings/") }, "\(client.lines)")
        try program.interrupt()
        #expect(try program.end().status == 130)
      }
    }
  }

  @Test func `is the issuer of a service that has none of its own`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let program = try watch(tree)
        try program.until("Sign in to (")
        try program.type("dex")
        try program.type("^M")
        try program.until("Issuer URL")
        try program.type("^M")
        try program.type("0\r")
        try program.until("an issuer URL is like https://id.example.org")
        try program.type("\(issuer.url)")
        try program.type("^M")
        try program.until("Client ID")
        try program.type("agent-cli")
        try program.type("^M")
        let end = try program.end()
        #expect(end.status == 0, "\(end.raw)")
        #expect(try !tree.token("dex").isEmpty)
      }
    }
  }

  @Test func `is the client secret where the service gives no tokens without, and it is not shown`() throws {
    try AgentTree.with { tree in
      try Issuer.with(["--client-secret-file", tree.path("secret")]) { issuer in
        let secret = String(decoding: try tree.directory.read("secret"), as: UTF8.self).filter { !$0.isNewline }
        let program = try watch(
          tree, "work", "--issuer", issuer.url, "--provider", "google", "--scope", "openid", "--client-id",
          "agent-confidential")
        try program.until("Client secret")
        try program.type(secret)
        try program.type("^M")
        let end = try program.end()
        #expect(end.status == 0 && !end.raw.contains(secret), "\(end.raw)")
        #expect(end.raw.contains("Google issues tokens only with the client secret"), "\(end.raw)")
        #expect(try tree.agent("login", "work", "--device").succeeded)
      }
    }
  }

  @Test func `need not be answered: then it is told what to type`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let program = try watch(tree, "work", "--issuer", issuer.url)
        try program.until("Client ID")
        try program.type("^M")
        try program.type("^D")
        let end = try program.end()
        #expect(end.status == 2 && end.raw.contains("--client-id"), "\(end.raw)")
      }
    }
  }

  @Test func `takes the whole line, of which no shell then runs the rest`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        try tree.signIn("work", at: issuer.url)
        #expect(try tree.agent("logout", "work").succeeded)
        let script = "agent token work; if read -t 0; then echo a rest; else echo no rest; fi"
        let program = try WatchedProgram(tree, columns: 200, [:], ["/bin/bash", "-m", "-c", script])
        try program.until("Sign in now? [Y/n]")
        try program.type(String(repeating: "x", count: 64) + "echo y\r")
        try program.until("Sign in now? [Y/n]", times: 2)
        try program.type("n\r")
        #expect(try program.end().raw.contains("no rest"))
      }
    }
  }

  @Test func `can be given up`() throws {
    try AgentTree.with { tree in
      let program = try watch(tree)
      try program.until("Sign in to (")
      try program.interrupt()
      let end = try program.end()
      #expect(end.status == 130, "\(end.raw)")
      #expect(try tree.json("list")["accounts"]?.array?.isEmpty ?? true)
    }
  }

  @Test func `is nothing without a terminal`() throws {
    try AgentTree.with { tree in
      let result = try tree.agent("login")
      #expect(result.failed(3) && result.errorText.contains("hint: agent help providers"), "\(result.errorText)")
    }
  }
}
