/// URL-safe base64 without padding (RFC 4648 section 5, RFC 7515 section 2). Decoding accepts exactly the output of
/// encoding.
package enum Base64URL {
  /// Not for secrets: a `String` cannot be wiped.
  package static func encode(_ bytes: Span<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(encodedCount(bytes.count))
    append(bytes, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  package static func encode(_ bytes: [UInt8]) -> String {
    encode(bytes.span)
  }

  package static func append<S: ByteSink & ~Copyable>(_ bytes: Span<UInt8>, to sink: inout S) {
    Base64Alphabet.urlSafe.append(bytes, to: &sink)
  }

  /// The encoded length of `count` bytes.
  package static func encodedCount(_ count: Int) -> Int {
    count / 3 * 4 + (count % 3 == 0 ? 0 : count % 3 + 1)
  }

  package static func decode(_ text: Span<UInt8>) throws(Base64URLError) -> [UInt8] {
    try Base64Alphabet.urlSafe.decode(text, count: text.count)
  }

  /// May write some bytes before throwing. For secrets, use a sink that wipes itself.
  package static func decode<S: ByteSink & ~Copyable>(
    _ text: Span<UInt8>, to sink: inout S
  ) throws(Base64URLError) {
    try Base64Alphabet.urlSafe.decode(text, count: text.count, to: &sink)
  }

  package static func decode(_ text: String) throws(Base64URLError) -> [UInt8] {
    let view = text.utf8
    return try decode(view.span)
  }
}

/// Why text is not valid base64 (RFC 4648). Contains no part of the text.
package enum Base64URLError: Error, Hashable, Sendable {
  /// No encoding has this number of characters.
  case impossibleLength
  /// The byte at this offset is outside the alphabet or misplaced padding.
  case invalidCharacter(offset: Int)
  /// The last character's unused bits are not zero (RFC 4648 section 3.5).
  case nonCanonical
}
