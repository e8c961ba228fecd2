/// Quotes words for shell command lines.
package enum ShellWord {
  /// Quotes a word for pasting into any shell, if necessary. Backslashes and `!` stay outside the quotes, since fish
  /// and csh interpret them within.
  package static func quoted(_ word: String) -> String {
    if !word.isEmpty, word.utf8.allSatisfy(isPlain) { return word }
    var result: [UInt8] = []
    var isQuoted = false
    func turn(_ on: Bool) {
      if on != isQuoted { result.append(UInt8(ascii: "'")) }
      isQuoted = on
    }
    for byte in word.utf8 {
      let isSpecial = isReadInQuotes(byte)
      turn(!isSpecial)
      if isSpecial { result.append(UInt8(ascii: "\\")) }
      result.append(byte)
    }
    turn(false)
    return result.isEmpty ? "''" : String(decoding: result, as: UTF8.self)
  }

  /// Whether some shell interprets the byte within single quotes.
  private static func isReadInQuotes(_ byte: UInt8) -> Bool { #"'\!"#.utf8.contains(byte) }

  /// Whether a server's text may appear in a hint: printable ASCII without quotes, backticks, backslashes and `!`.
  package static func isHarmless(_ text: String) -> Bool {
    text.utf8.allSatisfy {
      $0.isPrintableASCII && !isReadInQuotes($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "`")
    }
  }

  /// Single-quotes the word, bytewise: a quote with a combining character is another `Character`.
  package static func single(_ word: String) -> String {
    let bytes = word.utf8.flatMap { $0 == UInt8(ascii: "'") ? Array(#"'\''"#.utf8) : [$0] }
    return "'" + String(decoding: bytes, as: UTF8.self) + "'"
  }

  /// Splits a line of words quoted by ``quoted(_:)``. Nil if a shell would read it differently.
  package static func words(_ line: String) -> [String]? {
    var words: [String] = []
    var word: [UInt8]?
    var isQuoted = false
    var bytes = line.utf8.makeIterator()
    while let byte = bytes.next() {
      switch byte {
      case UInt8(ascii: "'"):
        isQuoted.toggle()
        word = word ?? []
      case _ where isQuoted: word?.append(byte)
      case UInt8(ascii: " "):
        if let word { words.append(String(decoding: word, as: UTF8.self)) }
        word = nil
      case UInt8(ascii: "\\"):
        guard let escaped = bytes.next(), isReadInQuotes(escaped) else { return nil }
        word = (word ?? []) + [escaped]
      case _ where isLiteral(byte): word = (word ?? []) + [byte]
      default: return nil
      }
    }
    if let word { words.append(String(decoding: word, as: UTF8.self)) }
    return isQuoted ? nil : words
  }

  /// Whether every shell reads the byte literally, quoted, unquoted and in patterns.
  package static func isLiteral(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || byte >= 0x80 || "_-./:@%+=,".utf8.contains(byte)
  }

  /// Whether the byte needs no quotes anywhere in a command.
  package static func isPlain(_ byte: UInt8) -> Bool { isLiteral(byte) && byte < 0x80 && byte != UInt8(ascii: "=") }
}
