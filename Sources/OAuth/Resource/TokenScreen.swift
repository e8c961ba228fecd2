package import Crypto
internal import Encoding

/// Searches a response for the access token of its request, so that a server that echoes the request does not reveal
/// the token to a peer of a lease.
///
/// Finds the token unchanged, or in either base64 alphabet within a longer text, also with line breaks, and any of
/// these percent-encoded or with JSON escapes. Withholds only bytes that may begin a match.
package struct TokenScreen: Sendable {
  /// Shorter tokens could be part of any word.
  private static let shortest = SecretEcho.shortest

  /// Searches of the original and of the unescaped bytes, each for the token and its base64 forms.
  private var searches: [Search] = []
  private var escape = Escape()
  /// The last bytes, which may begin a match.
  private var withheld: [UInt8] = []
  /// The number of bytes so far.
  private var position = 0

  /// - Throws: `secureHeapFull`.
  package init(_ token: SharedSecret) throws(CryptoError) {
    guard token.bytes.count >= Self.shortest else { return }
    var encoded: [Pattern] = []
    for offset in 0..<3 { encoded.append(try Pattern(base64Of: token, after: offset)) }
    let plain = Search([Pattern(token)], isBase64: false)
    let base64 = Search(encoded, isBase64: true)
    searches = [plain, base64, plain, base64]
  }

  /// Passes bytes to `sink`, except those at the end that may begin the token.
  ///
  /// - Returns: False if the token was found. None of `bytes` are passed then.
  package mutating func pass(_ bytes: Span<UInt8>, to sink: inout [UInt8]) -> Bool {
    guard !searches.isEmpty else {
      sink.append(contentsOf: bytes)
      return true
    }
    var (raw, plain) = (Units(), Units())
    for index in bytes.indices {
      raw.append(bytes[index], at: position + index)
      escape.read(bytes[index], at: position + index, to: &plain)
    }
    defer {
      raw.wipe()
      plain.wipe()
    }
    for index in searches.indices where searches[index].finds(in: index < 2 ? raw : plain) { return false }
    position += bytes.count
    withheld.append(contentsOf: bytes)
    let start = position - withheld.count
    let kept = searches.compactMap(\.start).min() ?? position
    let count = min(kept, escape.start ?? position) - start
    let free = withheld
    sink.append(contentsOf: free.span.extracting(..<count))
    withheld.removeFirst(count)
    return true
  }

  /// Passes the withheld bytes to `sink` at the end of the response.
  package mutating func finish(to sink: inout [UInt8]) {
    sink.append(contentsOf: withheld)
    withheld = []
  }

  package func isFound(in headers: HTTPHeaders) -> Bool {
    headers.all.contains { field in
      var (screen, rest): (TokenScreen, [UInt8]) = (self, [])
      return !screen.pass(Array("\(field.name): \(field.value)".utf8).span, to: &rest)
    }
  }
}

/// Bytes to search, each with its position in the response.
private struct Units {
  var bytes: [UInt8] = []
  var starts: [Int] = []

  mutating func append(_ byte: UInt8, at start: Int) {
    bytes.append(byte)
    starts.append(start)
  }

  mutating func wipe() { for index in bytes.indices { bytes[index] = 0 } }
}

/// One encoded form of the token.
private struct Pattern: Sendable {
  let text: SharedSecret
  /// For each prefix of the text, the length of its longest proper suffix that is also a prefix.
  private let borders: [Int]

  var count: Int { borders.count }

  init(_ text: SharedSecret) {
    self.text = text
    borders = text.bytes.withBytes { bytes in
      var borders = [0]
      var length = 0
      for index in 1..<bytes.count {
        while length > 0, bytes[index] != bytes[length] { length = borders[length - 1] }
        if bytes[index] == bytes[length] { length += 1 }
        borders.append(length)
      }
      return borders
    }
  }

  /// The base64 characters that depend only on the token, when it is part of a longer text.
  ///
  /// - Parameter offset: The number of bytes before the token in its group of three.
  init(base64Of token: SharedSecret, after offset: Int) throws(CryptoError) {
    // The bits of the token that share a character with the preceding byte.
    let skipped = [0, 4, 2][offset]
    var text = SecretBuffer(capacity: 2 * token.bytes.count)
    token.bytes.withBytes { bytes in
      for start in stride(from: skipped, through: 8 * bytes.count - 6, by: 6) {
        let (index, shift) = (start / 8, start % 8)
        let next = index + 1 < bytes.count ? bytes[index + 1] : 0
        let pair = UInt16(bytes[index]) << 8 | UInt16(next)
        text.append(Self.character(UInt8(truncatingIfNeeded: pair >> (10 - shift) & 0x3F)))
      }
    }
    self.init(SharedSecret(try text.finish()))
  }

