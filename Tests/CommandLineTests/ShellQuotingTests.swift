import Encoding
import Platform
import TestSupport
import Testing

@testable import CommandLine

/// Values that a server could choose to make a shell do something.
private let hostileValues: [String] = [
  "", " ", "  ", "   a   b   ", "a b", "a  b", "plain", "'", "''", "\"", "\\", "\\\\", "`", "$", "$(touch pwned)",
  "`touch pwned`", "';touch pwned;'", "' ; touch pwned ; '", "\"; touch pwned; \"", "$HOME", "${HOME}", "*", "?",
  "[a-z]*",
  "{a,b}", "~", "~root", "!", "!!", "#", "# comment", "&", "&& touch pwned", "|", "<", ">pwned", "(", ")", ";", "%s",
  "%n%d",
  "\t", "\t\ttab", "\u{1B}[31m", "\u{7}", "\u{7F}", "é", "日本語", "\u{202E}", "-n", "--", "=", "a=b", "^", "\\052", "\\n",
  "'\"`printf '\\052'`\"'", "/etc/*", "+,@:%_-.", "\\'", "a'b\"c\\d`e$f", "$'x'", "*'*", "a *", "* a", "'*'", "0 1 2",
]

/// File names that could match a pattern in the output of the bare form.
private let hostileFileNames: [String] = [
  "a", "b", "052", "52", "'", "\"", "\\", "*", "?", "[", "]", "-n", "x y", "N=", "N='", "N='a", "'\"`printf", "printf",
  "'052'`\"'", "'\\052'`\"'", "'\\052'`\"';", "'\\052'`\"'; export N;", "export", "N;", "; touch pwned",
  "$(touch pwned)",
  "`touch pwned`", "plain", "0", "1", "~", "{a,b}", "'052'`\"';",
]

private func quoted(_ value: [UInt8]) throws -> String {
  var text: [UInt8] = []
  try ShellQuoting.appendQuoted(value.span, to: &text)
  return String(decoding: text, as: UTF8.self)
}

@Suite struct `Quoting for sh` {
  @Test(arguments: [
    ("", "''"), ("plain", "'plain'"), ("a b", "'a b'"), ("a  b", "'a '\"`printf '\\040'`\"'b'"),
    ("a   b", "'a '\"`printf '\\040'`\"' b'"), ("*?", "''\"`printf '\\052\\077'`\"''"), ("é", "'é'"),
    ("'", "''\"`printf '\\047'`\"''"), ("%d", "'%d'"), ("a$b", "'a'\"`printf '\\044'`\"'b'"),
  ]) func `is exactly this`(value: String, expected: String) throws {
    #expect(try quoted(Array(value.utf8)) == expected)
  }

  @Test(arguments: [0x00, 0x0A, 0x0D] as [UInt8], [0, 1, 2])
  func `refuses NUL, line feed and carriage return, wherever they stand`(byte: UInt8, place: Int) {
    var value = Array("ab".utf8)
    value.insert(byte, at: place)
    #expect(throws: ShellQuoting.Problem.controlByte) { try quoted(value) }
  }

  @Test func `leaves no byte outside an escape that any shell reads as more than itself`() throws {
    for byte in 1...255 as ClosedRange<UInt8> where byte != 0x0A && byte != 0x0D {
      let text = try quoted([byte])
      let isLiteral = ShellQuoting.isLiteral(byte) || byte == 0x20
      let digits = String(Int(byte) | 0o1000, radix: 8).dropFirst()
      if !isLiteral { #expect(text == "''\"`printf '\\\(digits)'`\"''") }
    }
  }

  @Test func `never puts two spaces side by side, which the bare form would merge`() throws {
    for value in hostileValues {
      #expect(!(try quoted(Array(value.utf8))).contains("  "))
    }
  }
}

@Suite struct `Shells that evaluate the answer` {
  /// One directory with hostile file names for all shells; the values are set one after the other.
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    for name in hostileFileNames where !name.contains("/") { try directory.write(name, "") }
  }

  private static var values: [[UInt8]] {
    let single = (1...255 as ClosedRange<UInt8>).filter { $0 != 0x0A && $0 != 0x0D }.map { [$0] }
    let around = single.map { Array("a".utf8) + $0 + $0 + Array("b".utf8) }
    return hostileValues.map { Array($0.utf8) } + single + around
  }

  static let shells = ["/bin/dash", "/bin/bash", "/usr/bin/zsh", "/usr/bin/mksh", "/bin/busybox"].filter { path in
    (try? FileDescriptor(opening: path, for: .reading)) != nil
  }

  @Test(arguments: shells, ["eval \"$(cat \"$1\")\"", "eval $(cat \"$1\")"])
  func `get the value and nothing else, with and without quotes around the substitution`(
    shell: String, evaluation: String
  ) throws {
    let before = try fileNames()
    let output = try TemporaryDirectory()
    var script = ""
    for (index, value) in Self.values.enumerated() {
      var statement: [UInt8] = []
      try Shell.sh.appendAssignment(of: "N", value.span, to: &statement)
      Shell.sh.appendUnset(of: "M", to: &statement)
      try output.write("\(index)", statement)
      script +=
        "set -- '\(output.path("\(index)"))'; M=stale; \(evaluation); printf '%s\\n%s\\0' \"$N\" \"${M-gone}\"\n"
    }
    let arguments = shell.hasSuffix("busybox") ? ["sh", "-c", script] : ["-c", script]
    let result = try ProcessRunner.run(
      executable: shell, arguments: arguments, environment: ["PATH=/usr/bin:/bin", "HOME=\(directory.path)"],
      directory: directory.path)
    #expect(result.errorText == "")
    #expect(result.succeeded)
    var expected: [UInt8] = []
    for value in Self.values { expected += value + Array("\ngone\0".utf8) }
    #expect(result.output == expected)
    #expect(try fileNames() == before)
  }

  private func fileNames() throws -> String {
    try ProcessRunner.run(executable: "/bin/ls", arguments: ["-A", directory.path]).outputText
  }

  @Test(arguments: shells) func `see the status of a failed command through eval`(shell: String) throws {
    let prefix = shell.hasSuffix("busybox") ? ["sh"] : []
    for evaluation in ["eval \"$(printf %s \"$S\")\"", "eval $(printf %s \"$S\")"] {
      let script = "S='\(Shell.sh.failing(with: 3).dropLast())'; \(evaluation)"
      let result = try ProcessRunner.run(executable: shell, arguments: prefix + ["-c", script])
      #expect(result.status == .exited(3))
      let strict = try ProcessRunner.run(executable: shell, arguments: prefix + ["-ec", "\(script); echo reached"])
      #expect(strict.status == .exited(3) && strict.outputText == "")
    }
  }
}
