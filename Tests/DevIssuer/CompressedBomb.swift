/// A little content in the gzip format (RFC 1952) that is a lot when it is inflated.
enum CompressedBomb {
  /// Of zeros; each pair of codes stands for 258 of them.
  static let inflatedCount = 1 + 258 * pairCount
  private static let pairCount = 131_072

  /// The check value at the end is left out: whoever came that far has inflated it all.
  static let bytes: [UInt8] = {
    // Deflate, no flags, no time, no name.
    var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    var writer = BitWriter()
    // The last block, with the fixed codes (RFC 1951 section 3.2.6).
    writer.append(0b1, count: 1)
    writer.append(0b01, count: 2)
    writer.appendCode(0b0011_0000, count: 8)
    for _ in 0..<pairCount {
      // The length 258, then the distance 1.
      writer.appendCode(0b1100_0101, count: 8)
      writer.appendCode(0, count: 5)
    }
    writer.appendCode(0, count: 7)
    return bytes + writer.finished
  }()

  /// Packs bits, the lowest first (RFC 1951 section 3.1.1).
  private struct BitWriter {
    private var bytes: [UInt8] = []
    private var pending: UInt8 = 0
    private var pendingCount = 0

    var finished: [UInt8] { pendingCount == 0 ? bytes : bytes + [pending] }

    mutating func append(_ value: Int, count: Int) {
      for position in 0..<count { append(value >> position & 1 == 1) }
    }

    /// Huffman codes come with their highest bit first.
    mutating func appendCode(_ code: Int, count: Int) {
      for position in (0..<count).reversed() { append(code >> position & 1 == 1) }
    }

    private mutating func append(_ bit: Bool) {
      if bit { pending |= 1 << UInt8(pendingCount) }
      pendingCount += 1
      guard pendingCount == 8 else { return }
      bytes.append(pending)
      (pending, pendingCount) = (0, 0)
    }
  }
}
