import Encoding
import Testing

@testable import CommandLine

private func written(_ shell: Shell, _ body: (inout VariableWriter, inout [UInt8]) throws -> Void) rethrows -> String {
  var text: [UInt8] = []
  var writer = VariableWriter(shell)
  writer.begin(&text)
  try body(&writer, &text)
  writer.end(&text)
  return String(decoding: text, as: UTF8.self)
}

@Suite struct `Writing variables` {
  private func setting(_ value: String, _ shell: Shell) throws -> String {
    try written(shell) { writer, text in try writer.set("N", to: Array(value.utf8).span, in: &text) }
  }

  @Test(
    arguments: [
      (.sh, "N='a$'; export N;\n"), (.bash, "N='a$'; export N;\n"), (.zsh, "N='a$'; export N;\n"),
      (.csh, "setenv N 'a$';\n"), (.fish, "set -gx N 'a$';\n"), (.dotenv, "N=\"a\\$\"\n"), (.json, "{\"N\":\"a$\"}\n"),
      (.powershell, "$env:N = 'a$'\n"), (.nu, "{\"N\":\"a$\"}\n"), (.systemd, "N=\"a\\$\"\n"),
    ] as [(Shell, String)])
  func `has a form of its own for each kind of shell`(shell: Shell, expected: String) throws {
    let octal = "'a'\"`printf '\\044'`\"''"
    let isOctal = shell.quoting == .octal
    #expect(try setting("a$", shell) == (isOctal ? expected.replacing("'a$'", with: octal) : expected))
  }

  @Test(arguments: [
    ("", "''"), ("plain é", "'plain é'"), ("it's", "'it\\'s'"), ("a\\b", "'a\\\\b'"), ("\\'", "'\\\\\\''"),
    ("a\tb", "'a'\\x09'b'"), ("\u{1B}[31m", "''\\x1b'[31m'"), ("\u{1}\u{7F}", "''\\x01''\\x7f''"), ("$x*", "'$x*'"),
    ("\u{80}", "''\\Xc2''\\X80''"), ("a\u{202E}b", "'a'\\Xe2''\\X80''\\Xae'b'"),
  ]) func `quotes for fish`(value: String, expected: String) throws {
    #expect(try setting(value, .fish) == "set -gx N \(expected);\n")
  }

  @Test(arguments: [
    ("", "\"\""), ("plain é", "\"plain é\""), ("a\"b", "\"a\\\"b\""), ("\\", "\"\\\\\""), ("$x", "\"\\$x\""),
    ("`x`", "\"\\`x\\`\""), ("it's # no comment", "\"it's # no comment\""), ("\t", "\"\t\""),
  ]) func `quotes for dotenv`(value: String, expected: String) throws {
    #expect(try setting(value, .dotenv) == "N=\(expected)\n")
  }

  @Test(arguments: [
    ("", "''"), ("plain é", "'plain é'"), ("it's", "'it''s'"),
    (
      "\u{2018}\u{2019}\u{201A}\u{201B}\u{201C}",
      "'\u{2018}\u{2018}\u{2019}\u{2019}\u{201A}\u{201A}\u{201B}\u{201B}\u{201C}'"
    ),
    ("$x`\"", "'$x`\"'"), ("\u{1B}[31m", "''+[char]0x1b+'[31m'"), ("a\u{202E}b", "'a'+[char]0x202e+'b'"),
    ("\u{9B}", "''+[char]0x9b+''"), ("\u{E2}\u{80}", "'\u{E2}'+[char]0x80+''"),
  ]) func `quotes for PowerShell`(value: String, expected: String) throws {
    #expect(try setting(value, .powershell) == "$env:N = \(expected)\n")
  }

  @Test func `ends a value of a workflow with a line that is another one in each process`() throws {
    let lines = try setting("a=b<<c %", .githubActions).split(separator: "\n", omittingEmptySubsequences: false)
    let end = try #require(lines.first?.split(separator: "<<").last)
    #expect(lines == ["N<<\(end)", "a=b<<c %", end, ""])
    #expect(end.utf8.count == 36 && end.hasPrefix("end-"), "\(end)")
  }

