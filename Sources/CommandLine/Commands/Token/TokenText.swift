internal import Encoding
internal import Wire

/// Checks tokens and token types from servers.
enum TokenText {
  /// Throws `server_misbehaved` for a token that is empty, contains a space (RFC 6750 section 2.1), or is not printable
  /// ASCII (RFC 6749 appendix A.12): it could end a header or control a terminal.
  static func check(_ token: Span<UInt8>, _ kind: Phrase) throws(Failure) {
    var isPrintable = !token.isEmpty
    for index in token.indices where !token[index].isVisibleASCII { isPrintable = false }
    guard isPrintable else {
      throw Failure(.serverMisbehaved, Phrase("the \(kind) contains characters that are invalid in a token"))
    }
  }

  /// The token type as an `Authorization` scheme (RFC 9110, section 5.6.2).
  static func scheme(of answer: TokenAnswer) throws(Failure) -> String {
    let scheme = answer.description.tokenType
    guard !scheme.isEmpty,
      scheme.utf8.allSatisfy(\.isTokenCharacter)
    else {
      throw Failure(.serverMisbehaved, "the token type contains invalid characters")
    }
    return scheme
  }
}

extension SecretText {
  /// Passes an empty text to `body`, and always overwrites it afterwards.
  static func with<Result, Failure: Error>(
    capacity: Int, _ body: (inout SecretText) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var text = SecretText(capacity: capacity)
    defer { text.overwrite() }
    return try body(&text)
  }
}
