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
}
