import Encoding
import Platform
import TestSupport
import Testing

/// The MCP SDK is at both ends of the bridge, with both generations of the protocol.
@Suite(.needsPrograms, .needsMCP) struct `An MCP client by way of the bridge` {
  static let modes = ["legacy", "2026-07-28"]

  @Test(arguments: modes, [false, true])
  func `uses tools, is told of progress, answers questions and passes large texts`(mode: String, isBound: Bool) throws {
    try MCPServer.with(signIn: isBound ? ["--dpop"] : []) { server in
      let client = try server.client(mode)
      #expect(try client.result("tools").array?.contains("query") == true)
      #expect(try client.add()["result"] == "3")
      #expect(try client.result("call", "steps", ["count": 3]) == "done")
      #expect(try client.result("heard")["progress"]?.array?.count == 3)
      #expect(try client.result("call", "ask", [:]) == "Ada")
      #expect(try client.result("call", "query", ["region": "Zürich, "]) == "Zürich, ")
      #expect(try client.result("sizes", 5_000_000) == [5_000_000, "5000000"])
      #expect(try client.result("many", 20, "add", ["a": 1, "b": 2]) == 20)
      try client.finish()
      if mode == "legacy" {
        let end = try server.next("DELETE")
        #expect(end.contains(isBound ? "DPoP 200" : "Bearer 200"), "\(end)")
      } else {
        let call = try server.next("tools/call:query")
        #expect(call.contains("mcp-method=tools/call mcp-name=query mcp-param-region==?base64?"), "\(call)")
        #expect(call.contains(isBound ? " DPoP " : " Bearer "), "\(call)")
      }
    }
  }

  @Test(arguments: modes)
  func `goes on after a refused token, more scope, and a sign-out`(mode: String) throws {
    try MCPServer.with { server in
      let client = try server.client(mode, "--login", "never")
      #expect(try client.add()["result"] == "3")
      try server.refuseToken()
      #expect(try client.add()["result"] == "3")

      try server.set("scope", "big write")
      let refused = try client.ask("call", "big", ["count": 3])["error"]
      #expect(refused?["code"] == -32001 && refused?["data"]?["status"] == 403, "\(refused ?? .null)")
      let command = try #require(refused?["data"]?["login"]?.string)
      #expect(command.hasPrefix("agent login work --host 'http://127.0.0.1:") && command.contains(" scope=write'"))
      #expect(refused?["data"]?["scope"]?.array?.contains("write") == true)
      #expect(refused?["message"]?.string?.hasSuffix(command) == true)
      let login = try server.tree.shell("sh", "\(command) --device --no-input")
      #expect(login.succeeded, "\(login.errorText)")
      #expect(try client.ask("call", "big", ["count": 3])["result"] == "xxx")

      #expect(try server.tree.agent("logout", "work").succeeded)
      for _ in 0..<2 {
        let over = try client.add()["error"]
        #expect(over?["code"] == -32001 && over?["data"]?["command"] == "agent login work", "\(over ?? .null)")
        #expect(over?["data"]?["code"] == "signed_out")
      }
      try server.tree.signIn(at: server.session.issuer.url)
      #expect(try client.add()["result"] == "3")
      try client.finish()
    }
  }

  @Test(arguments: modes)
  func `shows the page of a sign-in, and the call goes on after it`(mode: String) throws {
    try MCPServer.with { server in
      let client = try server.client(mode)
      #expect(try server.tree.agent("logout", "work").succeeded)
      #expect(try client.add()["result"] == "3")
      let asked = try client.result("heard")["asked"]?.array ?? []
      #expect(asked.count == 1 && asked.first?["url"]?.string?.hasPrefix(server.session.issuer.url) == true, "\(asked)")
      #expect(asked.first?["message"]?.string?.contains("work is signed out") == true, "\(asked)")
      try server.set("scope", "big write")
      #expect(try client.ask("call", "big", ["count": 3])["result"] == "xxx")
      // The question names account, server and scope, and only the server gets the scope.
      let question = try client.result("heard")["asked"]?.array?.last?["message"]?.string ?? ""
      let place = server.url.replacing("/mcp", with: "")
      #expect(
        question.hasPrefix("\(place) requires a scope that the token of work does not have: write."), "\(question)")
      let own = try server.tree.json("token")["scope"]?.string ?? ""
      #expect(own.contains("openid") && !own.contains("write"), "\(own)")
      try client.finish()
    }
  }

  @Test(arguments: modes)
  func `whose person does not want to sign in is not asked again`(mode: String) throws {
    try MCPServer.with { server in
      try server.session.issuer.control("approval", "ask")
      let client = try server.client(mode, answering: "decline")
      #expect(try server.tree.agent("logout", "work").succeeded)
      for _ in 0..<2 {
        #expect(try client.add()["error"]?["data"]?["command"] == "agent login work")
      }
      #expect(try client.result("heard")["asked"]?.array?.count == 1)
      try client.finish()
    }
  }

  @Test(arguments: modes)
  func `cancels a call`(mode: String) throws {
    try MCPServer.with { server in
      let client = try server.client(mode)
      try server.set("silent", "x")
      _ = try client.ask("begin", "x", "slow", [:])
      _ = try server.next("slow begins")
      _ = try client.ask("cancel", "x")
      _ = try server.next("slow cancelled")
      #expect(try client.add()["result"] == "3")
      try client.finish()
    }
  }

  @Test func `goes on in a new session when the server was started anew`() throws {
    try MCPServer.with { server in
      let client = try server.client("legacy")
      #expect(try client.add()["result"] == "3")
      try server.stop()
      let gone = try client.add()["error"]
      #expect(gone?["code"] == -32000 && gone?["data"]?["code"] == "network", "\(gone ?? .null)")
      try server.restart()
      #expect(try client.result("many", 20, "add", ["a": 1, "b": 2]) == 20)
      try client.finish()
      var begun = 0
      while true {
        let line = try server.next(" ")
        if line.contains(" initialize ") { begun += 1 }
        if line.hasPrefix("DELETE") { break }
      }
      #expect(begun == 1)
    }
  }

  @Test func `gets the rest of an answer whose stream the server ended`() throws {
    try MCPServer.with(variables: ["EVENTS": "1"]) { server in
      let client = try server.client("legacy")
      #expect(try client.result("call", "parted", [:]) == "done")
      try client.finish()
      let rest = try server.next("last-event-id=")
      #expect(rest.hasPrefix("GET"), "\(rest)")
    }
  }

  @Test func `leaves nothing when it is killed`() throws {
    try MCPServer.with { server in
      let client = try server.client("legacy")
      try server.set("silent", "x")
      _ = try client.ask("begin", "x", "slow", [:])
      _ = try server.next("slow begins")
      try client.kill()
      _ = try server.next("DELETE")
      try server.tree.awaitConnections(0)
    }
  }

  @Test func `shares one refresh with nineteen others`() throws {
    try MCPServer.with { server in
      let bridges = try (0..<20).map { _ in try server.bridge() }
      for bridge in bridges { try bridge.begin() }
      let before = try server.session.issuer.count("refreshes")
      try server.refuseToken()
      let call = #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}"#
      for bridge in bridges { try bridge.send(call) }
      for bridge in bridges {
        let answer = try bridge.next()
        #expect(answer["id"] == 1 && answer["result"] != nil, "\(answer)")
      }
      #expect(try server.session.issuer.count("refreshes") == before + 1)
      for bridge in bridges { try bridge.finish() }
    }
  }
}
