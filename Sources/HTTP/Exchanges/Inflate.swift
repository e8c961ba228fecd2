internal import Crypto
internal import Encoding

/// Decodes content that a server compressed unasked: gzip (RFC 1952) and zlib (RFC 1950), told by
/// their first bytes.
enum Inflate {
  /// - Parameter limit: The most decoded bytes.
  /// - Returns: What could be decoded, up to the first error; nil if the content is of neither format.
  static func decode(_ bytes: Span<UInt8>, limit: Int, in room: SecretRoom?) -> SecretBuffer? {
    guard let start = start(of: bytes), let copy = try? SecretBytes(copying: bytes) else { return nil }
    var stream = Stream(
      bytes: copy, next: start, output: SecretBuffer(capacity: 4 * bytes.count, limit: limit, in: room))
    stream.decode(limit)
    guard stream.output.count > 0 else { return nil }
    return stream.output
  }

  /// The offset of the compressed data after the header.
  private static func start(of bytes: Span<UInt8>) -> Int? {
    guard bytes.count > 2 else { return nil }
    guard bytes[0] == 0x1F, bytes[1] == 0x8B else {
      let isZlib = bytes[0] & 0x0F == 8 && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0 && bytes[1] & 0x20 == 0
      return isZlib ? 2 : nil
    }
    guard bytes.count > 10, bytes[2] == 8 else { return nil }
    let flags = bytes[3]
    var next = 10
    if flags & 4 != 0 {
      guard next + 2 <= bytes.count else { return nil }
      next += 2 + Int(bytes[next]) + Int(bytes[next + 1]) << 8
    }
    // A name and a comment, each with a zero byte at its end.
    for flag in [8, 16] as [UInt8] where flags & flag != 0 {
      while next < bytes.count, bytes[next] != 0 { next += 1 }
      next += 1
    }
    if flags & 2 != 0 { next += 2 }
    return next < bytes.count ? next : nil
  }

  /// A canonical Huffman code (RFC 1951 section 3.2.2).
  private struct Code {
    /// The number of codes of each length.
    var counts = [Int](repeating: 0, count: 16)
    var symbols: [Int] = []

    init(_ lengths: [Int]) {
      for length in lengths where length > 0 { counts[length] += 1 }
      for length in 1...15 { symbols += lengths.indices.filter { lengths[$0] == length } }
    }
  }

  /// RFC 1951.
  private struct Stream: ~Copyable {
    let bytes: SecretBytes
    var next: Int
    var output: SecretBuffer
    private var bits = 0
    private var bitCount = 0

    init(bytes: consuming SecretBytes, next: Int, output: consuming SecretBuffer) {
      self.bytes = bytes
      self.next = next
      self.output = output
    }

    mutating func decode(_ limit: Int) {
      while let isLast = take(1), let type = take(2) {
        let isDone =
          switch type {
          case 0: copyStored(limit)
          case 1: decodeBlock(Self.fixedLengths, Self.fixedDistances, limit)
          case 2: decodeDynamic(limit)
          default: false
          }
        if !isDone || isLast == 1 { return }
      }
    }

    private func byte(_ offset: Int) -> Int { bytes.withBytes { Int($0[offset]) } }

    private mutating func take(_ count: Int) -> Int? {
      while bitCount < count {
        guard next < bytes.count else { return nil }
        bits |= byte(next) << bitCount
        bitCount += 8
        next += 1
      }
      defer {
        bits >>= count
        bitCount -= count
      }
      return bits & (1 << count - 1)
    }

    private mutating func copyStored(_ limit: Int) -> Bool {
      (bits, bitCount) = (0, 0)
      guard next + 4 <= bytes.count else { return false }
      let count = byte(next) | byte(next + 1) << 8
      next += 4
      let end = min(next + count, bytes.count)
      guard output.count + end - next <= limit else { return false }
      bytes.withBytes { output.append(contentsOf: $0.extracting(next..<end)) }
      defer { next = end }
      return end - next == count
    }

    private mutating func symbol(_ code: borrowing Code) -> Int? {
      var (value, first, index) = (0, 0, 0)
      for length in 1...15 {
        guard let bit = take(1) else { return nil }
        value |= bit
        let count = code.counts[length]
        if value - count < first { return code.symbols[index + value - first] }
        index += count
        first = (first + count) << 1
        value <<= 1
      }
      return nil
    }

    private static let lengthBases = [
      3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
    ]
    private static let lengthBits = [
      0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distanceBases = [
      1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
      8193, 12_289, 16_385, 24_577,
    ]
    private static let fixedLengths = Code(
      [Int](repeating: 8, count: 144) + [Int](repeating: 9, count: 112) + [Int](repeating: 7, count: 24)
        + [Int](repeating: 8, count: 8))
    private static let fixedDistances = Code([Int](repeating: 5, count: 30))

    private mutating func decodeBlock(_ lengths: Code, _ distances: Code, _ limit: Int) -> Bool {
      while let symbol = symbol(lengths) {
        if symbol == 256 { return true }
        if symbol < 256 {
          guard output.count < limit else { return false }
          output.append(UInt8(symbol))
          continue
        }
        guard symbol - 257 < Self.lengthBases.count, let more = take(Self.lengthBits[symbol - 257]),
          let place = self.symbol(distances), place < Self.distanceBases.count,
          let further = take(max(0, place / 2 - 1))
        else { return false }
        let count = Self.lengthBases[symbol - 257] + more
        let distance = Self.distanceBases[place] + further
        guard distance <= output.count, output.count + count <= limit else { return false }
        for _ in 0..<count {
          let byte = output.withBytes { $0[$0.count - distance] }
          output.append(byte)
        }
      }
      return false
    }

    /// RFC 1951 section 3.2.7.
    private mutating func decodeDynamic(_ limit: Int) -> Bool {
      guard let literals = take(5), let places = take(5), let codes = take(4) else { return false }
      var lengths = [Int](repeating: 0, count: 19)
      for index in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15].prefix(codes + 4) {
        guard let length = take(3) else { return false }
        lengths[index] = length
      }
      let code = Code(lengths)
      lengths = []
      let total = literals + 257 + places + 1
      while lengths.count < total {
        guard let symbol = symbol(code) else { return false }
        switch symbol {
        case 16:
          guard let last = lengths.last, let more = take(2) else { return false }
          lengths += [Int](repeating: last, count: 3 + more)
        case 17:
          guard let more = take(3) else { return false }
          lengths += [Int](repeating: 0, count: 3 + more)
        case 18:
          guard let more = take(7) else { return false }
          lengths += [Int](repeating: 0, count: 11 + more)
        default: lengths.append(symbol)
        }
      }
      guard lengths.count == total else { return false }
      return decodeBlock(Code(Array(lengths[..<(literals + 257)])), Code(Array(lengths[(literals + 257)...])), limit)
    }
  }
}
