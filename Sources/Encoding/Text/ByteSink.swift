/// A place where bytes are written, in order and without failing.
///
/// A plain `[UInt8]` is one; a buffer for secrets can be another, so the same code writes both a
/// public text and a secret one. A sink that has a limit remembers that it was passed and reports
/// it when it is finished.
package protocol ByteSink: ~Copyable {
  /// Writes one byte.
  mutating func append(_ byte: UInt8)
  /// Writes all of `bytes`.
  mutating func append(contentsOf bytes: Span<UInt8>)
}

extension ByteSink where Self: ~Copyable {
  /// Writes the UTF-8 bytes of `text`. For constants and text that is not secret.
  package mutating func append(utf8 text: String) {
    let view = text.utf8
    append(contentsOf: view.span)
  }
}

extension Array: ByteSink where Element == UInt8 {
  /// Writes all of `bytes` at the end of the array.
  package mutating func append(contentsOf bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

extension String {
  /// Whether both have the same bytes of UTF-8. Not for secrets.
  package func hasSameBytes(as other: String) -> Bool {
    let (view, otherView) = (utf8, other.utf8)
    return view.span.isSame(as: otherView.span)
  }
}

extension Span<UInt8> {
  /// Whether both have the same bytes.
  fileprivate func isSame(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] { return false }
    return true
  }
}
