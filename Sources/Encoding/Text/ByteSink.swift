/// A destination for bytes, such as an array or a buffer for secrets. Writing never fails.
package protocol ByteSink: ~Copyable {
  mutating func append(_ byte: UInt8)
  mutating func append(contentsOf bytes: Span<UInt8>)
}

extension ByteSink where Self: ~Copyable {
  /// Not for secrets.
  package mutating func append(utf8 text: String) {
    let view = text.utf8
    append(contentsOf: view.span)
  }
}

extension Array: ByteSink where Element == UInt8 {
  package mutating func append(contentsOf bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

extension String {
  /// Compares UTF-8. Not for secrets.
  package func hasSameBytes(as other: String) -> Bool {
    let (view, otherView) = (utf8, other.utf8)
    return view.span.isSame(as: otherView.span)
  }
}

extension Span<UInt8> {
  fileprivate func isSame(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] { return false }
    return true
  }
}
