import TestSupport
import Testing
import Wire

@testable import CommandLine

@Suite struct `A command to paste` {
  private func text(operand: String) throws -> String {
    HintCommand(try Parser.parse(["login", "--", operand]), operands: [operand], without: []).text
  }

  @Test func `has all options that were given, but for those that are replaced`() throws {
    let line = [
      "-j", "login", "https://api.example/", "--scope=a b", "-s", "c", "--timeout", "90", "--issuer", "x",
      "--allow-http-loopback", "--no-input",
    ]
    var command = HintCommand(
      try Parser.parse(line), operands: ["https://api.example/"], without: [Option.issuer.declaration])
    command.add(Option.issuer.declaration, "https://as.example")
    #expect(
      command.text
        == "agent login https://api.example/ --json --scope 'a b' --scope c --timeout 90 --allow-http-loopback"
        + " --no-input --issuer https://as.example")
  }

  @Test(arguments: [
    ("https://api.example/?k=1&l=$(x)", "'https://api.example/?k=1&l=$(x)'"), ("it's", #"'it'\''s'"#), ("~", "'~'"),
    ("a=~", "'a=~'"), ("é", "'é'"), ("''", #"\'\'"#),
  ]) func `is quoted for the shell where it must be`(word: String, quoted: String) throws {
    #expect(try text(operand: word) == "agent login \(quoted)")
  }

  @Test(arguments: [
    "https://api.example/?k=1&l=$(x)`y`", "it's", "a  b c", "*", "~root", "a=~", #"\n"#, "!x", "-x", "é\"", "#",
    "{a,b}", "it'\u{301}; printf x",
  ]) func `comes out of a shell as it was`(word: String) throws {
    let result = try ProcessRunner.run(
      executable: "/bin/sh", arguments: ["-c", #"agent() { printf '<%s>' "$@"; }; "# + text(operand: word)],
      environment: [])
    #expect(result.outputText == "<login><\(word)>")
  }

  /// The hint of a daemon that knows only part of the command line, as shown to the user.
  private func hint(_ line: String, _ correction: Correction) throws -> String? {
    let console = Console(try Parser.parse(line.split(separator: " ").map { String($0) }))
    return console.completingHint(of: Failure(.network, "x", hint: "do: \(correction)")).hint
  }

  @Test func `is the line that was typed, with the change that a hint proposes`() throws {
    let slash = Correction(
      "agent login --issuer https://b", adding: [.init("issuer", "https://b")], removing: ["no-input"])
    #expect(
      try hint("verify --issuer https://b/ --audience x --no-input", slash)
        == "do: agent verify --audience x --issuer https://b")
    #expect(try hint("login https://b/ --paste", slash) == "do: agent login https://b --paste")
    #expect(
      try hint("login https://b/.well-known/openid-configuration", slash) == "do: agent login https://b")
    #expect(
      try hint("login https://b/.well-known/oauth-authorization-server/t", slash)
        == "do: agent login https://b/.well-known/oauth-authorization-server/t --issuer https://b")
    // Another command has no such option, and a resumed sign-in began with another command line.
    #expect(try hint("token work", slash) == "do: agent login --issuer https://b")
    #expect(try hint("login --resume 0", slash) == "do: agent login --issuer https://b")
    // The repeated command signs in.
    let again = Correction("agent login work --device", adding: [], removing: ["json"])
    #expect(try hint("login work --device --if-needed --json", again) == "do: agent login work --device --if-needed")
    #expect(try hint("account import work", again) == "do: agent login work --device")
  }
}
