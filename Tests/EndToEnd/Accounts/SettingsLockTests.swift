import Encoding
import Platform
import TestSupport
import Testing

/// Only changes of the settings file wait for its lock.
@Suite(.needsPrograms) struct `While another program locks the settings` {
  private static let cached = #"{"v":1,"request":"token","account":"work"}"#

  @Test func `cached tokens are served, and changes are made afterwards in their order`() throws {
    try Session.with { session in
      let tree = session.tree
      try tree.signIn("other", at: session.issuer.url)
      let token = try tree.token()
      let settings = try PrivateDirectory(opening: tree.path("config/agent"), create: false)
      let local = try Peer(tree.socketPath)
      let lock = try settings.lock("config.lock", wait: .testLimit)
      // All within five seconds, after which the changes are refused.
      let peers = try ["other", "work", "other"].map { name in
        let peer = try Peer(tree.socketPath)
        _ = try peer.send(Array("{\"v\":1,\"request\":\"use\",\"account\":\"\(name)\"}\n".utf8))
        // The daemon has read the line once it answers a later request.
        #expect(try local.ask(Self.cached).contains(token))
        return peer
      }
      let idle = try Peer(tree.socketPath)
      _ = try idle.send(Array(#"{"v":1,"request":"vault_set","lock_after":60}"#.utf8) + [0x0A])
      #expect(try local.ask(Self.cached).contains(token))
      #expect(try local.ask(#"{"v":1,"request":"list"}"#).contains("accounts"))
      #expect(try peers.allSatisfy { try !$0.hasAnswer }, "the changes still wait")
      lock.release()
      for peer in peers { #expect(try peer.readLine()?.contains("result") == true) }
      #expect(try tree.json("status")["accounts"]?.array?.first { $0["active"] == true }?["name"] == "other")
    }
  }

  // An approval would be wasted.
  @Test func `nobody is asked to sign in, and afterwards the same command works`() throws {
    try Session.with { session in
      let (tree, issuer) = (session.tree, session.issuer)
      let asked = try issuer.requests()
      let settings = try PrivateDirectory(opening: tree.path("config/agent"), create: false)
      let lock = try settings.lock("config.lock", wait: .testLimit)
      let login = [
        "login", "new", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--device",
        "--json",
      ]
      let refused = try tree.agent(login)
      #expect(refused.failureCode == "too_busy", "\(refused.errorText)")
      #expect(!refused.outputText.contains("device_code"))
      #expect(try issuer.requests() == asked, "nothing was granted that would have to be ended")
      lock.release()
      #expect(try tree.agent(login).succeeded)
      #expect(try !tree.token("new").isEmpty)
    }
  }

  @Test(.needsMountNamespace) func `and where they are read-only nobody is asked to sign in`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let config = tree.path("config")
        let agent = "'\(try Programs.path("agent"))'"
        let options = "--issuer \(issuer.url) --client-id agent-cli --allow-http-loopback --device --json"
        let script = """
          set -eu
          mount -t tmpfs -o size=1m,mode=700 none '\(config)'
          cd /
          \(agent) login work \(options) >/dev/null
          mount -o remount,ro '\(config)'
          \(agent) login new \(options) 2>&1 || echo "failed $?"
          \(agent) token work --force-refresh >/dev/null && echo served
          mount -o remount,rw '\(config)'
          \(agent) login new \(options) >/dev/null
          \(agent) token new >/dev/null && echo done
          \(agent) daemon stop
          """
        let result = try ProcessRunner.run(
          executable: "/usr/bin/unshare", arguments: OtherMachine.namespace + ["/bin/sh", "-c", script],
          environment: tree.environment())
        #expect(result.succeeded, "\(result.errorText)")
        #expect(result.lines.contains("failed 1") && result.lines.contains("served") && result.lines.contains("done"))
        #expect(result.outputText.contains("Read-only file system"), "\(result.outputText)")
        #expect(try issuer.count("device_authorizations") == 2)
      }
    }
  }
}
