/// Makes text from another party safe to show on a terminal.
package enum TerminalText {
  /// The text without anything invisible, and cut when it is long.
  ///
  /// Dropped: C0 and C1 controls (so no escape sequence survives), DEL, line and paragraph
  /// separators, bidirectional controls, zero-width and other format characters, the byte order
  /// mark, tag characters, variation selectors and fillers. What is left after `limit` characters
  /// is replaced by "…". A combining mark counts as a character, so marks cannot be piled up.
  package static func clean(_ text: String, limit: Int = 200) -> String {
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

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return false
    default: return !scalar.properties.isDefaultIgnorableCodePoint
    }
  }
}
