internal import Encoding

/// The name of an account: 1 to 64 of the characters `A-Z a-z 0-9 . _ -`, not starting with `.` or `-`.
///
/// Such a name is safe as a part of a file name, as a command argument and on a terminal.
/// Capital and small letters differ.
package struct AccountName: Sendable, Hashable {
  /// The most characters a name may have.
  package static let maximumLength = 64

  /// The name, unchanged.
  package let text: String

  /// The text breaks a rule of account names.
  package struct Invalid: Error, Hashable {
    package init() {}
  }

  /// Checks and keeps a name.
  package init(_ text: String) throws(Invalid) {
    guard Self.isValid(text.utf8) else { throw Invalid() }
    self.text = text
  }

  /// The name with these bytes; nil if they break a rule.
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
}

extension AccountName: Comparable {
  /// Byte order, which is the order of the records in a vault file.
  package static func < (left: AccountName, right: AccountName) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}
