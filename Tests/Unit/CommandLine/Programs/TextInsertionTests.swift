import Encoding
import Testing

@testable import CommandLine

@Suite struct `What setup inserts` {
  private func text(_ insertion: Insertion) throws -> (bytes: [UInt8], addition: SetupAddition) {
    guard case .inserted(let bytes, let addition) = insertion else {
      Issue.record("nothing was inserted: \(insertion)")
      throw TestError()
    }
    return (bytes, addition)
  }

  private struct TestError: Error {}

  // MARK: Blocks

  @Test(
    arguments: ["", "a = 1\n", "a = 1", "[x]\r\na = 1\r\n", "# only\n\n\n", "[x]\n\ta = 1\n\n", "\r\n"],
    [ConfigurationText.Position.start, .end])
  func `a block is taken out byte for byte`(before: String, place: ConfigurationText.Position) throws {
    let old = Array(before.utf8)
    let (bytes, addition) = try text(ConfigurationText(old).adding(["[new]", "key = 2"], named: "n", at: place))
    #expect(addition.removed(from: bytes)?.bytes == old)
    #expect(addition.removed(from: old) == nil)
    #expect(String(decoding: bytes, as: UTF8.self).contains("[new]"))
    let isCRLF = before.contains("\r\n")
    #expect(!isCRLF || !String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").joined().contains("\n"))
  }

  @Test func `blocks are taken out in any order`() throws {
    let old = Array("a = 1".utf8)
    let (one, first) = try text(ConfigurationText(old).adding(["x"], named: "1", at: .end))
    let (both, second) = try text(ConfigurationText(one).adding(["y"], named: "2", at: .end))
    let left = try #require(first.removed(from: both)?.bytes)
    #expect(second.removed(from: left)?.bytes == old)
    let other = try #require(second.removed(from: both)?.bytes)
    #expect(other == one)
  }

  @Test func `a block that was changed, or is there twice, is not taken out`() throws {
    let (bytes, addition) = try text(ConfigurationText([]).adding(["key = 2"], named: "n", at: .end))
    let changed = String(decoding: bytes, as: UTF8.self).replacing("2", with: "3")
    #expect(!addition.isIn(Array(changed.utf8)))
    #expect(!addition.isIn(bytes + bytes))
  }

