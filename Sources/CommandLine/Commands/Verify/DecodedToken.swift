internal import Encoding
internal import Wire

/// The unverified header and claims of a token.
struct DecodedToken: Hashable {
  /// The part between the header and the signature.
  enum Content: Hashable {
    /// The claims of a JWT (RFC 7519 section 7.2).
    case claims(JSONObject)
    /// A payload that is not a JSON object.
    case bytes([UInt8])
    /// An encrypted token (RFC 7516); only its header is shown.
    case encrypted
  }

  let header: JSONObject
  let content: Content
  /// 0 if the token is not signed.
  let signatureBytes: Int

  /// Parses a compact JWS or JWE (RFC 7515, RFC 7516).
  init(_ text: Span<UInt8>) throws(Failure) {
    let parts = Self.parts(text)
    guard parts.count == 3 || parts.count == 5 else {
      let dots = parts.count - 1
      throw Self.malformed(
        dots == 0
          ? Phrase("a token has three parts separated by two dots, but this has no dot")
          : Phrase.counted(
            dots, one: "a token has three parts separated by two dots, but this has \(dots) dot",
            other: "a token has three parts separated by two dots, but this has \(dots) dots"))
    }
    let header = try Self.decode(text.extracting(parts[0]), Phrase("header"))
    guard let members = (try? JSON(parsing: header))?.object else {
      throw Self.malformed(Phrase("the header of the token is not a JSON object"))
    }
    self.header = members
    if parts.count == 5 {
      content = .encrypted
      signatureBytes = 0
      return
    }
    let payload = try Self.decode(text.extracting(parts[1]), Phrase("payload"))
    content = (try? JSON(parsing: payload))?.object.map { .claims($0) } ?? .bytes(payload)
    signatureBytes = try Self.decode(text.extracting(parts[2]), Phrase("signature")).count
  }

  private static func parts(_ text: Span<UInt8>) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var start = 0
    for index in text.indices where text[index] == UInt8(ascii: ".") {
      parts.append(start..<index)
      start = index + 1
    }
    return parts + [start..<text.count]
  }

  private static func decode(_ part: Span<UInt8>, _ name: Phrase) throws(Failure) -> [UInt8] {
    do {
      return try Base64URL.decode(part)
    } catch {
      switch error {
      case .impossibleLength:
        throw malformed(Phrase("the \(name) of the token is cut off: its length is impossible in base64url"))
      case .invalidCharacter(let offset):
        throw malformed(
          Phrase("the \(name) of the token is not base64url at byte \(offset + 1)"))
      case .nonCanonical:
        throw malformed(Phrase("the \(name) of the token is cut off or altered: its last character has stray bits"))
      }
    }
  }

  private static func malformed(_ message: Phrase) -> Failure { Failure(.malformedToken, message) }

  var json: JSONObject {
    var object = JSONObject([("verified", false), ("header", .object(header))])
    switch content {
    case .claims(let claims): object["claims"] = .object(claims)
    case .bytes(let bytes): object["payload"] = .string(Base64URL.encode(bytes))
    case .encrypted: object["encrypted"] = true
    }
    return object
  }

  /// In characters.
  private static let valueLimit = 1000

  /// RFC 7519, OpenID Connect Core 1.0.
  private static let timeClaims = ["exp", "nbf", "iat", "auth_time", "updated_at"]

  /// For a terminal. `now` is in Unix seconds.
  func text(now: Int) -> String {
    var text = "header\n" + Self.rows(header.names.map { ($0, Self.plain(header[$0] ?? .null)) })
    switch content {
    case .claims(let claims):
      text += "claims\n" + Self.rows(claims.names.map { ($0, Self.claim($0, claims[$0] ?? .null, now: now)) })
    case .bytes(let bytes): text += "payload\n" + Self.payload(bytes)
    case .encrypted: return text + "encrypted\n  only the holder of the key can read the rest\n"
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
    guard timeClaims.contains(where: { $0.hasSameBytes(as: name) }),
      let seconds = value.number?.rounded(.down), (0..<253_402_300_800).contains(seconds)
    else { return plain(value) }
    return ReadableTime.text(seconds, now: now)
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
