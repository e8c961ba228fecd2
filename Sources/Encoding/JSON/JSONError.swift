/// Why and where text is not valid JSON. Contains no part of the text.
package struct JSONError: Error, Hashable, Sendable {
  package enum Code: Sendable {
    /// A byte not allowed at its position, such as a byte order mark's.
    case unexpectedByte
    /// The text is empty or ends inside a value.
    case unexpectedEnd
    /// Something other than whitespace follows the value (RFC 8259 section 2).
    case trailingBytes
    /// A string is not well-formed UTF-8 (RFC 8259 section 8.1).
    case invalidUTF8
    /// A backslash without an escape of RFC 8259 section 7.
    case invalidEscape
    /// A `\u` escape is half of a surrogate pair (RFC 8259 section 8.2).
    case loneSurrogate
    /// Two members of an object share a name (RFC 8259 section 4).
    case duplicateMember
    case tooDeep
    case tooManyMembers
    case tooManyElements
    case stringTooLong
    case numberTooLong
    /// A number not allowed by RFC 8259 section 6, such as `01` or `1.`.
    case invalidNumber
    /// The whole text is too long.
    case tooLarge
  }

  package var code: Code
  /// The byte offset of the invalid part.
  package var offset: Int
}
