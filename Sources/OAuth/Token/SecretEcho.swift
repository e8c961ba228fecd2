internal import Crypto
internal import Encoding

/// Searches a text of the server for parts of secrets that it repeats: any ``shortest`` bytes in a row, forwards or
/// backwards, unchanged, percent-encoded, in hexadecimal digits or in either base64 alphabet, alone or as a part of a
/// longer text.
struct SecretEcho {
  /// The least number of bytes in a row that is looked for. A shorter secret could be part of any word.
  static let shortest = 8

  /// All parts of that length of all forms that the text may be read in.
  private var parts: Set<UInt64> = []
  private let holdsToken: Bool

  init(_ text: String) {
    holdsToken = Self.holdsToken(text)
    let bytes = Array(text.utf8)
    for bytes in [bytes, bytes.reversed()] {
      for form in Self.forms(of: bytes) {
        Self.forEachPart(of: form.span) { parts.insert($0) }
        // A server may reverse before or after it encodes.
        Self.forEachPart(of: form.reversed().span) { parts.insert($0) }
      }
    }
  }

  /// Whether a text repeats a part of one of these, as it came or as a terminal shows it: removed characters may split
  /// a secret.
  ///
  /// - Parameter limit: More characters are not searched.
  static func isFound(in text: String, _ secrets: [SharedSecret], limit: Int) -> Bool {
    SecretEcho(String(text.prefix(limit))).repeats(secrets)
      || SecretEcho(TerminalText.clean(text, limit: limit)).repeats(secrets)
  }

  /// Whether it repeats a part of one of these, or holds any token in compact form.
  func repeats(_ secrets: [SharedSecret]) -> Bool {
    holdsToken
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

  private static func forEachPart(of bytes: Span<UInt8>, _ body: (UInt64) -> Void) {
    var part: UInt64 = 0
    for index in bytes.indices {
      part = part << 8 | UInt64(bytes[index])
      if index >= shortest - 1 { body(part) }
    }
  }

  /// The bytes that the hexadecimal digits of the text stand for, whatever separates them.
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

  /// The bytes that the text encodes in base64, runs of its characters one after the other.
  ///
  /// - Parameter skipped: How many characters of each run are left out: a secret may begin within a group.
  private static func base64Decoded(_ bytes: [UInt8], skipping skipped: Int) -> [UInt8] {
    var decoded: [UInt8] = []
    for run in bytes.split(whereSeparator: { base64Value($0) == nil }) {
      var group: UInt32 = 0
      for (index, byte) in run.dropFirst(skipped).enumerated() {
        group = group << 6 | UInt32(base64Value(byte) ?? 0)
        // Each character but the first of a group completes a byte.
        if index % 4 != 0 { decoded.append(UInt8(truncatingIfNeeded: group >> (6 - 2 * UInt32(index % 4)))) }
      }
    }
    return decoded
  }

  /// Of both alphabets (RFC 4648 sections 4 and 5).
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
  /// Whether `text` holds a token in compact form (RFC 7515 section 7.1), such as the client's own assertion: a
  /// header that begins with `{"`, and no end of it for as long as words have.
  private static func holdsToken(_ text: String) -> Bool {
    text.utf8.split { !$0.isASCIIAlphanumeric && ![0x2D, 0x2E, 0x5F].contains($0) }.contains { run in
      run.count >= 40 && run.indices.contains { run[$0...].starts(with: "eyJ".utf8) }
    }
  }
}
