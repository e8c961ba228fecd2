import Crypto
import Sessions
import TestSupport
import Testing

@Suite struct `A refresh while the secure heap is full` {
  private static func fillHeap() throws -> [SharedSecret] {
    var all: [SharedSecret] = []
    for size in [4096, 1024, 256, 64, 32] {
      while true {
        let secret = SharedSecret(try SecretBytes(zeroed: size))
        if secret.bytes.arena != nil { break }
        all.append(secret)
      }
    }
    return all
  }

  @Test func `loses no session, whatever the size of its tokens`() async {
    await #expect(processExitsWith: .success) {
      _ = SecureHeap.initialise(bytes: 1 << 17)
      for size in [100, 4000, 12_000, 60_000] {
        let home = try Home()
        try home.store { $0.refreshToken = try secret(String(repeating: "r", count: size)) }
        let filling = try Self.fillHeap()
        let (access, refresh) = (String(repeating: "a", count: size), String(repeating: "n", count: size))
        home.http.answer(TestIssuer.tokenURL, try tokens(access, refresh: refresh))
        let grant = try home.refresh()
        #expect(grant.accessToken.text == access)
        #expect(try home.stored()?.refreshToken?.text == refresh)
        #expect(filling.count > 0)
      }
    }
  }

  @Test func `keeps tokens by the thousand`() async {
    await #expect(processExitsWith: .success) {
      _ = SecureHeap.initialise(bytes: 1 << 17)
      let first = try grant(String(repeating: "a", count: 4000))
      let used = SecureHeap.usedBytes
      let grants = try (0..<1000).map { _ in try grant(String(repeating: "b", count: 4000)) }
      #expect(SecureHeap.usedBytes == used && first.accessToken.count == 4000)
      #expect(grants.last?.accessToken.text == String(repeating: "b", count: 4000))
    }
  }
}
