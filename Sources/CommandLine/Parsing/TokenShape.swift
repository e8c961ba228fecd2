internal import Encoding

/// Tells a token from a word by its shape, so that one that was given as an argument is neither used nor repeated.
enum TokenShape {
  /// Whether a word is a compact JWS or JWE (RFC 7515 section 7.1, RFC 7516 section 7.1): base64url parts with two or
  /// four dots between them, of which the first is the beginning of a JSON object.
  static func isLikely(_ word: String) -> Bool {
    let parts = word.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 || parts.count == 5, let header = parts.first, header.count > 4 else { return false }
    guard word.utf8.allSatisfy(isTokenByte) else { return false }
    let beginning = Array(header.prefix(4))
    return (try? Base64URL.decode(beginning.span))?.first == UInt8(ascii: "{")
  }

  /// A word as a message may show it.
  static func shown(_ word: String) -> String { isLikely(word) ? "a token" : "\"\(word)\"" }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
