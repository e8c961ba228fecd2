internal import Encoding

/// Bytes that are overwritten after use, so that freed memory has no copy of a token.
package struct SecretText: ByteSink, ~Copyable {
  package private(set) var bytes: [UInt8]

  /// Creates an empty text. Call ``overwrite()`` after use.
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
  /// Overwrites the bytes with zeros, in place if the storage is not shared.
  @inline(never)
  package mutating func overwrite() {
    for index in indices { self[index] = 0 }
  }
}
