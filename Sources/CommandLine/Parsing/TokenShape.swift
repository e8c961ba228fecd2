internal import Encoding
internal import Wire

/// Recognizes tokens by their shape, so that one given as an argument is neither used nor repeated.
enum TokenShape {
  /// Whether a word is a compact JWS or JWE (RFC 7515 section 7.1, RFC 7516 section 7.1): base64url parts separated by
  /// two or four dots, the first of which is the beginning of a JSON object.
  static func isLikely(_ word: String) -> Bool {
    let parts = word.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 || parts.count == 5, let header = parts.first, header.count > 4 else { return false }
    guard word.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-_.".utf8.contains($0) }) else { return false }
    let beginning = Array(header.prefix(4))
    return (try? Base64URL.decode(beginning.span))?.first == UInt8(ascii: "{")
  }

  /// A word as shown in messages.
  static func shown(_ word: String) -> Phrase {
    isLikely(word) ? Phrase("a token") : Phrase(verbatim: "\"\(word)\"")
  }
}
