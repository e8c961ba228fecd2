/// Why a text is not base64 that we accept (RFC 4648). Holds no byte of the text.
package enum Base64URLError: Error, Hashable, Sendable {
  /// No byte string is encoded in this many characters.
  case impossibleLength
  /// A character that is not in the alphabet, or padding where none belongs, at that byte.
  case invalidCharacter(offset: Int)
  /// The bits that the last character leaves unused are not zero (RFC 4648 section 3.5).
  case nonCanonical
}
