import Encoding

/// A noncopyable sink, like a buffer for secrets.
struct BoundedSink: ~Copyable, ByteSink {
  private(set) var bytes: [UInt8] = []
  private(set) var overflowed = false
  let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  mutating func append(_ byte: UInt8) {
    if bytes.count < limit { bytes.append(byte) } else { overflowed = true }
  }

  mutating func append(contentsOf more: Span<UInt8>) {
    for index in 0..<more.count { append(more[index]) }
  }
}

func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }

/// The text of bytes that a test expects to be UTF-8.
func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// Whether two texts are the same byte for byte, not only canonically equivalent.
func isSame(_ one: String?, _ other: String) -> Bool { one.map { utf8($0) } == utf8(other) }