  /// Each control of U+0080 to U+009F, and those that change the direction of text.
  static let obeyed = ((0x80...0x9F) + [0x61C, 0x200E, 0x200F] + (0x2028...0x202E) + (0x2066...0x2069))
    .compactMap { Unicode.Scalar(UInt32($0)) }

  @Test(arguments: Shell.all) func `shows nothing that a terminal would obey`(shell: Shell) throws {
    for scalar in Self.obeyed + ["\u{1B}", "\u{7}", "\u{7F}"] as [Unicode.Scalar] {
      for value in ["\(scalar)", "é\(scalar)x", "\(scalar)\(scalar)日本"] {
        guard let text = try? setting(value, shell) else {
          #expect([.dotenv, .line].contains(shell.quoting), "\(scalar.value)")
          continue
        }
        #expect(![.dotenv, .line].contains(shell.quoting), "\(scalar.value)")
        #expect(TerminalText.replacingControls(text.replacing("\n", with: "")) == text.replacing("\n", with: ""))
      }
    }
    let harmless = "é 日本語 😀\u{A0}\u{200D}\u{FE0F}"
    #expect(try setting(harmless, shell).contains("日本語 😀\u{A0}\u{200D}\u{FE0F}"))
  }

  @Test func `writes one JSON object, whatever is in it`() throws {
    #expect(written(.json) { _, _ in } == "{}\n")
    let texts = HostileValues.texts + ["\n\r"]
    let text = try written(.json) { writer, text in
      for (index, value) in texts.enumerated() { try writer.set("N\(index)", to: Array(value.utf8).span, in: &text) }
      writer.unset("M", in: &text)
    }
    #expect(text.utf8.last == 0x0A && text.utf8.count { $0 == 0x0A } == 1)
    let object = try #require(try JSON(parsing: Array(text.utf8)).object)
    #expect(object.count == texts.count + 1)
    for (index, value) in texts.enumerated() { #expect(object["N\(index)"] == .string(value)) }
    #expect(object["M"] == .null)
  }

  @Test(arguments: Shell.all, [0x00, 0x0A, 0x0D] as [UInt8])
  func `refuses what no variable or no line can hold`(shell: Shell, byte: UInt8) throws {
    for value in [[byte], Array("a".utf8) + [byte], [byte] + Array("b".utf8)] {
      var text: [UInt8] = []
      var writer = VariableWriter(shell)
      if shell.quoting == .json, byte != 0 {
        try writer.set("N", to: value.span, in: &text)
      } else {
        #expect(throws: Quoting.Problem.controlByte) { try writer.set("N", to: value.span, in: &text) }
      }
    }
  }

  @Test(
    arguments: [
      (.sh, "unset N;\nunset M;\n"), (.bash, "unset N;\nunset M;\n"), (.zsh, "unset N;\nunset M;\n"),
      (.csh, "unsetenv N;\nunsetenv M;\n"), (.fish, "set -ge N; true;\nset -ge M; true;\n"),
      (.dotenv, "N=\"\"\nM=\"\"\n"), (.json, "{\"N\":null,\"M\":null}\n"),
      (.systemd, "N=\"\"\nM=\"\"\n"), (.nu, "{\"N\":null,\"M\":null}\n"),
      (.powershell, "Remove-Item Env:N -ErrorAction Ignore\nRemove-Item Env:M -ErrorAction Ignore\n"),
    ] as [(Shell, String)])
  func `unsets in each`(shell: Shell, expected: String) {
    let text = written(shell) { writer, text in
      writer.unset("N", in: &text)
      writer.unset("M", in: &text)
    }
    #expect(text == expected)
  }

  @Test(
    arguments: [
      (.sh, "(exit 3);\n"), (.bash, "(exit 3);\n"), (.zsh, "(exit 3);\n"), (.csh, "sh -c \"exit 3\";\n"),
      (.fish, "sh -c \"exit 3\";\n"), (.dotenv, ""), (.json, ""),
      (.powershell, "$global:LASTEXITCODE = 3\n"), (.nu, ""), (.systemd, ""), (.githubActions, ""),
    ] as [(Shell, String)])
  func `says that the command failed where that is evaluated`(shell: Shell, expected: String) {
    #expect((shell.failureStatement?(3) ?? "") == expected)
  }
}
