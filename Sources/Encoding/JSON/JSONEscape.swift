/// The escapes of JSON strings (RFC 8259 section 7).
enum JSONEscape {
  /// The byte for the letter of a two-character escape, or nil.
  static func byte(for letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  /// The letter of the two-character escape for a byte, if any.
  static func letter(for byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
    case 0x08: UInt8(ascii: "b")
    case 0x0C: UInt8(ascii: "f")
    case 0x0A: UInt8(ascii: "n")
    case 0x0D: UInt8(ascii: "r")
    case 0x09: UInt8(ascii: "t")
    default: nil
    }
  }

  /// Decodes escapes. `raw` is a parsed string's text between the quotes.
  static func decode<S: ByteSink & ~Copyable>(_ raw: Span<UInt8>, to sink: inout S) {
    var runStart = 0
    var index = 0
    while index < raw.count {
      guard raw[index] == UInt8(ascii: "\\") else {
        index += 1
        continue
      }
      sink.append(contentsOf: raw.extracting(runStart..<index))
      index = decodeOne(raw, at: index, to: &sink)
      runStart = index
    }
    sink.append(contentsOf: raw.extracting(runStart..<raw.count))
  }

  /// Returns the index after the escape.
  private static func decodeOne<S: ByteSink & ~Copyable>(
    _ raw: Span<UInt8>, at start: Int, to sink: inout S
  ) -> Int {
    if let byte = byte(for: raw[start + 1]) {
      sink.append(byte)
      return start + 2
    }
    let unit = codeUnit(raw, at: start + 2)
    guard unit & 0xF800 == 0xD800 else {
      append(scalar: unit, to: &sink)
      return start + 6
    }
    guard unit & 0xFC00 == 0xD800, let low = lowSurrogate(raw, at: start + 6) else {
      append(scalar: 0xFFFD, to: &sink)
      return start + 6
    }
    append(scalar: 0x10000 + (unit & 0x3FF) << 10 + (low & 0x3FF), to: &sink)
    return start + 12
  }

  /// The low surrogate. Nil if missing, as lenient parsing allows.
  private static func lowSurrogate(_ raw: Span<UInt8>, at start: Int) -> UInt32? {
    guard start + 6 <= raw.count, raw[start] == UInt8(ascii: "\\"), raw[start + 1] == UInt8(ascii: "u") else {
      return nil
    }
    let unit = codeUnit(raw, at: start + 2)
    return unit & 0xFC00 == 0xDC00 ? unit : nil
  }

  /// Parses the four hexadecimal digits at `start`.
  private static func codeUnit(_ raw: Span<UInt8>, at start: Int) -> UInt32 {
    var unit: UInt32 = 0
    for index in start..<(start + 4) {
      unit = unit << 4 | UInt32(HexDigit.value(raw[index]) ?? 0)
    }
    return unit
  }

  private static func append<S: ByteSink & ~Copyable>(scalar: UInt32, to sink: inout S) {
    func append(_ lead: UInt32, shift: UInt32, mask: UInt32) {
      sink.append(UInt8(truncatingIfNeeded: lead | (scalar >> shift) & mask))
    }
    switch scalar {
    case 0..<0x80:
      append(0, shift: 0, mask: 0x7F)
      return
    case 0x80..<0x800:
      append(0xC0, shift: 6, mask: 0x1F)
    case 0x800..<0x10000:
      append(0xE0, shift: 12, mask: 0x0F)
      append(0x80, shift: 6, mask: 0x3F)
    default:
      append(0xF0, shift: 18, mask: 0x07)
      append(0x80, shift: 12, mask: 0x3F)
      append(0x80, shift: 6, mask: 0x3F)
    }
    append(0x80, shift: 0, mask: 0x3F)
  }

  /// The byte length of the character at `index` if it must be escaped, otherwise 0.
  static func lengthToEscape(_ bytes: Span<UInt8>, at index: Int) -> Int {
    switch bytes[index] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): 1
    default: TerminalText.controlLength(bytes, at: index)
    }
  }

  /// Escapes a character found by ``lengthToEscape(_:at:)``.
  static func encode<S: ByteSink & ~Copyable>(_ bytes: Span<UInt8>, at index: Int, to sink: inout S) {
    sink.append(UInt8(ascii: "\\"))
    let byte = bytes[index]
    if let letter = letter(for: byte) {
      sink.append(letter)
      return
    }
    var scalar = UInt32(byte)
    switch lengthToEscape(bytes, at: index) {
    case 2: scalar = (scalar & 0x1F) << 6 | UInt32(bytes[index + 1] & 0x3F)
    case 3: scalar = (scalar & 0x0F) << 12 | UInt32(bytes[index + 1] & 0x3F) << 6 | UInt32(bytes[index + 2] & 0x3F)
    default: break
    }
    sink.append(UInt8(ascii: "u"))
    for shift in [12, 8, 4, 0] as [UInt32] { sink.append(HexDigit.lower(UInt8(scalar >> shift & 15))) }
  }
}
