import Encoding
import Platform
import TestSupport
import Testing

/// The loop never blocks: changes of the settings file wait for its lock, and nobody else does.
@Suite(.needsPrograms) struct `While another program locks the settings` {
  @Test func `cached tokens are served, and changes are made afterwards in their order`() throws {
    try Session.with { session in
      let tree = session.tree
      try tree.signIn("other", at: session.issuer.url)
      let token = try tree.token()
      let settings = try PrivateDirectory(opening: tree.path("config/agent"), create: false)
      let lock = try settings.lock("config.lock", wait: .seconds(5))
      let peers = try ["other", "work", "other"].map { name in
        let peer = try Peer(tree.socketPath)
        _ = try peer.send(Array("{\"v\":1,\"request\":\"use\",\"account\":\"\(name)\"}\n".utf8))
        // The daemon has taken it once it answers what came later.
        #expect(try tree.token() == token)
        return peer
      }
      let idle = try Peer(tree.socketPath)
      _ = try idle.send(Array(#"{"v":1,"request":"vault_set","lock_after":60}"#.utf8) + [0x0A])
      #expect(try tree.token() == token)
      #expect(try tree.agent("list").succeeded)
      #expect(try peers.allSatisfy { try !$0.hasAnswer }, "the changes still wait")
      lock.release()
      for peer in peers { #expect(try peer.readLine()?.contains("result") == true) }
      #expect(try tree.json("status")["accounts"]?.array?.first { $0["active"] == true }?["name"] == "other")
    }
  }
}
