import Encoding
import Platform
import TestSupport
import Testing

/// The independent reader is zbar.
@Suite(.needsPrograms) struct `The QR code of a sign-in` {
  @Test(arguments: [(80, 24), (80, 40), (100, 30), (120, 30), (200, 50)])
  func `is beside the text on one screen, without being asked for`(columns: Int, rows: Int) throws {
    try Issuer.with(approval: "ask") { issuer in
      try AgentTree.with { tree in
        let command = try [
          Programs.path("agent"), "login", "work", "--issuer", issuer.url, "--client-id", "agent-cli",
          "--allow-http-loopback", "--device", "--scope", "openid email profile offline_access address phone",
        ]
        let program = try WatchedProgram(tree, columns: columns, rows: rows, ["LANG": "C.UTF-8"], command)
        let screen = try program.until(" left.")
        let address = try #require(screen.lines.first { $0.contains("/device?user_code=") }).drop { $0 == " " }
        try program.photograph(tree.path("screen.pgm"), isLight: false)
        let reader = try ProcessRunner.run(
          executable: "/usr/bin/zbarimg", arguments: ["--quiet", "--raw", tree.path("screen.pgm")])
        #expect(reader.outputText == "\(address)\n", "\(reader.errorText)")
        // Neither the first line nor the countdown has scrolled away.
        #expect(screen.rows.count <= rows && screen.rows.first?.hasPrefix("Sign in to ") == true, "\(screen.rows)")
        try program.interrupt()
        #expect(try program.end().status == 130)
      }
    }
  }

  @Test(arguments: [(["NO_COLOR": "1"], false), ([:], false), ([:], true)] as [([String: String], Bool)])
  func `is read from the screen as the address with the code in it`(variables: [String: String], isLight: Bool) throws {
    try Issuer.with(approval: "ask") { issuer in
      try AgentTree.with { tree in
        let command = try [
          Programs.path("agent"), "login", "work", "--issuer", issuer.url, "--client-id", "agent-cli",
          "--allow-http-loopback",
        ]
        let variables = variables.merging(["AGENT_QR_CODE": "always"]) { given, _ in given }
        let program = try WatchedProgram(tree, columns: 80, variables.mapValues { $0 }, command)
        try program.until("\u{2588}\u{2588}\u{2588}")
        let screen = try program.until(" left.")
        let address = try #require(screen.lines.first { $0.contains("/device?user_code=") }).drop { $0 == " " }
        try program.photograph(tree.path("screen.pgm"), isLight: isLight)
        let reader = try ProcessRunner.run(
          executable: "/usr/bin/zbarimg", arguments: ["--quiet", "--raw", tree.path("screen.pgm")])
        // RFC 8628 section 3.3.1: the URL in the text (`verification_uri_complete`), and nothing else.
        #expect(reader.outputText == "\(address)\n", "\(reader.errorText)")
        try program.interrupt()
        #expect(try program.end().status == 130)
      }
    }
  }
}
