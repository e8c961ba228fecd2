internal import Encoding

/// Bytes that may contain a token and are overwritten after use. This only prevents copies of tokens in freed memory.
package struct SecretText: ByteSink, ~Copyable {
  package private(set) var bytes: [UInt8]

  /// Creates an empty text, which grows without leaving copies. Call ``overwrite()`` after use.
  package init(capacity: Int) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  package mutating func overwrite() { bytes.overwrite() }

  package mutating func append(_ byte: UInt8) {
    makeRoom(for: 1)
    bytes.append(byte)
  }

  package mutating func append(contentsOf span: Span<UInt8>) {
    makeRoom(for: span.count)
    bytes.append(contentsOf: span)
  }

  /// Grows the buffer if necessary, and overwrites the old one.
  private mutating func makeRoom(for count: Int) {
    guard bytes.count + count > bytes.capacity else { return }
    var larger: [UInt8] = []
    larger.reserveCapacity(max(bytes.capacity * 2, bytes.count + count))
    larger.append(contentsOf: bytes.span)
    bytes.overwrite()
    bytes = larger
  }
}

extension [UInt8] {
  /// Overwrites the bytes with zeros, in place if nothing else owns the storage.
  @inline(never)
  package mutating func overwrite() {
    for index in indices { self[index] = 0 }
  }
}
