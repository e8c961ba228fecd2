/// Why a form is refused. Holds no byte of the form.
package enum FormError: Error, Hashable, Sendable {
  /// More bytes than the limit.
  case tooLarge
  /// More fields than the limit.
  case tooManyFields
  /// The same name twice (RFC 6749 section 3.1 forbids it for parameters).
  case duplicateName
  /// A control character, a space, or a byte that is not ASCII, written unencoded at that byte.
  case invalidCharacter(offset: Int)
  /// A "%" without two hexadecimal digits, at that byte.
  case invalidPercentEncoding(offset: Int)
  /// A name or value is not well-formed UTF-8 once decoded.
  case invalidUTF8
}
