import Crypto
import Platform
import TestSupport
import Testing

/// Tokens that a user types or pastes at a terminal, which delivers them line by line.
@Suite(.needsPrograms) struct `Tokens that are typed` {
  private static let question = "reading tokens, one per line, until end of file (Ctrl-D)"

  /// Starts a command that reads tokens, and waits until it says so.
  private func typing(
    _ words: [String] = [], body: (WatchedProgram, SignedTokens) throws -> Void
  ) throws {
    try AgentTree.with { tree in
      let key = try SignedTokens(.Ed25519)
      try tree.directory.write("jwks", try key.keySet())
      let verify = ["verify", "--jwks", tree.path("jwks")]
      let program = try WatchedProgram(
        tree, columns: 200, ["NO_COLOR": "1"], [Programs.path("agent")] + (words.isEmpty ? verify : words))
      #expect(try program.until("(Ctrl-D)").rows.last { !$0.isEmpty } == "agent: \(Self.question)")
      try body(program, key)
    }
  }

  private func verdicts(_ screen: WatchedProgram.Screen) -> [String] {
    screen.lines.filter { $0.hasPrefix("valid: ") || $0.hasPrefix("not valid ") }.map { String($0.prefix(20)) }
  }

  @Test func `are checked as soon as their line is whole, up to Ctrl-D`() throws {
    try typing { program, key in
      try program.type(try key.token())
      try program.type("^M")
      try program.until("valid: Ed25519, key k")
      try program.type("x")
      try program.type("^M")
      try program.until("not valid (not_compact)")
      try program.type("^D")
      let end = try program.end()
      #expect(end.status == 7 && end.echoes)
      #expect(verdicts(end).count == 2)
    }
  }

  @Test func `may end with Ctrl-D alone`() throws {
    try typing { program, key in
      try program.type(try key.token())
      try program.type("^D")
      let end = try program.end()
      #expect(end.status == 0 && end.echoes, "\(end.rows)")
      #expect(end.raw.contains("valid: Ed25519, key k"))
    }
  }

  @Test func `are decoded in the same way`() throws {
    try typing(["decode"]) { program, key in
      try program.type(try key.token())
      try program.type("^D")
      let end = try program.end()
      #expect(end.status == 0 && end.raw.contains("NOT VERIFIED") && end.raw.contains("signature"))
    }
  }

  @Test func `may be none`() throws {
    try typing { program, _ in
      try program.type("^D")
      let end = try program.end()
      #expect(end.status == 2 && end.raw.contains("the input contains no token"), "\(end.rows)")
    }
  }

  // A terminal drops the rest of a longer line.
  @Test(arguments: [["decode"], []]) func `are not taken when they may be cut off`(words: [String]) throws {
    try typing(words) { program, _ in
      try program.type(String(repeating: "a", count: 5000))
      try program.type("^M")
      let end = try program.end()
      #expect(end.status == 2 && end.raw.contains("the token may be cut off"), "\(end.rows.suffix(3))")
    }
  }

  @Test func `are given up with Ctrl-C`() throws {
    try typing { program, _ in
      try program.type("half a tok")
      try program.interrupt()
      let end = try program.end()
      #expect(end.status == 130 && end.echoes)
    }
  }

  /// Reading the terminal on behalf of a stopped command would consume the shell's input.
  @Test func `are not read while the command is suspended`() throws {
    try AgentTree.with { tree in
      let key = try SignedTokens(.Ed25519)
      try tree.directory.write("jwks", try key.keySet())
      let script = """
        set -m
        '\(try Programs.path("agent"))' verify --jwks '\(tree.path("jwks"))'
        echo "suspended: $?"
        for word in one two three; do read -r line; echo "$word: $line"; done
        fg >/dev/null
        echo "ended: $?"
        """
      let program = try WatchedProgram(
        tree, columns: 200, ["HISTFILE": nil, "NO_COLOR": "1"], ["/bin/bash", "--norc", "-c", script])
      try program.until("(Ctrl-D)")
      try program.type("^Z")
      try program.until("suspended: 148")
      for (number, word) in ["one", "two", "three"].enumerated() {
        try program.type("line \(number)\r")
        try program.until("\(word): line \(number)")
      }
      try program.type(try key.token())
      try program.type("^M")
      try program.until("valid: Ed25519, key k")
      try program.type("^D")
      try program.until("ended: 0")
      #expect(try program.end().status == 0)
    }
  }
}
