/// The arguments of this process as the bytes they are: a file name need not be UTF-8, and a `String`
/// of it would name another file.
enum RawArguments {
  /// The bytes of the last arguments, which were read as `words`.
  ///
  /// When they are not this process's own, as in a test, the words' bytes.
  static func last(_ words: [String]) -> [[UInt8]] {
    let first = Int(Swift.CommandLine.argc) - words.count
    guard first >= 0 else { return words.map { Array($0.utf8) } }
    return words.enumerated().map { index, word in
      guard let pointer = unsafe Swift.CommandLine.unsafeArgv[first + index] else { return Array(word.utf8) }
      guard unsafe String(cString: pointer).utf8.elementsEqual(word.utf8) else { return Array(word.utf8) }
      var bytes: [UInt8] = []
      var place = unsafe pointer
      while unsafe place.pointee != 0 {
        bytes.append(unsafe UInt8(bitPattern: place.pointee))
        unsafe place += 1
      }
      return bytes
    }
  }
}
