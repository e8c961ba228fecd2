/// Words of a command line of the sh family that is read once, as a person types it.
package enum ShellWord {
  /// The word as it is where no shell could take it for anything else, and in single quotes otherwise.
  package static func quoted(_ word: String) -> String {
    !word.isEmpty && word.utf8.allSatisfy(isPlain) ? word : single(word)
  }

  /// The word between single quotes. The bytes are looked at, since a quote before a combining character is another
  /// `Character`.
  package static func single(_ word: String) -> String {
    let bytes = word.utf8.flatMap { $0 == UInt8(ascii: "'") ? Array(#"'\''"#.utf8) : [$0] }
    return "'" + String(decoding: bytes, as: UTF8.self) + "'"
  }

  /// The words of a line that ``quoted(_:)`` made the words of; nil for one that a shell would read in another way.
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
        guard bytes.next() == UInt8(ascii: "'") else { return nil }
        word = (word ?? []) + [UInt8(ascii: "'")]
      case _ where isLiteral(byte): word = (word ?? []) + [byte]
      default: return nil
      }
    }
    if let word { words.append(String(decoding: word, as: UTF8.self)) }
    return isQuoted ? nil : words
  }

  /// Bytes that no shell reads as anything but themselves, inside quotes or out, in a file name pattern or not.
  package static func isLiteral(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || byte >= 0x80 || "_-./:@%+=,".utf8.contains(byte)
  }

  /// Bytes that a word of a command may have without any quotes, wherever in it they stand.
  package static func isPlain(_ byte: UInt8) -> Bool { isLiteral(byte) && byte < 0x80 && byte != UInt8(ascii: "=") }
}
