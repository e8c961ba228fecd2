internal import Encoding

/// Removes control characters, except tabs and line feeds, from text that arrives in pieces. Keeps invalid UTF-8 unless
/// an 8-bit terminal interprets it as controls.
struct TerminalFilter {
  private var incompleteCharacter: [UInt8] = []

  /// Returns filtered text up to the last complete character.
  mutating func filter(_ piece: Span<UInt8>) -> [UInt8] {
    var bytes = incompleteCharacter
    bytes.append(contentsOf: piece)
    var (shown, index): ([UInt8], Int) = ([], 0)
    while index < bytes.count {
      let length = Self.length(bytes[index...])
      guard index + length <= bytes.count else { break }
      defer { index += length }
      if [UInt8(ascii: "\t"), UInt8(ascii: "\n")].contains(bytes[index]) {
        shown.append(bytes[index])
      } else if length == 1 {
        let isControl = bytes[index] < 0x20 || (0x7F..<0xA0).contains(bytes[index])
        if !isControl { shown.append(bytes[index]) }
      } else if TerminalText.controlLength(bytes.span, at: index) == 0 {
        shown += bytes[index..<index + length]
      }
    }
    incompleteCharacter = Array(bytes[index...])
    return shown
  }

  /// The length of the first character, which may exceed `bytes`; 1 for an invalid byte.
  private static func length(_ bytes: ArraySlice<UInt8>) -> Int {
    let length =
      switch bytes[bytes.startIndex] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    return bytes.prefix(length).dropFirst().allSatisfy { $0 & 0xC0 == 0x80 } ? length : 1
  }
}
