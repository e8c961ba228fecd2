import Encoding
import Testing
import Wire

@testable import MCP

@Suite struct `A message of MCP` {
  private static func message(_ text: String) throws -> MCPMessage { try MCPMessage(Array(text.utf8)) }

  private static func fields(_ list: String, _ arguments: String) throws -> [String: String] {
    var session = MCPSession()
    let meta = #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#
    let request = try message(#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{\#(meta)}}"#)
    _ = session.recordTools(in: try message(#"{"jsonrpc":"2.0","id":1,"result":{"tools":\#(list)}}"#), to: request)
    let call =
      #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","arguments":\#(arguments),\#(meta)}}"#
    let lines = session.fields(of: try message(call))
    return Dictionary(
      uniqueKeysWithValues: lines.map { line in
        let parts = line.split(separator: ":", maxSplits: 1)
        return (String(parts[0]), String(parts[1].dropFirst()))
      })
  }

  @Test func `says its method, name and marked arguments in header fields`() throws {
    let list = """
      [{"name":"t","inputSchema":{"type":"object","properties":{
        "region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"},
        "in":{"type":"object","properties":{"deep":{"type":"boolean","x-mcp-header":"Deep"}}},
        "left":{"type":"string","x-mcp-header":"Left"}}}}]
      """
    let fields = try Self.fields(list, #"{"region":" a","n":3,"in":{"deep":true},"left":null}"#)
    #expect(
      fields == [
        "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "t",
        "Mcp-Param-Region": "=?base64?IGE=?=", "Mcp-Param-N": "3", "Mcp-Param-Deep": "true",
      ])
  }

  @Test(arguments: [
    #"{"x-mcp-header":"A"}"#, #"{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}"#,
    #"{"properties":{"a":{"type":"string","x-mcp-header":"A b"}}}"#,
    #"{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}"#,
    #"{"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}"#,
    #"{"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}"#,
    #"{"properties":{"a":{"type":["string"],"x-mcp-header":"A"}}}"#,
  ])
  func `leaves out a tool whose marks break the rules`(schema: String) throws {
    var tools = MCPToolFields()
    let (answer, omitted) = tools.recordTools(
      try Self.message(
        #"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","inputSchema":\#(schema)},{"name":"u"}]}}"#),
      startsList: true)
    #expect(answer.value(["result", "tools"])?.array?.map { $0["name"] } == ["u"] && omitted == ["t"])
  }

  @Test(arguments: [
    ("plain", "plain"), ("a b", "a b"), ("", ""), (" a", "=?base64?IGE=?="), ("a\n", "=?base64?YQo=?="),
    ("ä", "=?base64?w6Q=?="), ("=?base64?x?=", "=?base64?PT9iYXNlNjQ/eD89?="), ("a\u{7F}", "=?base64?YX8=?="),
  ])
  func `is base64 in a field where it would not survive there`(value: String, field: String) {
    #expect(MCPSession.encodedFieldValue(value) == field)
  }

  @Test func `has one line, whatever line ends stand between its parts`() throws {
    let message = try Self.message("{\r\n\"jsonrpc\":\n\"2.0\",\"method\":\"x\\n\"}")
    #expect(String(decoding: message.bytes, as: UTF8.self) == "{  \"jsonrpc\": \"2.0\",\"method\":\"x\\n\"}")
    #expect(message.kind == .notification && message.method == "x\n")
  }

  private static func call(_ arguments: String) -> String {
    #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":\#(arguments)}}"#
  }

  // RFC 8259 section 4 and 8.2 allow each of these.
  @Test(arguments: [
    #"{"text":"\ud83d"}"#, #"{"a":1,"a":2}"#,
    "{" + (0..<5000).map { "\"\($0)\":0" }.joined(separator: ",") + "}",
    String(repeating: #"{"a":"#, count: 70) + "1" + String(repeating: "}", count: 70),
    #"{"n":\#(String(repeating: "9", count: 1000))}"#,
  ])
  func `may hold whatever JSON can hold, and is passed on as it is`(arguments: String) throws {
    let text = Self.call(arguments)
    let message = try Self.message(text)
    #expect(message.id == 1 && message.hasMethod("tools/call") && message.bytes == Array(text.utf8))
  }

  @Test func `has limits, which are named`() {
    let deep = Self.call(String(repeating: "[", count: 300) + String(repeating: "]", count: 300))
    let long = Self.call("[" + String(repeating: "0,", count: 1 << 20) + "0]")
    for text in [deep, long] {
      let failure = #expect(throws: Failure.self) { try Self.message(text) }
      #expect(
        failure?.message == "the message is too large: at most 32 MiB, 1048576 values and a nesting of 256")
      #expect(MCPMessage.id(ofInvalid: Array(text.utf8)) == 1)
    }
  }

  @Test(arguments: [
    #"{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}"#, #"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"x"}"#,
    #"{"jsonrpc":"2.0","id":1,"method":"x","method":"y"}"#,
  ])
  func `is none where a member that decides is there twice`(text: String) {
    #expect(throws: Failure.self) { try Self.message(text) }
  }

  @Test(arguments: [
    (#"{"jsonrpc":"1.0","id":"a,}\"","method":"x"}"#, JSON.string("a,}\"")), (#"{"id":7,"method":"x",}"#, 7),
    (#"{"id":7,"method":"x","params":{"id":8}"#, 7), (#"{"id":7,"params":{"method":"x"}}"#, .null),
    (#"{"id":7,"id":8,"method":"x"}"#, .null), (#"{"id":{},"method":"x"}"#, .null), (#"{"id":7,"result":{}}"#, .null),
    (#"[{"id":7,"method":"x"}]"#, .null), ("no json", .null), ("", .null),
    (#"{"method":"x" , "id" : 5 , []}"#, 5),
  ])
  func `that is refused is answered by its id where one can be made out`(text: String, id: JSON) throws {
    #expect(MCPMessage.id(ofInvalid: Array(text.utf8)) == id)
  }
}

@Suite struct `A stream of events` {
  private static func read(_ pieces: [String]) throws -> (reader: EventStreamReader, data: [String]) {
    var (reader, data) = (EventStreamReader(), [String]())
    for piece in pieces { try reader.feed(Array(piece.utf8).span) { data.append(String(decoding: $0, as: UTF8.self)) } }
    return (reader, data)
  }

  @Test func `is the same however it is cut, and whatever ends its lines`() throws {
    let text =
      "\u{FEFF}: comment\r\nid: 7\r\nretry: 50\r\ndata: a\r\ndata:b\r\n\r\nevent: other\rdata: no\r\revent:message\ndata\ndata: c\n\nid\ndata: d\n\ndata: cut"
    let bytes = Array(text.utf8)
    for size in [1, 2, 3, 7, bytes.count] {
      var (reader, data) = (EventStreamReader(), [String]())
      for start in stride(from: 0, to: bytes.count, by: size) {
        try reader.feed(bytes[start..<min(start + size, bytes.count)].span) {
          data.append(String(decoding: $0, as: UTF8.self))
        }
      }
      #expect(
        data == ["a\nb", "\nc", "d"] && reader.retryMilliseconds == 50 && reader.lastID.isEmpty, "\(size): \(data)")
    }
  }

  @Test func `keeps the id of the last event, and passes none without data`() throws {
    let (reader, data) = try Self.read(["id: 1\ndata: a\n\n", "id: 2\ndata:\n\n", "id: 3\n"])
    #expect(data == ["a"] && reader.lastID == Array("2".utf8))
  }

  @Test func `has a limit for one event`() throws {
    var reader = EventStreamReader()
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    var isTooLong = false
    for _ in 0...32 {
      do { try reader.feed(piece.span) { _ in } } catch { isTooLong = true }
    }
    #expect(isTooLong)
  }
}
