package import Encoding

/// A short description of an account's user: an e-mail address or a name, as spelled by the issuer.
///
/// It distinguishes accounts on a screen and proves nothing. Only for `status` and `list`.
package struct PersonLabel: Sendable, Hashable {
  /// The maximum length of ``text`` in bytes.
  package static let maximumByteCount = 128

  /// 1 to 128 bytes, cleaned by ``TerminalText``.
  package let text: String

  /// Cleans a text and truncates it at a character; nil if nothing is left.
  package init?(_ text: String) {
    var text = TerminalText.clean(text, limit: Self.maximumByteCount)
    while text.utf8.count > Self.maximumByteCount { text.removeLast() }
    guard text.contains(where: { $0 != " " }) else { return nil }
    self.text = text
  }

  /// Decodes a label's text.
  package init?(decoding bytes: Span<UInt8>) {
    self.init(unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) })
  }

  /// The label from an ID Token's claims: the e-mail address, the preferred user name or the name (OpenID Connect Core,
  /// section 5.1).
  package init?(claims: JSONObject) {
    for name in ["email", "preferred_username", "name"] {
      guard let label = claims[name]?.string.flatMap({ PersonLabel($0) }) else { continue }
      self = label
      return
    }
    return nil
  }
}
