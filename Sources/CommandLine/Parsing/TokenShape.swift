internal import Encoding
internal import Wire

/// Recognizes tokens by shape, so that none on a command line is used or printed.
enum TokenShape {
  /// Whether a word looks like a compact JWS or JWE (RFC 7515, RFC 7516): three or five base64url parts, starting with
  /// a JSON object.
  static func isLikely(_ word: String) -> Bool {
    let parts = word.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 || parts.count == 5, let header = parts.first, header.count > 4 else { return false }
    guard word.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-_.".utf8.contains($0) }) else { return false }
    let beginning = Array(header.prefix(4))
    return (try? Base64URL.decode(beginning.span))?.first == UInt8(ascii: "{")
  }

  /// Quotes a word for a message. Describes a likely JWS or JWE instead, and truncates other possible tokens.
  static func redacted(_ word: String) -> Phrase {
    isLikely(word)
      ? Phrase("a token") : Phrase(verbatim: "\"\(TerminalText.mayBeToken(word) ? TerminalText.word(word) : word)\"")
  }
}
