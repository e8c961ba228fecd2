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

  /// Bytes that no shell reads as anything but themselves, inside quotes or out, in a file name pattern or not.
  package static func isLiteral(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || byte >= 0x80 || "_-./:@%+=,".utf8.contains(byte)
  }

  /// Bytes that a word of a command may have without any quotes, wherever in it they stand.
  package static func isPlain(_ byte: UInt8) -> Bool { isLiteral(byte) && byte < 0x80 && byte != UInt8(ascii: "=") }
}
