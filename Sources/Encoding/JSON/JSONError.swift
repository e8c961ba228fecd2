/// The reason why a text is not accepted as JSON. It contains an offset, never a byte of the text.
package struct JSONError: Error, Hashable, Sendable {
  /// The kinds of refusal.
  package enum Code: Sendable {
    /// A byte that cannot stand where it stands, such as a byte order mark or a trailing comma.
    case unexpectedByte
    /// The text stops inside a value, or holds none.
    case unexpectedEnd
    /// Something other than white space follows the value (RFC 8259 section 2).
    case trailingBytes
    /// A string is not well-formed UTF-8 (RFC 8259 section 8.1).
    case invalidUTF8
    /// A backslash is followed by something that RFC 8259 section 7 does not list.
    case invalidEscape
    /// A `\u` escape is half of a surrogate pair (RFC 8259 section 8.2).
    case loneSurrogate
    /// Two members of one object have the same name (RFC 8259 section 4).
    case duplicateMember
    /// Nested deeper than the limit.
    case tooDeep
    /// One object has more members than the limit.
    case tooManyMembers
    /// The text has more values than the limit.
    case tooManyElements
    /// A string or name is longer than the limit.
    case stringTooLong
    /// A number is longer than the limit.
    case numberTooLong
    /// A number that RFC 8259 section 6 does not allow, such as `01` or `1.`.
    case invalidNumber
    /// The text is longer than the limit.
    case tooLarge
  }

  /// The kind of refusal.
  package var code: Code
  /// The offset of the offending byte, escape, string, number or value, in bytes from the start.
  package var offset: Int

  /// Makes an error of a kind at a place.
  package init(code: Code, offset: Int) {
    self.code = code
    self.offset = offset
  }
}
