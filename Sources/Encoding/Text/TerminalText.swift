/// Makes text from other parties safe for terminals.
package enum TerminalText {
  /// Removes invisible characters: controls, separators, format characters (such as bidirectional, zero-width, tags),
  /// variation selectors and fillers. Replaces text after `limit` characters, including combining marks, by "…".
  package static func clean(_ text: String, limit: Int = 200) -> String {
    let view = text.utf8
    if isPlain(view.span, limit: limit) { return text }
    var result = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars where isVisible(scalar) {
      guard count < limit else {
        result.append("…")
        break
      }
      result.append(scalar)
      count += 1
    }
    return String(result)
  }

  /// A user's word for a message: cleaned, or only its beginning if it ``mayBeToken(_:)``.
  package static func word(_ text: String) -> String {
    mayBeToken(text) ? "\(text.prefix(4))…" : clean(text, limit: 64)
  }

  /// Whether a word could be an opaque token: at least 20 letters, digits, dashes and underscores, with a digit.
  package static func mayBeToken(_ word: String) -> Bool {
    word.utf8.count >= 20 && word.utf8.contains { $0.isASCIIDigit }
      && word.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_".utf8.contains($0) }
  }

  /// Whether the text is printable ASCII of at most `limit` bytes.
  package static func isPlain(_ text: Span<UInt8>, limit: Int) -> Bool {
    guard text.count <= limit else { return false }
    for index in text.indices where !(0x20..<0x7F).contains(text[index]) { return false }
    return true
  }

  /// The byte length of the character at `index` in well-formed UTF-8 if a terminal interprets it (C0 or C1 control,
  /// DEL, line or paragraph separator, bidirectional control), otherwise 0.
  package static func controlLength(_ bytes: Span<UInt8>, at index: Int) -> Int {
    let next = index + 1 < bytes.count ? bytes[index + 1] : 0
    switch (bytes[index], next) {
    case (0..<0x20, _), (0x7F, _): return 1
    // U+0080 to U+009F, U+061C.
    case (0xC2, 0x80..<0xA0), (0xD8, 0x9C): return 2
    case (0xE2, 0x80), (0xE2, 0x81):
      let last = index + 2 < bytes.count ? bytes[index + 2] : 0
      // U+200E, U+200F, U+2028 to U+202E; U+2066 to U+2069.
      return (next == 0x80 ? [0x8E, 0x8F] + Array(0xA8...0xAE) : Array(0xA6...0xA9)).contains(last) ? 3 : 0
    default: return 0
    }
  }

  /// Replaces characters that a terminal would interpret with spaces.
  package static func replacingControls(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var (result, index) = ([UInt8](), 0)
    while index < bytes.count {
      let length = controlLength(bytes.span, at: index)
      result.append(length > 0 ? UInt8(ascii: " ") : bytes[index])
      index += max(length, 1)
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return false
    default: return !scalar.properties.isDefaultIgnorableCodePoint
    }
  }
}
