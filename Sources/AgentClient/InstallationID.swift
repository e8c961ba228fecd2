internal import Encoding

/// Identifies an installation: the store of one user's sessions on one machine, from its first sign-in to its removal.
///
/// It is a random number, not a secret, and a new one after the store was removed and created again. A program that
/// stores data of a session, such as a cache for its user, stores the installation with it, and drops both if the
/// installation changes: the earlier sessions do not come back.
public struct InstallationID: Sendable, Hashable, CustomStringConvertible {
  /// 32 hexadecimal digits in lower case.
  public let text: String

  /// Reads the value of ``text``; nil for anything else.
  public init?(_ text: String) {
    guard text.utf8.count == 32, text.utf8.allSatisfy(HexDigit.isLower) else { return nil }
    self.text = text
  }

  /// A new one.
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
