import Encoding
import TestSupport
import Testing

@Suite(.needsPrograms) struct `Large tokens` {
  @Test func `for all targets of one account leave room for the others`() throws {
    try Issuer.with(["--access-token-bytes", "65536"]) { issuer in
      try AgentTree.with { tree in
        try tree.signIn("large", at: issuer.url)
        try tree.signIn("other", at: issuer.url)
        for number in 0..<32 {
          let result = try tree.agent("token", "large", "--audience", "a\(number)")
          try #require(result.succeeded, "\(number): \(result.errorText)")
          #expect(result.outputText.utf8.count == 65_537)
        }
        #expect(try tree.agent("token", "other", "--force-refresh").succeeded)
        let used = try #require(tree.json("daemon", "status")["secure_heap_used"]?.int)
        #expect(used < 256 << 10)
      }
    }
  }

  // Together larger than the secure heap.
  @Test func `of 80 accounts are all kept, and each is asked for once`() throws {
    let (count, bytes) = (80, 61_440)
    try Issuer.with(["--access-token-bytes", "\(bytes)"]) { issuer in
      try AgentTree.with { tree in
        try issuer.control("rotation", "off")
        try tree.signIn(at: issuer.url)
        try tree.copyWork(as: "large", from: issuer.url, to: Array(repeating: issuer.url, count: count))
        let peer = try Peer(tree.socketPath)
        for _ in 0..<2 {
          for number in 0..<count {
            let answer = try peer.ask(#"{"v":1,"request":"token","account":"large\#(number)"}"#)
            try #require(
              answer.utf8.count > bytes && answer.contains("access_token"), "\(number): \(answer.prefix(300))")
          }
        }
        #expect(try issuer.count("refreshes") == count)
        let used = try #require(tree.json("daemon", "status")["secure_heap_used"]?.int)
        #expect(used < 1 << 20)
      }
    }
  }
}
