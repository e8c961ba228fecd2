import Crypto
import Platform
import Testing

@Suite struct `Memory for an exchange` {
  @Test func `costs nothing until it is used`() async {
    await #expect(processExitsWith: .success) {
      let before = try MemoryUse.ofThisProcess().rssKiB
      var arenas: [SecretArena] = []
      for _ in 0..<256 { arenas.append(try SecretArena(byteCount: 2 * SecretBytes.maximumCount)) }
      // Their total size is 128 MiB.
      #expect(try MemoryUse.ofThisProcess().rssKiB - before < 8 << 10)
      #expect(arenas.count == 256)
    }
  }

  @Test func `takes the answer and what is in it`() throws {
    let arena = try SecretArena(byteCount: 2 * 5000)
    var answer = try SecretBuffer(reserving: 5000, in: arena)
    answer.append(contentsOf: repeated(1, 5000).span)
    var token = SecretBuffer(capacity: 5000, in: arena)
    token.append(contentsOf: repeated(2, 5000).span)
    let whole = try answer.finish()
    let part = try token.finish()
    let areInside = whole.arena === arena && part.arena === arena
    #expect(areInside)
    #expect(revealed(whole) == repeated(1, 5000) && revealed(part) == repeated(2, 5000))
  }

  @Test func `that is used up leaves a secret to other memory`() throws {
    let arena = try SecretArena(byteCount: 10)
    var buffer = SecretBuffer(capacity: 11, in: arena)
    buffer.append(contentsOf: repeated(1, 11).span)
    let secret = try buffer.finish()
    let isElsewhere = secret.arena == nil
    #expect(isElsewhere && revealed(secret) == repeated(1, 11))
  }

  @Test func `is reserved up to the limit and not further`() throws {
    let arena = try SecretArena(byteCount: 100)
    #expect(throws: CryptoError(.invalidLength, "secret buffer")) {
      var buffer = try SecretBuffer(reserving: 50, in: arena)
      buffer.append(contentsOf: repeated(1, 51).span)
      _ = try buffer.finish().count
    }
  }

  @Test func `that the system has not is refused before it is needed`() {
    #expect(throws: CryptoError(.secureHeapFull, "secret")) { _ = try SecretArena(byteCount: 1 << 50) }
  }

  @Test func `is wiped with its secret`() throws {
    let arena = try SecretArena(byteCount: 100)
    var place: UnsafePointer<UInt8>?
    do {
      var buffer = try SecretBuffer(reserving: 100, in: arena)
      buffer.append(contentsOf: repeated(0xaa, 100).span)
      let secret = try buffer.finish()
      unsafe place = secret.withBytes { bytes in unsafe bytes.withUnsafeBufferPointer { $0.baseAddress } }
      #expect(unsafe place?[99] == 0xaa)
    }
    for offset in 0..<100 { #expect(unsafe place?[offset] == 0) }
  }
}
