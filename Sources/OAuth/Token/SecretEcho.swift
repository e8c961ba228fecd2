internal import Crypto
internal import Encoding

/// Searches a text of the server for secrets that it repeats: unchanged, percent-encoded, or in either base64 alphabet,
/// alone or as a part of a longer text.
struct SecretEcho {
  /// The text as bytes, in every form that it is looked at.
  private let forms: [[UInt8]]
  private let holdsToken: Bool

  init(_ text: String) {
    holdsToken = Bytes.holdsToken(text)
    let bytes = Array(text.utf8)
    forms = [bytes, Self.percentDecoded(bytes)] + (0..<4).map { Self.base64Decoded(bytes, skipping: $0) }
  }

  /// Whether it repeats one of these, or the first 16 bytes of it, or holds any token in compact form.
  ///
  /// A secret of less than 8 bytes is not looked for: it could be part of any word.
  func repeats(_ secrets: [SharedSecret]) -> Bool {
    holdsToken
      || secrets.contains { secret in
        secret.bytes.withBytes { bytes in
          bytes.count >= 8 && forms.contains { Bytes.contain($0.span, bytes.extracting(first: 16)) }
        }
      }
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
}
