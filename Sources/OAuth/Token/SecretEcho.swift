internal import Crypto
internal import Encoding

/// Searches a server's text for any ``minimumLength`` consecutive bytes of a secret, forwards or backwards, verbatim,
/// percent-encoded, in hexadecimal or base64.
struct SecretEcho {
  /// The shortest match. Ordinary words could contain shorter ones by chance.
  static let minimumLength = 8

  /// Sequences of ``minimumLength`` bytes in the text and its decodings, packed into numbers.
  private var parts: Set<UInt64> = []
  private let containsToken: Bool

  init(_ text: String) {
    containsToken = Self.containsToken(text)
    let bytes = Array(text.utf8)
    for bytes in [bytes, bytes.reversed()] {
      for form in Self.forms(of: bytes) {
        Self.forEachPart(of: form.span) { parts.insert($0) }
        // Servers may reverse before or after encoding.
        Self.forEachPart(of: form.reversed().span) { parts.insert($0) }
      }
    }
  }

  /// Whether the first `limit` characters contain part of a secret, even split by control characters.
  static func isFound(in text: String, _ secrets: [SharedSecret], limit: Int) -> Bool {
    SecretEcho(String(text.prefix(limit))).repeats(secrets)
      || SecretEcho(TerminalText.clean(text, limit: limit)).repeats(secrets)
  }

  /// Whether the text contains part of a secret, or any compact token.
  func repeats(_ secrets: [SharedSecret]) -> Bool {
    containsToken
      || secrets.contains { secret in
        secret.bytes.withBytes { bytes in
          var isFound = false
          Self.forEachPart(of: bytes) { if parts.contains($0) { isFound = true } }
          return isFound
        }
      }
  }

  private static func forms(of bytes: [UInt8]) -> [[UInt8]] {
    let base64 = (0..<4).map { base64Decoded(bytes, skipping: $0) }
    return [bytes, percentDecoded(bytes), hexDecoded(bytes, skipping: 0), hexDecoded(bytes, skipping: 1)] + base64
  }

  /// Calls `body` with each sequence of ``minimumLength`` bytes, packed.
  private static func forEachPart(of bytes: Span<UInt8>, _ body: (UInt64) -> Void) {
    var part: UInt64 = 0
    for index in bytes.indices {
      part = part << 8 | UInt64(bytes[index])
      if index >= minimumLength - 1 { body(part) }
    }
  }

  /// Decodes all hexadecimal digits except the first `skipped`.
  private static func hexDecoded(_ bytes: [UInt8], skipping skipped: Int) -> [UInt8] {
    let digits = bytes.compactMap { HexDigit.value($0) }.dropFirst(skipped)
    return stride(from: digits.startIndex, to: digits.endIndex - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  private static func percentDecoded(_ bytes: [UInt8]) -> [UInt8] {
    var decoded: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%"), rest.count >= 2, let high = HexDigit.value(rest[rest.startIndex]),
        let low = HexDigit.value(rest[rest.startIndex + 1])
      else {
        decoded.append(byte)
        continue
      }
      rest.removeFirst(2)
      decoded.append(high << 4 | low)
    }
    return decoded
  }

  /// Decodes each run of base64 without its first `skipped` characters, since a secret may begin within a group of
  /// four.
  private static func base64Decoded(_ bytes: [UInt8], skipping skipped: Int) -> [UInt8] {
    var decoded: [UInt8] = []
    for run in bytes.split(whereSeparator: { base64Value($0) == nil }) {
      var group: UInt32 = 0
      for (index, byte) in run.dropFirst(skipped).enumerated() {
        group = group << 6 | UInt32(base64Value(byte) ?? 0)
        if index % 4 != 0 { decoded.append(UInt8(truncatingIfNeeded: group >> (6 - 2 * UInt32(index % 4)))) }
      }
    }
    return decoded
  }

  /// The value of a character in either alphabet (RFC 4648 sections 4 and 5).
  private static func base64Value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
  /// Finds a compact token (RFC 7515 section 7.1): 40 characters or more containing `eyJ`, a header's beginning.
  private static func containsToken(_ text: String) -> Bool {
    text.utf8.split { !$0.isASCIIAlphanumeric && ![0x2D, 0x2E, 0x5F].contains($0) }.contains { run in
      run.count >= 40 && run.indices.contains { run[$0...].starts(with: "eyJ".utf8) }
    }
  }
}
