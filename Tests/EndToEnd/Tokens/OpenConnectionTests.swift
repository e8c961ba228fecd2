import Encoding
import Platform
import TestSupport
import Testing

/// The daemon does not read its files for each request, but changes must take effect.
@Suite(.needsPrograms) struct `A request over an open connection` {
  private static let request = #"{"v":1,"request":"token","account":"work"}"#

  /// How to remove and restore the settings, in the directory that contains `config/agent`.
  private static let ways = [
    (away: "cat empty >config/agent/config.json", back: "cat kept >config/agent/config.json"),
    (away: "cp empty new && mv new config/agent/config.json", back: "cp kept new && mv new config/agent/config.json"),
    (away: "rm config/agent/config.json", back: "cp kept config/agent/config.json"),
    (away: "mv config/agent/config.json away", back: "mv away config/agent/config.json"),
    (away: "mv config/agent away", back: "mv away config/agent"),
    (away: "mv config away", back: "mv away config"),
  ]

  @Test func `goes by the settings as they are when it is sent`() throws {
    try Session.with { session in
      let tree = session.tree
      try tree.directory.write("kept", try tree.directory.read("config/agent/config.json"))
      try tree.directory.write("empty", #"{"version":2}"#)
      let peer = try Peer(tree.socketPath)
      #expect(try Self.answer(peer)["result"]?["access_token"] != nil)
      for _ in 0..<3 {
        for (away, back) in Self.ways {
          try Self.shell(tree, away)
          #expect(try Self.answer(peer)["error"]?["code"] == "no_account", "\(away)")
          try Self.shell(tree, back)
          let back = try Self.answer(peer)["result"]?["access_token"]
          #expect(back != nil, "\(away)")
          #expect(try Self.answer(peer)["result"]?["access_token"] == back)
        }
      }
    }
  }

  /// Another daemon with the same files signs the account out and in again.
  @Test func `goes by the vault as it is when it is sent`() throws {
    try Session.with { session in
      let tree = session.tree
      let peer = try Peer(tree.socketPath)
      for _ in 0..<3 {
        let token = try Self.answer(peer)["result"]?["access_token"]
        #expect(try Self.answer(peer)["result"]?["access_token"] == token)
        #expect(try tree.agent("token", "work", "--force-refresh", "--no-daemon").succeeded)
        let renewed = try Self.answer(peer)["result"]?["access_token"]
        #expect(renewed != nil)
        #expect(renewed != token)
      }
      #expect(try tree.agent("logout", "work", "--no-daemon").succeeded)
      #expect(try Self.answer(peer)["error"]?["code"] == "signed_out")
    }
  }

  private static func shell(_ tree: AgentTree, _ line: String) throws {
    let directory = tree.directory.path
    try #require(try ProcessRunner.shell("umask 077 && cd '\(directory)' && \(line)").succeeded, "\(line)")
  }

  private static func answer(_ peer: Peer) throws -> JSON {
    try JSON(parsing: Array(try peer.ask(request).utf8))
  }
}
