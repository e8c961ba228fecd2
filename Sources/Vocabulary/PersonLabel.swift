package import Encoding

/// The person of an account in a few words for the person: an e-mail address or a name, as the issuer spells it.
///
/// It distinguishes accounts on a screen and proves nothing. It is for `status` and `list` only.
package struct PersonLabel: Sendable, Hashable {
  /// The most bytes of ``text``.
  package static let maximumByteCount = 128

  /// 1 to 128 bytes of what ``TerminalText`` leaves.
  package let text: String

  /// Cleans a text and cuts it at a character; nil when nothing is left.
  package init?(_ text: String) {
    var text = TerminalText.clean(text, limit: Self.maximumByteCount)
    while text.utf8.count > Self.maximumByteCount { text.removeLast() }
    guard text.contains(where: { $0 != " " }) else { return nil }
    self.text = text
  }

  /// The label in the bytes of another one's text.
  package init?(decoding bytes: Span<UInt8>) {
    self.init(unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) })
  }

  /// The label that an ID Token's claims give: the e-mail address, the preferred user name or the name
  /// (OpenID Connect Core, section 5.1).
  package init?(claims: JSONObject) {
    for name in ["email", "preferred_username", "name"] {
      guard let label = claims[name]?.string.flatMap({ PersonLabel($0) }) else { continue }
      self = label
      return
    }
    return nil
  }
}
