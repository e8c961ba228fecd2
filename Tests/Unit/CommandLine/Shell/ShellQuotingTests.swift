import Encoding
import Testing

@testable import CommandLine

private func quoted(_ value: [UInt8]) throws -> String {
  var text: [UInt8] = []
  try Quoting.octal.append(value.span, to: &text)
  return String(decoding: text, as: UTF8.self)
}

@Suite struct `Quoting for sh` {
  @Test(arguments: [
    ("", "''"), ("plain", "'plain'"), ("a b", "'a b'"), ("a  b", "'a '\"`printf '\\040'`\"'b'"),
    ("a   b", "'a '\"`printf '\\040'`\"' b'"), ("*?", "''\"`printf '\\052\\077'`\"''"), ("é", "'é'"),
    ("'", "''\"`printf '\\047'`\"''"), ("%d", "'%d'"), ("a$b", "'a'\"`printf '\\044'`\"'b'"),
    ("a=b", "'a=b'"), ("=", "'='"), ("a =b", "'a '\"`printf '\\075'`\"'b'"), ("a  =", "'a '\"`printf '\\040'`\"'='"),
  ]) func `is exactly this`(value: String, expected: String) throws {
    #expect(try quoted(Array(value.utf8)) == expected)
  }

  @Test(arguments: [0x00, 0x0A, 0x0D] as [UInt8], [0, 1, 2])
  func `refuses NUL, line feed and carriage return, wherever they stand`(byte: UInt8, place: Int) {
    var value = Array("ab".utf8)
    value.insert(byte, at: place)
    #expect(throws: Quoting.Problem.controlByte) { try quoted(value) }
  }

  @Test func `leaves no byte outside an escape that any shell reads as more than itself`() throws {
    let literal = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:@%+=, \n\r"
    for byte in 1...0x7F as ClosedRange<UInt8> where !literal.utf8.contains(byte) {
      let digits = String(Int(byte) | 0o1000, radix: 8).dropFirst()
      #expect(try quoted([byte]) == "''\"`printf '\\\(digits)'`\"''")
    }
  }

  @Test func `never puts two spaces side by side, which the bare form would merge`() throws {
    for value in HostileValues.texts {
      #expect(!(try quoted(Array(value.utf8))).contains("  "))
    }
  }
}

@Suite struct `The words of a command line` {
  @Test(arguments: [
    ["agent", "login", "work"], ["a b", "", "it's", "'", "a=b", "$HOME", "ä", "`x`", "--scope", "openid 'x'"],
    [#"a\\b"#, #"\"#, "!", #"a!'\"#, #"\';touch /tmp/x;#"#],
  ])
  func `are those that were quoted`(words: [String]) {
    #expect(ShellWord.words(words.map(ShellWord.quoted).joined(separator: " ")) == words)
  }

  @Test func `has a backslash before what fish and csh read within single quotes, and that outside of them`() {
    #expect(ShellWord.quoted(#"\';touch /tmp/x;#"#) == #"\\\'';touch /tmp/x;#'"#)
    #expect(ShellWord.quoted("it's new!") == #"'it'\''s new'\!"#)
  }

  @Test(arguments: ["a $b", "a 'b", "a; b", "a \\b", "a \"b\"", "a|b", "a\nb"])
  func `are none where a shell would read more in them`(line: String) {
    #expect(ShellWord.words(line) == nil)
  }
}
