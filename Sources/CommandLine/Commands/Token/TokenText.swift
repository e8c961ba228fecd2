internal import AgentSocket
internal import Encoding
internal import Wire

/// Tokens and their types as text: servers choose them, so they are checked before they get into a
/// header, a variable or a terminal.
enum TokenText {
  /// Writes the access token.
  ///
  /// - Throws: `server_misbehaved` when it is empty or holds a byte that is not printable ASCII
  ///   (RFC 6749, appendix A.12); a space would end it in a header (RFC 6750, section 2.1).
  static func append(_ answer: TokenAnswer, from line: Span<UInt8>, to text: inout SecretText) throws(Failure) {
    let start = text.bytes.count
    answer.appendAccessToken(from: line, to: &text)
    try check(text.bytes[start...], "access token")
  }

  /// Writes the ID Token, if there is one.
  ///
  /// - Throws: `server_misbehaved` as for an access token; a compact JWT has no such byte (RFC 7515, section 7.1).
  static func appendIDToken(
    _ answer: TokenAnswer, from line: Span<UInt8>, to text: inout SecretText
  ) throws(Failure) -> Bool {
    let start = text.bytes.count
    guard answer.appendIDToken(from: line, to: &text) else { return false }
    try check(text.bytes[start...], "ID Token")
    return true
  }

  /// The hint for an account that has no ID Token.
  static func idTokenHint(account: String) -> String {
    "sign in again, with openid among the scopes: agent login \(account)"
  }

  private static func check(_ token: ArraySlice<UInt8>, _ kind: String) throws(Failure) {
    guard !token.isEmpty, token.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Failure(.serverMisbehaved, "the \(kind) holds characters that no token may have")
    }
  }

  /// The token's type as the scheme of an `Authorization` header.
  ///
  /// - Throws: `server_misbehaved` when it is no token (RFC 9110, section 5.6.2).
  static func scheme(of answer: TokenAnswer) throws(Failure) -> String {
    let scheme = answer.description.tokenType
    guard !scheme.isEmpty, scheme.utf8.allSatisfy(isTokenCharacter) else {
      throw Failure(.serverMisbehaved, "the token's type holds characters that no type may have")
    }
    return scheme
  }

  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

extension SecretText {
  /// Lends an empty text to `body` and overwrites it afterwards, also when `body` throws.
  static func with<Result, Failure: Error>(
    capacity: Int, _ body: (inout SecretText) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var text = SecretText(capacity: capacity)
    defer { text.overwrite() }
    return try body(&text)
  }
}
