internal import Encoding

extension DecodedToken {
  /// The longest value that is shown, in characters.
  private static let valueLimit = 1000

  /// Claims that are points in time (RFC 7519 section 4.1, OpenID Connect Core 1.0 sections 2 and 5.1).
  private static let times = ["exp", "nbf", "iat", "auth_time", "updated_at"]

  /// Header and claims for a person, times in plain words. Nothing in it acts on a terminal.
  ///
  /// - Parameter now: Unix seconds.
  func text(now: Int) -> String {
    var text = "header\n" + Self.rows(header.names.map { ($0, Self.plain(header[$0] ?? .null)) })
    switch content {
    case .claims(let claims):
      text += "claims\n" + Self.rows(claims.names.map { ($0, Self.claim($0, claims[$0] ?? .null, now: now)) })
    case .bytes(let bytes): text += "payload\n" + Self.payload(bytes)
    case .encrypted: return text + "encrypted\n  only who has the key can read the rest\n"
    }
    let signature = signatureBytes == 0 ? "there is none" : "\(signatureBytes) bytes, not checked"
    return text + "signature\n  \(signature)\n"
  }

  private static func rows(_ rows: [(name: String, value: String)]) -> String {
    let rows = rows.map { (TerminalText.clean($0.name, limit: 60), $0.value) }
    let width = rows.map { min($0.0.count, 24) }.max() ?? 0
    return rows.map { name, value in
      "  \(name)\(String(repeating: " ", count: max(width - name.count, 0)))  \(value)\n"
    }.joined()
  }

  private static func claim(_ name: String, _ value: JSON, now: Int) -> String {
    guard times.contains(where: { $0.utf8.elementsEqual(name.utf8) }),
      let seconds = value.number?.rounded(.down), (0..<253_402_300_800).contains(seconds)
    else { return plain(value) }
    return PlainTime.text(seconds, now: now)
  }

  private static func plain(_ value: JSON) -> String {
    let text = value.string ?? String(decoding: value.serialized(), as: UTF8.self)
    return TerminalText.clean(text, limit: valueLimit)
  }

  private static func payload(_ bytes: [UInt8]) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      return "  \(bytes.count) bytes that are no text\n"
    }
    return "  \(TerminalText.clean(text, limit: valueLimit))\n"
  }
}