  @Test func `a block goes behind the first line of a section, also the last of the file`() throws {
    let old = Array("[other]\n[ registries . \"ours\" ]".utf8)
    let file = ConfigurationText(old)
    let header = try #require(file.header("registries.ours"))
    let (bytes, addition) = try text(file.adding(["k"], named: "n", at: .after(line: header)))
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "[other]\n[ registries . \"ours\" ]\n# agent setup: begin n\nk\n# agent setup: end n")
    #expect(addition.removed(from: bytes)?.bytes == old)
  }

  @Test func `text is added to a line and taken out of it`() throws {
    let old = Array("GOFLAGS=-x\nGOAUTH=netrc\n".utf8)
    let (bytes, addition) = try text(ConfigurationText(old).adding("ours; ", after: "GOAUTH="))
    #expect(String(decoding: bytes, as: UTF8.self) == "GOFLAGS=-x\nGOAUTH=ours; netrc\n")
    #expect(addition.removed(from: bytes)?.bytes == old)
    #expect(ConfigurationText([]).adding("x", after: "GOAUTH=") == .refused)
  }

  @Test func `keys are found however they are spelt`() {
    let file = ConfigurationText(Array("top='1'\n[ global ]\n keyring_provider : subprocess\n[x]\nb=2\n".utf8))
    #expect(file.value("top", in: file.section(nil)) == "1")
    #expect(file.value("b", in: file.section(nil)) == nil)
    #expect(file.value("keyring-provider", in: file.section(file.header("global"))) == "subprocess")
    #expect(file.value("b", in: file.section(file.header("global"))) == nil)
  }

  @Test func `keys of TOML have comments behind them, and values that go on look like no section`() {
    let lines = """
      conflicts = [
        ["a", "[b"],
        [{ extra = "c" }]
      ]
      Key = 'x # y' # z
      key = 1
      [t] # ]
      a = "\\"#" # b
      """
    let file = ConfigurationText(Array(lines.utf8), isTOML: true)
    #expect(file.header("t") == 6 && file.section(nil) == 0..<6)
    #expect(file.value("key", in: file.section(nil)) == "1" && file.value("extra", in: file.section(nil)) == nil)
    #expect(file.value("a", in: file.section(6)) == "\\#")
    // Other files are read literally.
    #expect(ConfigurationText(Array("[a]\nKey = [\n[b]\nc = x # y\n".utf8)).section(0) == 1..<2)
  }

  // MARK: JSON

  @Test(arguments: [
    "{}", "{ }", "{\n}", "{\n}\n", "{\r\n}\r\n", #"{"auths":{"a":{"auth":"c2VjcmV0"}}}"#,
    "{\n\t\"auths\": {},\n\t\"credHelpers\": {\n\t\t\"a\": \"b\"\n\t}\n}", #"{"credHelpers":{}}"#,
    "{\n  \"credHelpers\": {\n  }\n}\n", #"  {"a" : [1, {"b":"}\""}] , "credHelpers" : {"x" : "y"  } }  "#,
    #"{"\u0063redHelpers":{"x":"y"}}"#,
  ])
  func `a member is taken out byte for byte, in any order`(before: String) throws {
    let old = Array(before.utf8)
    let (one, first) = try text(Insertion.member(["credHelpers", "h:5"], "agent", in: old))
    let (both, second) = try text(Insertion.member(["credHelpers", "i"], ["k": "\"}"], in: one))
    let value = try JSON(parsing: both)
    #expect(value["credHelpers"]?["h:5"] == "agent" && value["credHelpers"]?["i"]?["k"] == "\"}")
    #expect(second.removed(from: both)?.bytes == one)
    #expect(first.removed(from: one)?.bytes == old)
    let (left, remaining) = try #require(first.removed(from: both))
    guard case .member(let path, let added, _) = second else {
      Issue.record("no member: \(second)")
      return
    }
    // A member created by one piece and used by another is passed on.
    let handed = SetupAddition.member(path: path, value: added, addedObjects: remaining)
    #expect(handed.removed(from: left)?.bytes == old)
  }

  @Test func `a member that is there, or was changed, is left`() throws {
    let old = Array(#"{"credHelpers":{"h":"other"}}"#.utf8)
    #expect(try Insertion.member(["credHelpers", "h"], "agent", in: old) == .exists("credHelpers.h"))
    #expect(JSONMembers.removing(["credHelpers", "h"], "agent", 1, from: old) == nil)
    #expect(try Insertion.member(["credHelpers", "h"], "agent", in: Array(#"{"credHelpers":1}"#.utf8)) == .refused)
    #expect(try Insertion.member(["credHelpers", "h"], "agent", in: Array("[]".utf8)) == .refused)
    // Parsers disagree about these.
    for text in [#"{"credHelpers":{},"credHelpers":{}}"#, #"{"credHelpers":{"h":1,"h":"agent"}}"#] {
      #expect(try Insertion.member(["credHelpers", "h"], "agent", in: Array(text.utf8)) == .refused)
    }
  }

  // RFC 8259 sections 4 and 8.2 allow both, and programs write them.
  @Test func `a member goes into a file that holds half characters and names that are there twice`() throws {
    let old = Array(#"{"history":["\ud83d"],"a":1,"a":2,"mcpServers":{}}"#.utf8)
    let (bytes, addition) = try text(Insertion.member(["mcpServers", "s"], ["url": "x"], in: old))
    #expect(String(decoding: bytes, as: UTF8.self).hasSuffix(#""a":2,"mcpServers":{"s": {"url": "x"}}}"#))
    #expect(addition.removed(from: bytes)?.bytes == old)
  }

  @Test func `a member goes into a file of more than four MiB`() throws {
    let padding = String(repeating: "x", count: 5 << 20)
    let old = Array(#"{"history":"\#(padding)"}"#.utf8)
    let (bytes, addition) = try text(Insertion.member(["mcpServers", "s"], "x", in: old))
    #expect(addition.removed(from: bytes)?.bytes == old)
  }

  @Test(arguments: [
    "", "{", "// comment\n{}", "{\"a\":1,}", "\u{FEFF}{}", "{\"a\":1}{}", "{/**/}",
  ])
  func `a text that is not JSON by the letter is refused`(text: String) {
    #expect(throws: JSONError.self) { try Insertion.member(["a", "b"], "c", in: Array(text.utf8)) }
  }
}
