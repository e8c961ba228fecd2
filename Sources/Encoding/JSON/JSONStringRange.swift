/// The range of a well-formed string in a JSON text (RFC 8259 section 7).
struct JSONStringRange {
  /// The index after the opening quote.
  let start: Int
  /// The index of the closing quote.
  let end: Int
  let hasEscapes: Bool

  /// Checks the string whose opening quote is at `quote`. `limit` is the maximum number of bytes between the quotes.
  init(_ bytes: Span<UInt8>, quote: Int, limit: Int, allowsLoneSurrogates: Bool = false) throws(JSONError) {
    var index = quote + 1
    var hasEscapes = false
    scan: while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        break scan
      case UInt8(ascii: "\\"):
        index = try Self.skipEscape(bytes, at: index, allowsLoneSurrogates: allowsLoneSurrogates)
        hasEscapes = true
      case 0x20...0x7F:
        index += 1
      case 0x80...0xFF:
        index = try Self.skipCharacter(bytes, at: index)
      default:
        throw JSONError(code: .unexpectedByte, offset: index)
      }
    }
    guard index < bytes.count else { throw JSONError(code: .unexpectedEnd, offset: bytes.count) }
    guard index - quote - 1 <= limit else { throw JSONError(code: .stringTooLong, offset: quote) }
    start = quote + 1
    end = index
    self.hasEscapes = hasEscapes
  }

  private static func skipCharacter(_ bytes: Span<UInt8>, at start: Int) throws(JSONError) -> Int {
    switch UTF8Sequence.find(in: bytes, at: start) {
    case .length(let length): return start + length
    case .cutOff: throw JSONError(code: .unexpectedEnd, offset: bytes.count)
    case .malformed: throw JSONError(code: .invalidUTF8, offset: start)
    }
  }

  private static func skipEscape(
    _ bytes: Span<UInt8>, at start: Int, allowsLoneSurrogates: Bool
  ) throws(JSONError) -> Int {
    guard start + 1 < bytes.count else { throw JSONError(code: .unexpectedEnd, offset: bytes.count) }
    if bytes[start + 1] != UInt8(ascii: "u") {
      guard JSONEscape.byte(for: bytes[start + 1]) != nil else { throw JSONError(code: .invalidEscape, offset: start) }
      return start + 2
    }
    let unit = try codeUnit(bytes, escape: start)
    guard unit & 0xF800 == 0xD800, !allowsLoneSurrogates else { return start + 6 }
    guard unit & 0xFC00 == 0xD800 else { throw JSONError(code: .loneSurrogate, offset: start) }
    try expectEscape(bytes, at: start + 6, after: start)
    let low = try codeUnit(bytes, escape: start + 6)
    guard low & 0xFC00 == 0xDC00 else { throw JSONError(code: .loneSurrogate, offset: start) }
    return start + 12
  }

  /// Throws unless `\u` follows at `start`, as the high surrogate at `first` requires.
  private static func expectEscape(_ bytes: Span<UInt8>, at start: Int, after first: Int) throws(JSONError) {
    for (index, wanted) in [(start, UInt8(ascii: "\\")), (start + 1, UInt8(ascii: "u"))] {
      guard index < bytes.count else { throw JSONError(code: .unexpectedEnd, offset: bytes.count) }
      guard bytes[index] == wanted else { throw JSONError(code: .loneSurrogate, offset: first) }
    }
  }

  private static func codeUnit(_ bytes: Span<UInt8>, escape: Int) throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for index in (escape + 2)..<(escape + 6) {
      guard index < bytes.count else { throw JSONError(code: .unexpectedEnd, offset: bytes.count) }
      guard let digit = HexDigit.value(bytes[index]) else { throw JSONError(code: .invalidEscape, offset: escape) }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }
}
