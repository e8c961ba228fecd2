import Crypto
import Encoding
import Testing

@Suite struct `Secret buffer` {
  @Test func `what was written comes out, through every growth`() throws {
    var buffer = SecretBuffer(capacity: 3)
    var expected: [UInt8] = []
    for round in 0..<200 {
      let piece = repeated(UInt8(round), round % 7)
      buffer.append(contentsOf: piece.span)
      buffer.append(UInt8(round))
      expected += piece + [UInt8(round)]
    }
    let count = buffer.count
    #expect(count == expected.count)
    let shown = buffer.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    #expect(shown == expected)
    #expect(revealed(try buffer.finish()) == expected)
  }

  @Test func `an empty buffer gives an empty secret`() throws {
    let count = try SecretBuffer().finish().count
    #expect(count == 0)
  }

  @Test func `it takes what encoders write`() throws {
    var buffer = SecretBuffer()
    buffer.append(utf8: "Basic ")
    Base64URL.append([0xfb, 0xff].span, to: &buffer)
    #expect(revealed(try buffer.finish()) == utf8("Basic -_8"))
  }

  @Test func `the limit may be reached, not passed`() throws {
    var buffer = SecretBuffer(capacity: 1, limit: 10)
    buffer.append(contentsOf: repeated(1, 10).span)
    let full = buffer.count
    #expect(full == 10)
    buffer.append(2)
    let afterwards = buffer.count
    #expect(afterwards == 0)
  }

  @Test func `writing past the limit is an error that later writes do not undo`() {
    #expect(throws: CryptoError(.invalidLength, "secret buffer")) {
      var buffer = SecretBuffer(limit: 10)
      buffer.append(contentsOf: repeated(1, 11).span)
      buffer.append(1)
      _ = try buffer.finish().count
    }
  }

  @Test func `no limit goes past that of a secret`() {
    #expect(throws: CryptoError(.invalidLength, "secret buffer")) {
      var buffer = SecretBuffer(limit: .max)
      buffer.append(contentsOf: repeated(1, SecretBytes.maximumCount).span)
      buffer.append(1)
      _ = try buffer.finish().count
    }
  }

  @Test(arguments: [0, -5]) func `a buffer without room refuses the first byte`(limit: Int) {
    #expect(throws: CryptoError(.invalidLength, "secret buffer")) {
      var buffer = SecretBuffer(limit: limit)
      buffer.append(1)
      _ = try buffer.finish().count
    }
  }
}
