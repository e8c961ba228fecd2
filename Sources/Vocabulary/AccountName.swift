internal import Encoding

/// An account's case-sensitive name: 1 to 64 of `A-Z a-z 0-9 . _ -`, not starting with `.` or `-`.
///
/// Safe in file names, commands and terminals.
package struct AccountName: Sendable, Hashable, Comparable {
  package static let maximumLength = 64

  package let text: String

  package struct Invalid: Error, Hashable {
  }

  package init(_ text: String) throws(Invalid) {
    guard Self.isValid(text.utf8) else { throw Invalid() }
    self.text = text
  }

  package init?(bytes: ArraySlice<UInt8>) {
    guard Self.isValid(bytes) else { return nil }
    self.text = String(decoding: bytes, as: UTF8.self)
  }

  private static func isValid(_ bytes: some Collection<UInt8>) -> Bool {
    guard let first = bytes.first, bytes.count <= maximumLength else { return false }
    return (first.isASCIIAlphanumeric || first == UInt8(ascii: "_")) && bytes.allSatisfy(isAllowed)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: byte.isASCIIAlphanumeric
    }
  }

  /// The order in vault files.
  package static func < (left: AccountName, right: AccountName) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}
