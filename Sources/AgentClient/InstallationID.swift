internal import Encoding

/// Names an installation: the store of one user's sessions on one machine, from its first sign-in to its removal.
///
/// It is a random number, not a secret, and another one after the store was removed and made anew. Whoever keeps
/// something beside a session, such as a cache for its user, keeps the installation with it, and drops both when it is
/// another one: the sessions from before are gone and do not come back.
public struct InstallationID: Sendable, Hashable, CustomStringConvertible {
  /// 32 hexadecimal digits in lower case.
  public let text: String

  /// Reads what ``text`` writes; nil when it is anything else.
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
