/// Searching in bytes.
enum Bytes {
  static func contain(_ bytes: Span<UInt8>, _ wanted: Span<UInt8>) -> Bool {
    guard !wanted.isEmpty, wanted.count <= bytes.count else { return false }
    for start in 0...(bytes.count - wanted.count) {
      var matched = 0
      while matched < wanted.count, bytes[start + matched] == wanted[matched] { matched += 1 }
      if matched == wanted.count { return true }
    }
    return false
  }

  /// Whether `text` holds a token in compact form (RFC 7515 section 7.1), such as the client's own assertion: a
  /// header that begins with `{"`, and no end of it for as long as words have.
  static func holdsToken(_ text: String) -> Bool {
    let start = Array("eyJ".utf8)
    return text.utf8.split(whereSeparator: { !isTokenCharacter($0) }).contains { run in
      run.count >= 40 && run.indices.contains { run[$0...].starts(with: start) }
    }
  }

  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }
}
