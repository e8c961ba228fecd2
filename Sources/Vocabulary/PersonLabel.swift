package import Encoding

/// A short description of a user, such as an e-mail address, to distinguish accounts, not to authenticate.
package struct PersonLabel: Sendable, Hashable {
  package static let maximumByteCount = 128

  /// Without control characters.
  package let text: String

  /// Removes control characters and truncates. Nil if nothing is left.
  package init?(_ text: String) {
    var text = TerminalText.clean(text, limit: Self.maximumByteCount)
    if text.utf8.count > Self.maximumByteCount {
      while text.utf8.count > Self.maximumByteCount - 3 { text.removeLast() }
      text += "…"
    }
    guard text.contains(where: { $0 != " " }) else { return nil }
    self.text = text
  }

  package init?(decoding bytes: Span<UInt8>) {
    self.init(unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) })
  }

  /// From an ID Token's e-mail address, preferred user name or name (OpenID Connect Core section 5.1).
  package init?(claims: JSONObject) {
    for name in ["email", "preferred_username", "name"] {
      guard let label = claims[name]?.string.flatMap({ PersonLabel($0) }) else { continue }
      self = label
      return
    }
    return nil
  }
}
