package import Encoding

/// A short description of a user, such as an e-mail address, in the issuer's spelling. For distinguishing accounts in
/// `status` and `list`, not for authentication.
package struct PersonLabel: Sendable, Hashable {
  package static let maximumByteCount = 128

  /// The text without control characters, as cleaned by ``TerminalText``.
  package let text: String

  /// Removes control characters, and truncates a long text. Nil if nothing is left.
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

  /// Uses the e-mail address, preferred user name or name in an ID Token (OpenID Connect Core section 5.1).
  package init?(claims: JSONObject) {
    for name in ["email", "preferred_username", "name"] {
      guard let label = claims[name]?.string.flatMap({ PersonLabel($0) }) else { continue }
      self = label
      return
    }
    return nil
  }
}
