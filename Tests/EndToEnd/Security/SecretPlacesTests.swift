import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `Where secrets are not` {
  private static let first = ScriptedServer.Tokens(
    access: "canary-access-4bVtq1", refresh: "canary-refresh-9sLw2c", device: "canary-device-7hZ0pX")
  private static let second = ScriptedServer.Tokens(
    access: "canary-access-Gk3mT8", refresh: "canary-refresh-Rj6yU5", device: "canary-device-7hZ0pX")
  private static let secrets = [first.access, first.refresh, second.access, second.refresh, first.device]

  @Test func `no file, message or process list has a token in it`() throws {
    try ScriptedServer.with(Self.first) { server in
      try AgentTree.with { tree in
        var told = try tree.signIn(at: server.url).map { String(decoding: $0.serialized(), as: UTF8.self) }
        #expect(try tree.token() == Self.first.access)
        server.hand(out: Self.second)
        #expect(try tree.token("work", "--force-refresh") == Self.second.access)
        for command in Self.talkative { told += try Self.told(tree, command) }
        #expect(try tree.files(containing: Self.secrets) == [])
        let process = try tree.daemon()
        for file in ["cmdline", "environ", "status", "comm"] {
          told.append(ProcessFiles.text(file, of: process) ?? "")
        }
        try tree.stopDaemon()
        #expect(try tree.files(containing: Self.secrets) == [])
        for text in told { #expect(!Self.hasSecret(text), "\(text)") }
      }
    }
  }

  @Test func `tokens are not where the peers and the next command could find them`() throws {
    try ScriptedServer.with(Self.first) { server in
      try AgentTree.with { tree in
        try tree.signIn(at: server.url)
        // The refresh token never crosses the socket, for any request.
        let peer = try Peer(tree.socketPath)
        for request in ["token", "status", "list", "whoami", "daemon_status"] {
          let answer = try peer.ask("{\"v\":1,\"request\":\"\(request)\",\"account\":\"work\"}")
          #expect(!answer.contains(Self.first.refresh) && !answer.contains(Self.first.device), "\(request)")
          #expect(answer.contains(Self.first.access) == (request == "token"), "\(request)")
        }
      }
    }
  }

  @Test func `errors of a refresh tell no token`() throws {
    try ScriptedServer.with(Self.first) { server in
      try AgentTree.with { tree in
        try tree.signIn(at: server.url)
        server.hand(out: ScriptedServer.Tokens(access: "", refresh: Self.second.refresh))
        let result = try tree.agent("token", "work", "--force-refresh")
        #expect(result.failed(1))
        #expect(!Self.hasSecret(result.errorText), "\(result.errorText)")
        #expect(try !Self.hasSecret(tree.agent("status").outputText))
        #expect(try tree.files(containing: Self.secrets) == [])
      }
    }
  }

  /// Commands with long output that must not contain a token.
  private static let talkative = [
    ["status"], ["status", "--json"], ["status", "work"], ["list"], ["list", "--json"],
    ["whoami", "work"], ["whoami", "work", "--json"], ["daemon", "status"], ["daemon", "status", "--json"],
    ["use", "work"],
    ["login", "work"],
  ]

  private static func told(_ tree: AgentTree, _ command: [String]) throws -> [String] {
    let result = try tree.agent(command)
    #expect(result.succeeded, "\(command): \(result.errorText)")
    return [result.outputText, result.errorText]
  }

  private static func hasSecret(_ text: String) -> Bool { secrets.contains { text.contains($0) } }
}
