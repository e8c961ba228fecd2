/// The application/x-www-form-urlencoded format, in UTF-8 (RFC 6749 appendix B).
package enum Form {
  // MARK: Writing

  /// Writes a field, after "&" unless first. Not for secrets.
  package static func append<S: ByteSink & ~Copyable>(
    name: String, value: String, to sink: inout S, isFirst: inout Bool
  ) {
    let view = value.utf8
    append(name: name, secret: view.span, to: &sink, isFirst: &isFirst)
  }

  /// Writes a field with a secret value, after "&" unless first.
  package static func append<S: ByteSink & ~Copyable>(
    name: String, secret: Span<UInt8>, to sink: inout S, isFirst: inout Bool
  ) {
    if !isFirst { sink.append(UInt8(ascii: "&")) }
    isFirst = false
    let view = name.utf8
    appendEncoded(view.span, to: &sink)
    sink.append(UInt8(ascii: "="))
    appendEncoded(secret, to: &sink)
  }

  /// Encodes a name or value: "+" for a space, "%XX" for all but letters, digits and "*-._".
  package static func appendEncoded<S: ByteSink & ~Copyable>(_ bytes: Span<UInt8>, to sink: inout S) {
    var runStart = 0
    for index in 0..<bytes.count where !isPlain(bytes[index]) {
      sink.append(contentsOf: bytes.extracting(runStart..<index))
      appendEscape(bytes[index], to: &sink)
      runStart = index + 1
    }
    sink.append(contentsOf: bytes.extracting(runStart..<bytes.count))
  }

  private static func appendEscape<S: ByteSink & ~Copyable>(_ byte: UInt8, to sink: inout S) {
    guard byte != UInt8(ascii: " ") else {
      sink.append(UInt8(ascii: "+"))
      return
    }
    sink.append(UInt8(ascii: "%"))
    sink.append(HexDigit.upper(byte >> 4))
    sink.append(HexDigit.upper(byte))
  }

  /// Whether the byte needs no encoding.
  package static func isPlain(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || "*-._".utf8.contains(byte)
  }

  // MARK: Reading

  /// Parses all fields in order, skipping empty ones. `repeatable` names may repeat, such as `resource` (RFC 8707
  /// section 2).
  package static func parse(
    _ bytes: Span<UInt8>, maximumFields: Int = 64, maximumBytes: Int = 65_536, repeatable: [String] = []
  ) throws(FormError) -> [FormField] {
    guard bytes.count <= maximumBytes else { throw .tooLarge }
    var fields: [FormField] = []
    var start = 0
    while start < bytes.count {
      let end = firstIndex(of: UInt8(ascii: "&"), in: bytes, from: start, to: bytes.count)
      if end > start {
        guard fields.count < maximumFields else { throw .tooManyFields }
        let field = try parseField(bytes, from: start, to: end)
        let mayRepeat = repeatable.contains { $0.hasSameBytes(as: field.name) }
        guard mayRepeat || !fields.contains(where: { $0.name.hasSameBytes(as: field.name) })
        else { throw .duplicateName }
        fields.append(field)
      }
      start = end + 1
    }
    return fields
  }

  package static func parse(_ text: String) throws(FormError) -> [FormField] {
    let view = text.utf8
    return try parse(view.span)
  }

  private static func parseField(_ bytes: Span<UInt8>, from start: Int, to end: Int) throws(FormError) -> FormField {
    let equals = firstIndex(of: UInt8(ascii: "="), in: bytes, from: start, to: end)
    let name = try decode(bytes, from: start, to: equals)
    let value = try decode(bytes, from: min(equals + 1, end), to: end)
    return FormField(name: name, value: value)
  }

  /// Decodes a name or value that may be secret. Returns false if malformed, with partial output.
  package static func decode<S: ByteSink & ~Copyable>(_ text: Span<UInt8>, to sink: inout S) -> Bool {
    var index = 0
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: "+"): sink.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard index + 2 < text.count, let high = HexDigit.value(text[index + 1]),
          let low = HexDigit.value(text[index + 2])
        else { return false }
        sink.append(high << 4 | low)
        index += 2
      case 0x21...0x7E: sink.append(text[index])
      default: return false
      }
      index += 1
    }
    return true
  }

  private static func decode(_ bytes: Span<UInt8>, from start: Int, to end: Int) throws(FormError) -> String {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(end - start)
    var index = start
    while index < end {
      switch bytes[index] {
      case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard index + 2 < end, let high = HexDigit.value(bytes[index + 1]),
          let low = HexDigit.value(bytes[index + 2])
        else { throw .invalidPercentEncoding(offset: index) }
        decoded.append(high << 4 | low)
        index += 2
      case 0x21...0x7E: decoded.append(bytes[index])
      default: throw .invalidCharacter(offset: index)
      }
      index += 1
    }
    guard let text = String(validating: decoded, as: UTF8.self) else { throw .invalidUTF8 }
    return text
  }

  /// `end` if absent.
  private static func firstIndex(of byte: UInt8, in bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
    var index = start
    while index < end, bytes[index] != byte { index += 1 }
    return index
  }
}

/// Why a form is invalid. Contains nothing of the form.
package enum FormError: Error, Hashable, Sendable {
  case tooLarge
  case tooManyFields
  /// A repeated name (forbidden by RFC 6749 section 3.1).
  case duplicateName
  /// An unencoded control character, space or non-ASCII byte.
  case invalidCharacter(offset: Int)
  /// A "%" without two hexadecimal digits.
  case invalidPercentEncoding(offset: Int)
  /// A name or value is not well-formed UTF-8.
  case invalidUTF8
}

/// A form's decoded name and value.
package struct FormField: Sendable, Hashable {
  /// May be empty.
  package var name: String
  /// Empty if written without "=".
  package var value: String

  package static func == (one: FormField, other: FormField) -> Bool {
    one.name.hasSameBytes(as: other.name) && one.value.hasSameBytes(as: other.value)
  }
}