  /// In the standard alphabet (RFC 4648 section 4).
  private static func character(_ value: UInt8) -> UInt8 {
    switch value {
    case ..<26: UInt8(ascii: "A") + value
    case ..<52: UInt8(ascii: "a") + value - 26
    case ..<62: UInt8(ascii: "0") + value - 52
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
  }

  /// Searches for the text (Knuth-Morris-Pratt: at most two comparisons per byte on average).
  ///
  /// - Parameter matched: The number of bytes matched before `bytes`; updated to that at their end.
  func isFound(in bytes: [UInt8], _ matched: inout Int) -> Bool {
    text.bytes.withBytes { text in
      var length = matched
      for byte in bytes {
        while length > 0, byte != text[length] { length = borders[length - 1] }
        if byte == text[length] { length += 1 }
        if length == text.count { return true }
      }
      matched = length
      return false
    }
  }
}

/// The forms of the token to search for in one decoding of the response.
private struct Search: Sendable {
  private let patterns: [Pattern]
  private let isBase64: Bool
  /// For each pattern, how many of its bytes match the last bytes.
  private var matched: [Int]
  /// The positions of the last bytes, up to the length of a pattern.
  private var starts: [Int] = []

  init(_ patterns: [Pattern], isBase64: Bool) {
    self.patterns = patterns
    self.isBase64 = isBase64
    matched = patterns.map { _ in 0 }
  }

  /// The position of the first byte that may begin a match, or nil.
  var start: Int? {
    let longest = matched.max() ?? 0
    return longest == 0 ? nil : starts[starts.count - longest]
  }

  mutating func finds(in units: Units) -> Bool {
    var units = isBase64 ? Self.standard(units) : units
    defer { units.wipe() }
    for index in patterns.indices where patterns[index].isFound(in: units.bytes, &matched[index]) { return true }
    starts = (starts + units.starts).suffix(patterns.map(\.count).max() ?? 0)
    return false
  }

  /// Converts to the standard alphabet, without line breaks.
  private static func standard(_ units: Units) -> Units {
    var standard = Units()
    for (byte, start) in zip(units.bytes, units.starts) {
      switch byte {
      case UInt8(ascii: "\r"), UInt8(ascii: "\n"): break
      case UInt8(ascii: "-"): standard.append(UInt8(ascii: "+"), at: start)
      case UInt8(ascii: "_"): standard.append(UInt8(ascii: "/"), at: start)
      default: standard.append(byte, at: start)
      }
    }
    return standard
  }
}

/// Decodes `%XX` and JSON escapes (RFC 8259 section 7).
private struct Escape: Sendable {
  private var bytes: [UInt8] = []
  /// The position of an incomplete escape, or nil.
  private(set) var start: Int?

  mutating func read(_ byte: UInt8, at position: Int, to units: inout Units) {
    guard let start else {
      guard byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\\") else { return units.append(byte, at: position) }
      (bytes, self.start) = ([byte], position)
      return
    }
    let isJSON = bytes[0] == UInt8(ascii: "\\")
    if isJSON, bytes.count == 1, byte != UInt8(ascii: "u") {
      // A slash or a quote. Tokens contain no other character with a one-letter escape.
      units.append(byte, at: start)
      return end()
    }
    guard HexDigit.value(byte) != nil || isJSON && bytes.count == 1 else {
      // Not an escape.
      for (index, byte) in bytes.enumerated() { units.append(byte, at: start + index) }
      end()
      return read(byte, at: position, to: &units)
    }
    bytes.append(byte)
    guard bytes.count == (isJSON ? 6 : 3) else { return }
    let value = bytes.dropFirst(isJSON ? 2 : 1).reduce(0) { $0 << 4 | Int(HexDigit.value($1) ?? 0) }
    units.append(UInt8(exactly: value) ?? 0, at: start)
    end()
  }

  private mutating func end() { (bytes, start) = ([], nil) }
}
