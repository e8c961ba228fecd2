import Crypto
import Testing

@Suite struct `A sealed secret` {
  private static func sealed(_ bytes: [UInt8]) throws -> SealedSecret {
    SealedSecret(SharedSecret(try SecretBytes(copying: bytes.span)))
  }

  @Test(arguments: [0, 1, 4000, 65_536, SecretBytes.maximumCount]) func `opens as it was`(count: Int) throws {
    let sealed = try Self.sealed(repeated(0x41, count))
    #expect(sealed.count == count)
    #expect(revealed(try sealed.open().bytes) == repeated(0x41, count))
  }

  @Test func `takes no room on the secure heap, however many there are`() async {
    await #expect(processExitsWith: .success) {
      _ = SecureHeap.initialise(bytes: 1 << 16)
      var sealed = [try Self.sealed(repeated(1, 100))]
      let used = SecureHeap.usedBytes
      for _ in 0..<1000 { sealed.append(try Self.sealed(repeated(2, 4000))) }
      #expect(SecureHeap.usedBytes == used && sealed.last?.count == 4000)
    }
  }

  @Test func `is the same as one with the same bytes only`() throws {
    let secret = try Self.sealed(repeated(1, 100))
    #expect(secret.isSame(as: try Self.sealed(repeated(1, 100))))
    #expect(!secret.isSame(as: try Self.sealed(repeated(2, 100))))
    #expect(!secret.isSame(as: try Self.sealed(repeated(1, 101))))
  }

  @Test func `shows nothing of itself`() throws {
    var shown = ""
    dump(try Self.sealed(repeated(0x41, 100)), to: &shown)
    #expect(!shown.contains("AAAA") && !shown.contains("65"))
  }
}
