/// Base64 with the URL-safe alphabet and without padding (RFC 4648 section 5, RFC 7515 section 2).
///
/// Decoding accepts exactly what encoding writes, so each byte string has one text.
package enum Base64URL {
  /// The text for `bytes`. Not for secrets: a `String` cannot be wiped.
  package static func encode(_ bytes: Span<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(encodedCount(bytes.count))
    append(bytes, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// The text for `bytes`. Not for secrets: a `String` cannot be wiped.
  package static func encode(_ bytes: [UInt8]) -> String {
    encode(bytes.span)
  }

  /// Writes the text for `bytes`.
  package static func append<S: ByteSink & ~Copyable>(_ bytes: Span<UInt8>, to sink: inout S) {
    Base64Alphabet.urlSafe.append(bytes, to: &sink)
  }

  /// The number of characters that encode `count` bytes.
  package static func encodedCount(_ count: Int) -> Int {
    count / 3 * 4 + (count % 3 == 0 ? 0 : count % 3 + 1)
  }

  /// The bytes for a text.
  ///
  /// - Throws: ``Base64URLError`` for anything that ``encode(_:)`` does not write: padding, white
  ///   space, the other alphabet, a length that leaves one character over, stray low bits.
  package static func decode(_ text: Span<UInt8>) throws(Base64URLError) -> [UInt8] {
    try Base64Alphabet.urlSafe.decode(text, count: text.count)
  }

  /// Writes the bytes for a text, as ``decode(_:)`` gives them. Some may be written before an error is
  /// found, so a secret goes into a buffer that wipes itself.
  package static func decode<S: ByteSink & ~Copyable>(
    _ text: Span<UInt8>, to sink: inout S
  ) throws(Base64URLError) {
    try Base64Alphabet.urlSafe.decode(text, count: text.count, to: &sink)
  }

  /// The bytes for a text, as ``decode(_:)`` for spans gives them.
  package static func decode(_ text: String) throws(Base64URLError) -> [UInt8] {
    let view = text.utf8
    return try decode(view.span)
  }
}

/// The reason why a text is not accepted as base64 (RFC 4648). It contains no byte of the text.
package enum Base64URLError: Error, Hashable, Sendable {
  /// No byte string is encoded in this many characters.
  case impossibleLength
  /// A character that is not in the alphabet, or padding where none belongs, at that byte.
  case invalidCharacter(offset: Int)
  /// The bits that the last character leaves unused are not zero (RFC 4648 section 3.5).
  case nonCanonical
}
