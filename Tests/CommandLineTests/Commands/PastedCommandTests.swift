import TestSupport
import Testing

@testable import CommandLine

@Suite struct `A command to paste` {
  private func text(operand: String) throws -> String {
    PastedCommand(try Parser.parse(["login", "--", operand]), operands: [operand], without: []).text
  }

  @Test func `has all options that were given, but for those that are replaced`() throws {
    let line = [
      "-j", "login", "https://api.example/", "--scope=a b", "-s", "c", "--timeout", "90", "--issuer", "x",
      "--allow-http-loopback", "--no-input",
    ]
    var command = PastedCommand(
      try Parser.parse(line), operands: ["https://api.example/"], without: [Option.issuer.declaration])
    command.add(Option.issuer.declaration, "https://as.example")
    #expect(
      command.text
        == "agent login https://api.example/ --json --scope 'a b' --scope c --timeout 90 --allow-http-loopback"
        + " --no-input --issuer https://as.example")
  }

  @Test(arguments: [
    ("https://api.example/?k=1&l=$(x)", "'https://api.example/?k=1&l=$(x)'"), ("it's", #"'it'\''s'"#), ("~", "'~'"),
    ("a=~", "'a=~'"), ("é", "'é'"), ("''", #"''\'''\'''"#),
  ]) func `is quoted for the shell where it must be`(word: String, quoted: String) throws {
    #expect(try text(operand: word) == "agent login \(quoted)")
  }

  @Test(arguments: [
    "https://api.example/?k=1&l=$(x)`y`", "it's", "a  b c", "*", "~root", "a=~", #"\n"#, "!x", "-x", "é\"", "#",
    "{a,b}", "it'\u{301}; printf x",
  ]) func `comes out of a shell as it was`(word: String) throws {
    let result = try ProcessRunner.run(
      executable: "/bin/sh", arguments: ["-c", #"agent() { printf '<%s>' "$@"; }; "# + text(operand: word)],
      environment: [], timeout: .seconds(10))
    #expect(result.outputText == "<login><\(word)>")
  }
}
