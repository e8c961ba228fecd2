internal import Encoding

/// Bytes that may contain a token for the caller. They are overwritten after use.
///
/// A client has no locked memory. This type only ensures that no copy of a token stays in memory that is used again.
package struct SecretText: ByteSink, ~Copyable {
  package private(set) var bytes: [UInt8]

  /// Makes an empty text with this capacity in bytes; it grows without leaving a copy. Its owner overwrites it, with
  /// the `with` function of its module; ``DaemonConnection`` has the reason for one in each module.
  package init(capacity: Int) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// Overwrites all of it.
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
  /// Replaces all bytes by zeros, in place when this is the only holder of the storage.
  @inline(never)
  package mutating func overwrite() {
    for index in indices { self[index] = 0 }
  }
}
