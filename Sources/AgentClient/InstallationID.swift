internal import Encoding

/// Identifies the store of one user's sessions on one machine, from first sign-in to removal.
///
/// The ID is random but not secret. A program that stores a session's data should store the ID too, and delete both if
/// the ID changes.
public struct InstallationID: Sendable, Hashable, CustomStringConvertible {
  /// The ID as 32 lowercase hexadecimal digits.
  public let text: String

  /// Parses an ID; nil unless `text` is 32 lowercase hexadecimal digits.
  public init?(_ text: String) {
    guard text.utf8.count == 32, text.utf8.allSatisfy(HexDigit.isLower) else { return nil }
    self.text = text
  }

  /// Creates a random ID.
  public static func random() -> InstallationID {
    var generator = SystemRandomNumberGenerator()
    var text = ""
    for _ in 0..<32 { text += String(generator.next(upperBound: UInt(16)), radix: 16) }
    return InstallationID(unchecked: text)
  }

  private init(unchecked text: String) { self.text = text }

  /// The same as ``text``.
  public var description: String { text }
}
