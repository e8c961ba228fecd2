/// Why text is not valid JSON. Contains an offset, but no part of the text.
package struct JSONError: Error, Hashable, Sendable {
  package enum Code: Sendable {
    /// A byte not allowed at its position, such as in a byte order mark or after a trailing comma.
    case unexpectedByte
    /// The text ends inside a value, or is empty.
    case unexpectedEnd
    /// The value is followed by something other than whitespace (RFC 8259 section 2).
    case trailingBytes
    /// A string is not well-formed UTF-8 (RFC 8259 section 8.1).
    case invalidUTF8
    /// A backslash is not followed by an escape of RFC 8259 section 7.
    case invalidEscape
    /// A `\u` escape is half of a surrogate pair (RFC 8259 section 8.2).
    case loneSurrogate
    /// Two members of an object have the same name (RFC 8259 section 4).
    case duplicateMember
    case tooDeep
    case tooManyMembers
    case tooManyElements
    case stringTooLong
    case numberTooLong
    /// A number that RFC 8259 section 6 does not allow, such as `01` or `1.`.
    case invalidNumber
    case tooLarge
  }

  package var code: Code
  /// The offset of the invalid byte, escape, string, number or value, in bytes from the start.
  package var offset: Int
}
