internal import Glibc

extension Span<UInt8> {
  /// The index of the first `byte` from `start` (0...count), if any.
  package func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
    let rest = extracting(start...)
    return unsafe rest.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, let found = unsafe memchr(base, Int32(byte), bytes.count) else { return nil }
      return unsafe start + (UnsafeRawPointer(found) - base)
    }
  }

  /// Not for secrets: stops at the first difference.
  package func hasSameBytes(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    return unsafe withUnsafeBytes { left in
      unsafe other.withUnsafeBytes { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return true }
        return unsafe memcmp(left, right, count) == 0
      }
    }
  }
}
