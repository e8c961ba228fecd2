import Crypto
import Testing

@Suite struct `Secret bytes` {
  @Test func `a new secret is zero and can be filled`() throws {
    var bytes = try SecretBytes(zeroed: 40)
    #expect(revealed(bytes) == repeated(0, 40))
    bytes.withMutableBytes { span in
      for index in span.indices { span[index] = UInt8(index) }
    }
    #expect(revealed(bytes) == Array(0..<40))
  }

  @Test func `a copy is equal and independent`() throws {
    var original = try secret([1, 2, 3])
    let copy = try original.copy()
    let before = original.isEqual(to: copy)
    #expect(before)
    original.withMutableBytes { $0[0] = 9 }
    let after = original.isEqual(to: copy)
    #expect(!after)
    #expect(revealed(copy) == [1, 2, 3])
  }

  @Test func `secrets of different lengths differ, two empty ones do not`() throws {
    let long = try secret([1, 2, 3])
    let short = try secret([1, 2])
    let empty = SecretBytes()
    let other = try secret([])
    let results = [long.isEqual(to: short), short.isEqual(to: empty), empty.isEqual(to: other)]
    #expect(results == [false, false, true])
  }

  @Test(arguments: [-1, SecretBytes.maximumCount + 1, Int.max]) func `an impossible length is refused`(count: Int) {
    #expect(throws: CryptoError(.invalidLength, "secret")) { _ = try SecretBytes(zeroed: count).count }
  }

  @Test func `the largest secret is possible`() throws {
    let count = try SecretBytes(zeroed: SecretBytes.maximumCount).count
    #expect(count == 262_144)
  }

  @Test func `two random secrets differ`() throws {
    let one = try SecretBytes.random(32)
    let other = try SecretBytes.random(32)
    #expect(revealed(one) != revealed(other))
    #expect(revealed(one) != repeated(0, 32))
  }

  @Test func `random bytes fill the whole secret`() throws {
    let bytes = try SecretBytes.random(64)
    #expect(revealed(bytes)[..<32] != repeated(0, 32)[...])
    #expect(revealed(bytes)[32...] != repeated(0, 32)[...])
  }

  @Test func `a shared secret shows nothing of itself`() throws {
    let shared = SharedSecret(try secret(utf8("hunter2")))
    var text = ""
    dump(shared, to: &text)
    print(shared, to: &text)
    #expect(!text.contains("hunter2") && !text.contains("104"))
  }
}

@Suite struct `Random bytes and constant-time comparison` {
  @Test func `random bytes have the length asked for`() throws {
    #expect(try Random.bytes(0) == [])
    #expect(try Random.bytes(65_536).count == 65_536)
    #expect(try Random.bytes(32) != Random.bytes(32))
  }

  @Test(arguments: [-1, 65_537]) func `an impossible number of random bytes is refused`(count: Int) {
    #expect(throws: CryptoError(.invalidLength, "random")) { try Random.bytes(count) }
  }

  @Test func `each differing byte is noticed`() {
    let bytes = Array("a state value".utf8)
    let same = ConstantTime.isEqual(bytes.span, Array(bytes).span)
    #expect(same)
    for index in bytes.indices {
      let other = flipping(bytes, at: index, bit: 7)
      let equal = ConstantTime.isEqual(bytes.span, other.span)
      #expect(!equal)
      let short = Array(bytes.prefix(index))
      let prefixEqual = ConstantTime.isEqual(bytes.span, short.span)
      #expect(!prefixEqual)
    }
  }

  /// A comparison that stops at the first difference would take a millionth of the time.
  @Test func `bytes that differ at once take as long as equal ones`() {
    let bytes = [UInt8](repeating: 7, count: 4 << 20)
    let (same, other) = (Array(bytes), flipping(bytes, at: 0, bit: 0))
    func shortest(_ other: [UInt8]) -> Duration {
      let clock = ContinuousClock()
      return (0..<5).map { _ in clock.measure { _ = ConstantTime.isEqual(bytes.span, other.span) } }.min() ?? .zero
    }
    #expect(shortest(other) * 1000 > shortest(same))
  }
}
