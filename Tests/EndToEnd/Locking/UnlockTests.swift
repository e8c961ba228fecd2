import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `An unlock` {
  @Test func `takes the passphrase from a file, from standard input and from a descriptor`() throws {
    try LockedHome.with { home in
      for way in [
        "--passphrase-file '\(home.file)'", "--passphrase-file - <'\(home.file)'",
        "--passphrase-fd 7 7<'\(home.file)'", "--passphrase-fd=0 <'\(home.file)'",
      ] {
        try home.lock()
        #expect(try home.isLocked())
        let result = try home.tree.shell("sh", "agent unlock --json \(way)")
        #expect(result.outputText == "{\"unlocked\":[\"passphrase\"]}\n", "\(way): \(result.errorText)")
        #expect(try !home.isLocked(), "\(way)")
      }
    }
  }

  private func watch(_ home: LockedHome, _ arguments: String...) throws -> WatchedProgram {
    try WatchedProgram(home.tree, columns: 80, [:], [Programs.path("agent")] + arguments)
  }

  @Test func `asks for it on the terminal, does not show it, and asks again when it was mistyped`() throws {
    try LockedHome.with { home in
      try home.lock()
      let program = try watch(home, "unlock")
      for word in ["not it", LockedHome.passphrase] {
        try program.until("Passphrase for shut:")
        try program.untilEcho(false)
        try program.type(word)
        try program.type("^M")
        if word == "not it" { try program.until("the passphrase is wrong, try again") }
      }
      let end = try program.end()
      #expect(end.status == 0 && end.echoes, "\(end.raw)")
      #expect(!end.raw.contains("not it") && !end.raw.contains("battery"))
      #expect(try !home.isLocked())
    }
  }

  @Test func `is refused after three wrong ones, and what is there stays locked`() throws {
    try LockedHome.with { home in
      try home.lock()
      let program = try watch(home, "unlock")
      for attempt in 1...3 {
        try program.until("Passphrase for shut:", times: attempt)
        try program.untilEcho(false)
        try program.type("wrong \(attempt)")
        try program.type("^M")
      }
      let end = try program.end()
      #expect(end.status == 5 && end.echoes, "\(end.raw)")
      #expect(end.lines.contains { $0.contains("if you forgot it: agent help --all unlock") }, "\(end.raw)")
      #expect(try home.isLocked())
      let result = try home.tree.agent("unlock", "--json", "--passphrase-file", home.wrong)
      #expect(result.failed(5) && result.failureCode == "wrong_passphrase")
      #expect(try home.isLocked())
      try home.unlock()
      #expect(try !home.isLocked())
    }
  }

  @Test func `asks for no PIN of an account if the TPM cannot be used`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let add = try [
          Programs.path("agent"), "account", "add", "work", "--issuer", issuer.url, "--client-id", "agent-cli",
          "--allow-http-loopback", "--protect", "tpm2",
        ]
        let program = try WatchedProgram(
          tree, columns: 300, ["TPM2OPENSSL_TCTI": "", "NO_COLOR": "1"], add)
        let end = try program.end()
        #expect(end.status == 1 && !end.raw.contains("PIN"), "\(end.raw)")
        #expect(end.rows.contains { $0.hasPrefix("agent: error: the setting TPM2OPENSSL_TCTI") }, "\(end.rows)")
        #expect(
          end.rows.contains { $0.hasPrefix("agent: hint: ") && $0.hasSuffix(" --protect passphrase") }, "\(end.rows)")
        #expect(try issuer.requests() == 0)
      }
    }
  }

  @Test func `never waits for anybody where it must not`() throws {
    try LockedHome.with { home in
      try home.lock()
      let result = try home.tree.agent("unlock", "--no-input", "--json")
      #expect(result.failed(2) && result.failureCode == "invalid_request")
      #expect(result.errorText.contains("use a file with --passphrase-file"))
      let other = try home.tree.agent(["unlock", "--json"], input: LockedHome.passphrase)
      #expect(other.failed(2), "\(other.errorText)")
      #expect(try home.tree.agent("unlock", "--no-daemon").failed(2))
      #expect(try home.tree.agent("lock", "--no-daemon").failed(2))
      #expect(try home.isLocked())
    }
  }

  /// The content of the file, and whether it is a valid passphrase.
  private static let files: [(content: [UInt8], isUsable: Bool)] = [
    ([], false), ([10], false), (Array("\r\n".utf8), false), (Array(repeating: 97, count: 1025), false),
    ([0xFF, 0xFE], false), ([0xED, 0xA0, 0x80], false), ([0xC0, 0x80], false), ([0xF4, 0x90, 0x80, 0x80], false),
    (Array("x".utf8), true), (Array("grün \u{1F511} ключ".utf8), true),
    (Array(repeating: 97, count: 1024) + [10], true),
    (Array(" two  spaces \n".utf8), true),
  ]

  @Test func `takes 1 to 1024 bytes of UTF-8, without the end of the line`() throws {
    try Session.with { session in
      let tree = session.tree
      var isFirst = true
      for (content, isUsable) in Self.files {
        try tree.directory.write("secret", content)
        // The first usable one creates the level, the others are added to it.
        let line =
          isFirst
          ? ["account", "set", "work", "--protect", "passphrase"]
          : ["vault", "add-passphrase", "--protection", "passphrase"]
        let result = try tree.agent(line + ["--json", "--passphrase-file", tree.path("secret")])
        #expect(result.succeeded == isUsable, "\(content.prefix(8)): \(result.errorText)")
        if !isUsable { #expect(result.failed(1) && result.failureCode == "invalid_configuration") }
        if isUsable {
          isFirst = false
          _ = try tree.agent("lock")
          let bare = content.last == 10 ? Array(content.dropLast()) : content
          try tree.directory.write("bare", bare)
          #expect(try tree.agent("unlock", "--passphrase-file", tree.path("bare")).succeeded, "\(content.prefix(8))")
        }
      }
    }
  }

  // MARK: Levels

  @Test func `is what a sign-in to a locked account asks for first`() throws {
    try LockedHome.with { home in
      try home.lock()
      let asked = try home.issuer.requests()
      let refused = try home.tree.agent("login", "shut", "--no-input", "--json")
      #expect(refused.status == .exited(5) && refused.failureCode == "locked", "\(refused.errorText)")
      #expect(try home.issuer.requests() == asked, "nothing was asked of the server")
      let moved = try home.tree.exactly(["login", "shut", "--passphrase-file", home.file])
      #expect(moved.failed(2))
      #expect(Hints.all(in: moved) == ["agent unlock --passphrase-file \(home.file) && agent login shut"])
      try home.unlock()
      try home.run("login", "shut")
      #expect(try !home.isLocked())
      #expect(try home.status("shut")["protection"] == "passphrase", "a sign-in keeps the level")
      try home.lock()
      #expect(try home.isLocked())
    }
  }

  @Test func `is needed to leave a level, and to come to it`() throws {
    try LockedHome.with { home in
      try home.lock()
      #expect(try home.tree.agent("account", "set", "shut", "--protect", "device").failed(5))
      #expect(try home.tree.agent("account", "set", "open", "--protect", "passphrase", "--no-input").failed(2))
      #expect(
        try home.tree.agent("account", "set", "open", "--protect", "passphrase", "--passphrase-file", home.wrong)
          .failed(5))
      #expect(try home.status("open")["protection"] == "device")
      #expect(try !home.isLocked("open"))
      try home.run("account", "set", "open", "--protect", "passphrase", "--passphrase-file", home.file)
      let token = try home.tree.token("open")
      #expect(try home.tree.json("account", "show", "open")["protection"] == "passphrase")
      try home.run("account", "set", "shut", "--protect", "device")
      try home.lock()
      #expect(try home.isLocked("open"))
      #expect(try !home.isLocked("shut"))
      try home.unlock()
      #expect(try home.tree.token("open") != token)
      #expect(try home.issuer.count("reuse_detected") == 0)
    }
  }

  @Test func `is needed to tell the server of a sign-out, but not to be rid of the session or the account`() throws {
    try LockedHome.with { home in
      try home.lock()
      let refused = try home.tree.agent("logout", "shut", "--json")
      #expect(refused.failed(5) && refused.failureCode == "locked", "\(refused.errorText)")
      #expect(try home.tree.agent("account", "remove", "shut").failed(5))
      #expect(try home.isLocked())
      try home.run("logout", "shut", "--local")
      #expect(try home.tree.agent("token", "shut").failed(3))
      try home.run("account", "remove", "shut", "--local")
      #expect(try home.tree.json("list")["accounts"]?.array?.count == 1)
    }
  }

  @Test func `that was forgotten has the way out that the hint leads to`() throws {
    try LockedHome.with { home in
      let tree = home.tree
      try home.lock()
      let refused = try tree.agent("unlock", "--passphrase-file", home.wrong)
      #expect(refused.errorText.contains("agent help --all unlock"), "\(refused.errorText)")
      let help = try home.run("help", "--all", "unlock").outputText.split(whereSeparator: \.isWhitespace)
        .joined(separator: " ")
      for step in ["agent logout --local work", "agent vault remove-slot 2", "agent login work"] {
        #expect(help.contains(step), "\(help)")
      }
      try home.run("logout", "--local", "shut")
      let slots = try #require(try tree.json("vault", "status")["slots"]?.array)
      for slot in slots where slot["protection"] == "passphrase" {
        try home.run("vault", "remove-slot", String(try #require(slot["slot"]?.int)))
      }
      try tree.directory.write("new", "another one")
      try tree.signIn(
        "shut", at: home.issuer.url, "--protect", "passphrase", "--passphrase-file", tree.path("new"))
      try home.lock()
      #expect(try tree.agent("unlock", "--passphrase-file", home.file).failed(5), "the forgotten one")
      try home.run("unlock", "--passphrase-file", tree.path("new"))
      #expect(try !tree.token("shut").isEmpty)
    }
  }

  @Test func `of the whole vault is needed when nothing else opens it`() throws {
    try LockedHome.with { home in
      try home.run("vault", "add-passphrase", "--passphrase-file", home.file)
      try home.run("vault", "remove-slot", "1")
      try home.lock()
      #expect(try home.isLocked("open"))
      #expect(try home.isLocked("shut"))
      #expect(try home.status("open")["state"] == "locked")
      try home.tree.stopDaemon()
      #expect(try home.isLocked("open"))
      #expect(try home.tree.json("unlock", "--passphrase-file", home.file)["unlocked"] == ["device", "passphrase"])
      #expect(try !home.isLocked("open"))
      #expect(try !home.isLocked("shut"))
    }
  }
}
