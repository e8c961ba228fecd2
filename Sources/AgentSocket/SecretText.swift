internal import Encoding

/// Bytes that may contain a token for the caller, overwritten after use.
///
/// A client has no locked memory. This type only ensures that no copy of a token remains in memory that is reused.
package struct SecretText: ByteSink, ~Copyable {
  package private(set) var bytes: [UInt8]

  /// Creates an empty text with this capacity in bytes. It grows without leaving a copy. Its owner overwrites it with
  /// the `with` function of its module; see ``DaemonConnection`` for why each module has one.
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
  /// Replaces all bytes with zeros, in place if this is the only owner of the storage.
  @inline(never)
  package mutating func overwrite() {
    for index in indices { self[index] = 0 }
  }
}
