import Encoding
import Platform
import TestSupport
import Testing

/// The test is both client and server.
@Suite(.needsPrograms) struct `The bridge of agent mcp` {
  private static let call = #"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{}}}"#
  private static let json = ["Content-Type: application/json"]
  private static let stream = ["Content-Type: text/event-stream"]
  private static let begun =
    #"{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#

  /// Runs `body` with a bridge to a server with these responses. The session has begun.
  private static func with(
    _ options: String..., changes: (Resource) throws -> [String: String?] = { _ in [:] },
    answering answer: @escaping @Sendable (ReceivedRequest) -> (status: Int, headers: [String], body: String),
    _ body: (MCPLines, Resource) throws -> Void
  ) throws {
    try Resource.answering({ request in
      if request.body.contains(#""method":"initialize""#) {
        let id = request.body.contains("agent-bridge-") ? "agent-bridge-initialize" : "i"
        return (200, json + ["Mcp-Session-Id: s-1"], begun.replacing(#""id":"i""#, with: #""id":"\#(id)""#))
      }
      if request.line.hasPrefix("GET"), request.values("Last-Event-ID").isEmpty { return (405, [], "") }
      if request.body.contains("notifications/") { return (202, [], "") }
      if request.line.hasPrefix("DELETE") { return (200, [], "") }
      return answer(request)
    }) { resource in
      let lines = try MCPLines(resource.tree, resource.server.url("/mcp"), options, changes(resource))
      try body(lines, resource)
    }
  }

  private static func calls(_ resource: Resource) -> [ReceivedRequest] {
    resource.server.requests.filter { $0.body.contains("tools/call") }
  }

  @Test func `keeps ids, numbers and texts as they were written`() throws {
    let text = #"{"jsonrpc":"2.0","id":1.50,"result":{"n":1e400,"big":12345678901234567890123,"s":"\u00e4\n"}}"#
    try Self.with(answering: { _ in (200, Self.json, "{\n" + text.dropFirst()) }) { lines, resource in
      try lines.begin()
      try lines.send(#"{"jsonrpc": "2.0", "id": 1.50, "method": "tools/call", "params": {"name":"a","n":1e400}}"#)
      #expect(try lines.process.readLine() == "{ " + text.dropFirst())
      #expect(Self.calls(resource).first?.body.hasSuffix(#""n":1e400}}"#) == true)
      try lines.finish()
      // The request for the server's own messages is concurrent with all others, and may arrive last.
      let ends = resource.server.requests.filter { $0.line.hasPrefix("DELETE /mcp") }
      #expect(ends.map { $0.values("Mcp-Session-Id") } == [["s-1"]])
    }
  }

  @Test func `answers what is no message, and goes on`() throws {
    try Self.with(answering: { _ in (200, Self.json, #"{"jsonrpc":"2.0","id":7,"result":{}}"#) }) { lines, _ in
      for line in ["no json", "{\"a\":1"] {
        let answer = try lines.ask(line)
        #expect(answer["error"]?["code"] == -32700 && answer["id"] == .null, "\(answer)")
      }
      for line in [
        "[]", "{}", #"{"jsonrpc":"2.0","id":{},"method":"x"}"#, #"{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}"#,
      ] {
        let answer = try lines.ask(line)
        #expect(answer["error"]?["code"] == -32600 && answer["id"] == .null, "\(answer)")
      }
      let answer = try lines.ask(#"{"jsonrpc":"1.0","id":1,"method":"x"}"#)
      #expect(answer["error"]?["code"] == -32600 && answer["id"] == 1, "\(answer)")
      #expect(try lines.ask("\n" + Self.call)["result"] != nil)
      try lines.finish()
    }
  }

  @Test(arguments: [
    (200, ["Content-Type: text/html"], "<p>hello"), (200, json, #"{"jsonrpc":"2.0","id":8,"result":{}}"#),
    (200, json, "[1"), (202, [], ""), (200, stream, "data: {\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{}}\n\n"),
    (200, stream, "data: <p>\n\n"), (302, ["Location: https://evil.example/"], ""),
    (500, ["Content-Type: text/plain"], "no"),
    (200, ["Content-Type: text/event-stream"], "data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}"),
  ])
  func `tells an error for an answer that is none, and lets nothing else out`(
    status: Int, headers: [String], body: String
  ) throws {
    try Self.with(answering: { _ in (status, headers, body) }) { lines, _ in
      try lines.begin()
      let answer = try lines.ask(Self.call)
      #expect(answer["id"] == 7 && answer["error"]?["code"]?.int != nil, "\(answer)")
      #expect(answer["error"]?["message"]?.string?.contains("<p>") == false, "\(answer)")
      try lines.finish()
    }
  }

  @Test(arguments: ["/mcp/", "mcp/", "https://other.example/mcp?key=secret"])
  func `says where a redirect leads, and the command where that is at the same origin`(location: String) throws {
    try Self.with(answering: { _ in (307, ["Location: \(location)"], "") }) { lines, resource in
      try lines.begin()
      let error = try lines.ask(Self.call)["error"]
      let isSame = !location.hasPrefix("https:")
      let place = isSame ? location : "https://other.example/mcp"
      let hint = isSame ? ": agent mcp \(resource.server.url("/mcp/"))" : ""
      #expect(
        error?["message"]?.string
          == "\(resource.server.url("")) redirects to \(place), which was not followed\(hint)")
      #expect(error?["data"]?["command"]?.string == (isSame ? String(hint.dropFirst(2)) : nil))
      try lines.finish()
    }
  }

  @Test(arguments: [(400, "null"), (400, #""server-error""#), (200, "null")])
  func `passes the server's own error, with the id of the call`(status: Int, id: String) throws {
    let error = #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32602,"message":"bad name","data":[1]}}"#
    try Self.with(answering: { _ in (status, Self.json, error) }) { lines, _ in
      try lines.begin()
      let answer = try lines.ask(Self.call)
      #expect(answer["id"] == 7 && answer["error"]?["code"] == -32602 && answer["error"]?["data"] == [1], "\(answer)")
      try lines.finish()
    }
  }

  @Test func `passes each message that came before its stream broke off`() throws {
    let notice =
      #"{"jsonrpc":"2.0","method":"notifications/x","params":{"text":"\#(String(repeating: "x", count: 200_000))"}}"#
    try Self.with(answering: { _ in
      (200, Self.stream + ["Content-Length: 100000000"], String(repeating: "data: \(notice)\n\n", count: 40))
    }) { lines, _ in
      try lines.begin()
      try lines.send(Self.call)
      for _ in 0..<40 { #expect(try lines.next()["method"] == "notifications/x") }
      #expect(try lines.next()["error"]?["message"]?.string?.contains("may have been carried out") == true)
      try lines.finish()
    }
  }

  @Test func `never makes a call again whose stream broke off`() throws {
    try Self.with(answering: { _ in (200, Self.stream, ": nothing\n\n") }) { lines, resource in
      try lines.begin()
      let answer = try lines.ask(Self.call)
      #expect(answer["error"]?["message"]?.string?.contains("may have been carried out") == true, "\(answer)")
      try lines.finish()
      #expect(Self.calls(resource).count == 1)
    }
  }

  @Test func `asks for the rest of an answer from the same place again, where nothing of it came`() throws {
    let asked = Monitor(0)
    let notice = "retry: 1\nid: 5\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n"
    try Self.with(answering: { request in
      guard request.line.hasPrefix("GET") else { return (200, Self.stream, notice) }
      let isFirst = asked.update { count in
        count += 1
        return count == 1
      }
      return (200, Self.stream, isFirst ? ": nothing\n\n" : "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\n")
    }) { lines, resource in
      try lines.begin()
      #expect(try lines.ask(Self.call)["method"] == "notifications/x")
      #expect(try lines.next()["result"] != nil)
      try lines.finish()
      #expect(resource.server.requests.flatMap { $0.values("Last-Event-ID") } == ["5", "5"])
      #expect(Self.calls(resource).count == 1)
    }
  }

  @Test(arguments: [true, false]) func `asks again as often as events come, and five times without one`(
    isNew: Bool
  ) throws {
    let asked = Monitor(0)
    let notice = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n"
    try Self.with(answering: { request in
      let number = asked.update { count in
        count += 1
        return count
      }
      if number == 9 { return (200, Self.stream, "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\n") }
      return (200, Self.stream, number == 1 || isNew ? "retry: 1\nid: \(number)\n\(notice)" : "retry: 1\n\n")
    }) { lines, resource in
      try lines.begin()
      #expect(try lines.ask(Self.call)["method"] == "notifications/x")
      if isNew {
        for _ in 2...8 { try #require(try lines.next()["method"] == "notifications/x") }
        try #require(try lines.next()["result"] != nil)
      } else {
        #expect(try lines.next()["error"]?["message"] == "the answer was interrupted permanently")
      }
      try lines.finish()
      let resumed = resource.server.requests.flatMap { $0.values("Last-Event-ID") }
      #expect(resumed == (isNew ? (1...8).map { "\($0)" } : Array(repeating: "1", count: 5)))
    }
  }

  // Revision 2026-07-28: a client that does not know the fields of a tool lists the tools, then repeats the call.
  @Test(arguments: ["result", "error", "stream"]) func `finds out the header fields that a tool needs`(list: String)
    throws
  {
    let meta = #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","progressToken":1}"#
    let call =
      #"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","arguments":{"r":"eu"},\#(meta)}}"#
    let schema = #""inputSchema":{"properties":{"r":{"type":"string","x-mcp-header":"Region"}}}"#
    let pages = [
      #"{"tools":[{"name":"a b","inputSchema":{"x-mcp-header":"A"}}],"nextCursor":"2"}"#,
      #"{"tools":[{"name":"t",\#(schema)}]}"#,
    ]
    try Self.with(answering: { request in
      if request.body.contains("tools/call") {
        if request.values("Mcp-Param-Region") == ["eu"] {
          return (200, Self.json, #"{"jsonrpc":"2.0","id":7,"result":{"content":[]}}"#)
        }
        return (400, Self.json, #"{"jsonrpc":"2.0","id":7,"error":{"code":-32020,"message":"Region"}}"#)
      }
      let isSecond = request.body.contains(#""cursor":"2""#)
      let answer =
        #"{"jsonrpc":"2.0","id":"agent-bridge-tools-\#(isSecond ? 2 : 1)","result":\#(pages[isSecond ? 1 : 0])}"#
      switch list {
      case "result": return (200, Self.json, answer)
      case "stream": return (200, Self.stream, "data: \(answer)\n\n")
      default: return (500, Self.json, "")
      }
    }) { lines, resource in
      let answer = try lines.ask(call)
      #expect(list == "error" ? answer["error"]?["code"] == -32020 : answer["result"] != nil, "\(answer)")
      try lines.finish()
      #expect(lines.process.errorText.contains("left out: a b") == (list != "error"), "\(lines.process.errorText)")
      let lists = resource.server.requests.filter { $0.body.contains("tools/list") }
      #expect(lists.count == (list == "error" ? 1 : 2) && !lists[0].body.contains("progressToken"))
      #expect(Self.calls(resource).count == (list == "error" ? 1 : 2))
    }
  }

  @Test func `begins a forgotten session anew once, and gives up on one that is always forgotten`() throws {
    try Self.with(answering: { _ in (404, [], "") }) { lines, resource in
      try lines.begin()
      for id in 1...10 { try lines.send(Self.call.replacing(":7,", with: ":\(id),")) }
      let answers = try (1...10).map { _ in try lines.next() }
      #expect(Set(answers.compactMap { $0["id"]?.int }) == Set(1...10))
      #expect(answers.allSatisfy { $0["error"]?["data"]?["status"] == 404 }, "\(answers)")
      try lines.finish()
      let begins = resource.server.requests.count { $0.body.contains(#""method":"initialize""#) }
      #expect((2...3).contains(begins), "\(begins)")
      #expect((11...20).contains(Self.calls(resource).count))
    }
  }

  @Test func `tells at once that a sign-in is needed, and the next call works after it`() throws {
    try Self.with("--login", "never", answering: { _ in (200, Self.json, #"{"jsonrpc":"2.0","id":7,"result":{}}"#) }) {
      lines, resource in
      #expect(try resource.tree.agent("logout", "work").succeeded)
      let refused = try lines.ask(
        #"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#
      )
      #expect(refused["error"]?["code"] == -32001, "\(refused)")
      #expect(refused["error"]?["data"]?["command"] == "agent login work")
      try resource.tree.signIn(at: resource.session.issuer.url)
      #expect(try lines.ask(Self.call)["result"] != nil)
      #expect(Self.calls(resource).first?.values("Mcp-Session-Id") == ["s-1"])
      try lines.finish()
    }
  }

  @Test func `gives the address and the code to a client that shows no pages, where it is told to ask`() throws {
    try Self.with("--login", "ask", answering: { _ in (200, Self.json, #"{"jsonrpc":"2.0","id":7,"result":{}}"#) }) {
      lines, resource in
      try lines.begin()
      #expect(try resource.tree.agent("logout", "work").succeeded)
      let refused = try lines.ask(Self.call)["error"]
      let url = refused?["data"]?["url"]?.string ?? ""
      let code = try #require(refused?["data"]?["user_code"]?.string)
      #expect(url.hasPrefix(resource.session.issuer.url) && refused?["message"]?.string?.contains(code) == true)
      while try resource.tree.state() != "active" { Threads.sleep(for: .milliseconds(50)) }
      #expect(try lines.ask(Self.call)["result"] != nil)
      try lines.finish()
    }
  }

  // A host program may run the command, and an account's token is not for the server.
  @Test func `names the sign-in to a server that no account lists, and signs in nowhere`() throws {
    try Self.with(answering: { _ in (200, Self.json, "{}") }) { _, resource in
      let seen = resource.server.requests.count
      let lines = try MCPLines(resource.tree, "http://127.0.0.1:1/mcp", ["--login", "ask"])
      let refused = try lines.ask(Self.call)["error"]
      #expect(
        refused?["code"] == -32001
          && refused?["data"]?["command"] == "agent login http://127.0.0.1:1/mcp --allow-http-loopback",
        "\(refused ?? .null)")
      try lines.finish()
      #expect(resource.server.requests.count == seen)
    }
  }

  @Test func `works by a lease, whose socket gives no token and no account's name`() throws {
    try Self.with(answering: { _ in (200, Self.json, #"{"jsonrpc":"2.0","id":7,"result":{}}"#) }) { _, resource in
      let lease = try resource.tree.start(["serve", "work", "--only", resource.server.url("/mcp")])
      let path = try lease.readLine()
      let lines = try MCPLines(resource.tree, resource.server.url("/mcp"), [], ["AGENT_SOCKET": path])
      try lines.begin()
      #expect(try lines.ask(Self.call)["result"] != nil)
      #expect(try resource.tree.agent("logout", "work").succeeded)
      let over = try lines.ask(Self.call)["error"]
      #expect(over?["message"]?.string?.contains("work") == false, "\(over ?? .null)")
      try lines.finish()
    }
  }

  @Test func `passes on what a server asks, and the client's answer`() throws {
    let question = #"data: {"jsonrpc":"2.0","id":"q","method":"roots/list"}"# + "\n\n"
    let end = #"data: {"jsonrpc":"2.0","id":7,"result":{}}"# + "\n\n"
    try Self.with(answering: { request in
      request.body.contains("tools/call") ? (200, Self.stream, question + end) : (202, [], "")
    }) { lines, resource in
      try lines.begin()
      #expect(try lines.ask(Self.call)["method"] == "roots/list")
      #expect(try lines.next()["id"] == 7)
      try lines.send(#"{"jsonrpc":"2.0","id":"q","result":{"roots":[]}}"#)
      try lines.finish()
      #expect(resource.server.requests.contains { $0.body.contains(#""id":"q","result""#) })
    }
  }

  @Test func `sends a batch as one request, as revision 2025-03-26 has it`() throws {
    let answers = #"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]"#
    try Self.with(answering: { _ in (200, Self.json, answers) }) { lines, _ in
      try lines.begin()
      let batch = #"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#
      #expect(try lines.ask(batch).array?.count == 2)
      try lines.finish()
    }
  }

  @Test func `ends by itself at the end of its input and at a signal, and answers what was asked before`() throws {
    try Self.with(answering: { _ in (200, Self.json, #"{"jsonrpc":"2.0","id":7,"result":{}}"#) }) { lines, resource in
      try lines.begin()
      try lines.send(Self.call)
      lines.process.closeInput()
      #expect(try lines.next()["id"] == 7)
      #expect(try lines.process.wait() == .exited(0))
      let other = try MCPLines(resource.tree, resource.server.url("/mcp"))
      try other.begin()
      #expect(try other.process.terminate() == .exited(0))
      let file = try resource.tree.shell(
        "sh", "printf '%s\\n' '\(Self.call)' > file; agent mcp '\(resource.server.url("/mcp"))' < file")
      #expect(file.succeeded && file.outputText.contains(#""id":7"#), "\(file.errorText)")
    }
  }

  @Test func `refuses a server that is none, with the exit status of a wrong command`() throws {
    try AgentTree.with { (tree) throws in
      let lines = [
        ["mcp"], ["mcp", "notes"], ["mcp", "ftp://a.example/"], ["mcp", "https://a.example/", "--login", "x"],
      ]
      for words in lines {
        let result = try tree.agent(words)
        #expect(result.failed(2), "\(words)")
      }
    }
  }

  @Test(arguments: [400, 404, 405])
  func `names the older transport if a server takes no first message`(status: Int) throws {
    try Resource.answering({ _ in (status, [], "") }) { resource in
      let lines = try MCPLines(resource.tree, resource.server.url("/sse"), [], [:])
      let refused = try lines.ask(
        #"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#
      )["error"]
      #expect(refused?["data"]?["status"] == .int(status))
      #expect(refused?["message"]?.string?.contains("2024-11-05 (HTTP with SSE)") == true, "\(refused ?? .null)")
      try lines.finish()
    }
  }

  @Test func `tells a person what it waits for, if it is started on a terminal`() throws {
    try AgentTree.with { tree in
      let program = try WatchedProgram(
        tree, columns: 200, [:], [try Programs.path("agent"), "mcp", "https://mcp.example.com/mcp"])
      try program.until("waiting for an MCP client's messages")
      try program.until("agent setup mcp --host https://mcp.example.com/mcp")
      try program.until("to end it, press Ctrl-D")
      try program.type("^D")
      #expect(try program.end().status == 0)
    }
  }
}
