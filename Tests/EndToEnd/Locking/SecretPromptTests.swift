import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `A client secret that is asked for on the terminal` {
  private func watch(_ tree: AgentTree, _ issuer: Issuer) throws -> WatchedProgram {
    try WatchedProgram(
      tree, columns: 80, ["AGENT_QR_CODE": "never"],
      [
        Programs.path("agent"), "login", "work", "--issuer", issuer.url, "--client-id", "agent-confidential",
        "--allow-http-loopback", "--device", "--client-secret-prompt",
      ])
  }

  @Test func `is not shown, and goes to the daemon`() throws {
    try AgentTree.with { tree in
      try Issuer.with(["--client-secret-file", tree.path("secret")]) { issuer in
        let secret = String(decoding: try tree.directory.read("secret"), as: UTF8.self).filter { !$0.isNewline }
        let program = try watch(tree, issuer)
        try program.until("Client secret:")
        try program.untilEcho(false)
        try program.type(secret)
        try program.type("^M")
        let end = try program.end()
        #expect(end.status == 0, "\(end.raw)")
        #expect(end.echoes && !end.raw.contains(secret))
        #expect(try !tree.token("work", "--force-refresh").isEmpty)
      }
    }
  }

  @Test func `can be given up, and the terminal shows again what is typed`() throws {
    try AgentTree.with { tree in
      try Issuer.with(["--client-secret-file", tree.path("secret")]) { issuer in
        let program = try watch(tree, issuer)
        try program.until("Client secret:")
        try program.untilEcho(false)
        try program.type("half a sec")
        try program.interrupt()
        let end = try program.end()
        #expect(end.status == 130 && end.echoes && !end.raw.contains("half a sec"))
        #expect(try issuer.requests() == 0)
      }
    }
  }
}
