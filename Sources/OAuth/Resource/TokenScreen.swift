package import Crypto
internal import Encoding

/// Searches a response for its request's access token, which a server may echo to a lease's peer. Finds it verbatim or
/// in base64, with line breaks, percent-encoding or JSON escapes. Withholds only bytes that may belong to a match.
package struct TokenScreen: Sendable {
  /// The length of the shortest token to search for, and of the shortest match to withhold. Withholding shorter ones
  /// would often delay the end of a server-sent event.
  fileprivate static let minimumLength = SecretEcho.minimumLength

  /// Nil if the token is too short.
  private var searches: (original: Search, unescaped: Search)?
  private var escape = Escape()
  /// By byte: whether a match or escape may begin with it.
  private var mayBegin: [Bool] = []
  /// The latest bytes, if they may belong to a match.
  private var withheld: [UInt8] = []
  /// The number of bytes read.
  private var position = 0

  /// Throws `secureHeapFull` if secret memory is full.
  package init(_ token: SharedSecret) throws(CryptoError) {
    guard token.bytes.count >= Self.minimumLength else { return }
    var encoded: [Pattern] = []
    for offset in 0..<3 { encoded.append(try Pattern(base64Of: token, after: offset)) }
    let search = Search(plain: Pattern(token), base64: encoded)
    searches = (search, search)
    mayBegin = (0...UInt8.max).map { search.mayBegin($0) || Escape.begins($0) }
  }

  /// Passes bytes to `sink`, but withholds trailing ones that may belong to the token. Returns false, and passes
  /// nothing, once the token is found.
  package mutating func pass(_ bytes: Span<UInt8>, to sink: inout [UInt8]) -> Bool {
    guard searches != nil else {
      sink.append(contentsOf: bytes)
      return true
    }
    var index = 0
    while index < bytes.count {
      if isIdle {
        while index < bytes.count, !mayBegin[Int(bytes[index])] { index += 1 }
        guard index < bytes.count else { break }
      }
      if feed(bytes[index], at: position + index) { return false }
      index += 1
    }
    let held = withheld.count
    // A match may begin with bytes too few to withhold.
    let count = max(0, (start ?? position + bytes.count) - (position - held))
    position += bytes.count
    sink.append(contentsOf: withheld.prefix(count))
    withheld.removeFirst(min(count, held))
    let passed = max(0, count - held)
    sink.append(contentsOf: bytes.extracting(..<passed))
    withheld.append(contentsOf: bytes.extracting(passed...))
    return true
  }

  /// Whether no match or escape has begun.
  private var isIdle: Bool {
    escape.start == nil && searches?.original.isIdle != false && searches?.unescaped.isIdle != false
  }

  /// The position of the first byte to withhold.
  private var start: Int? {
    let start = min(searches?.original.start ?? .max, searches?.unescaped.start ?? .max)
    return start == .max ? nil : start
  }

  /// Returns whether the byte completes the token.
  private mutating func feed(_ byte: UInt8, at position: Int) -> Bool {
    if searches?.original.feed(byte, at: position) == true { return true }
    guard escape.start != nil || Escape.begins(byte) else {
      return searches?.unescaped.feed(byte, at: position) == true
    }
    for (unit, start) in escape.read(byte, at: position) where searches?.unescaped.feed(unit, at: start) == true {
      return true
    }
    return false
  }

  /// At the end, passes the withheld bytes to `sink`.
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

/// One encoded form of the token.
private struct Pattern: Sendable {
  let text: SharedSecret
  let first: UInt8
  /// For Knuth-Morris-Pratt: each prefix's longest proper suffix that is also a prefix, as lengths.
  private let borders: [Int]

  var count: Int { borders.count }

  init(_ text: SharedSecret) {
    self.text = text
    first = text.bytes.withBytes { $0[0] }
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

  /// The base64 characters that depend only on the token, after `offset` bytes in a group of three.
  init(base64Of token: SharedSecret, after offset: Int) throws(CryptoError) {
    // Bits in a character shared with the preceding byte.
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

  private static func character(_ value: UInt8) -> UInt8 {
    switch value {
    case ..<26: UInt8(ascii: "A") + value
    case ..<52: UInt8(ascii: "a") + value - 26
    case ..<62: UInt8(ascii: "0") + value - 52
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
  }

  /// Returns whether the byte completes the text after `matched` bytes. At most two comparisons on average.
  func feed(_ byte: UInt8, _ matched: inout Int) -> Bool {
    if matched == 0, byte != first { return false }
    text.bytes.withBytes { text in
      while matched > 0, byte != text[matched] { matched = borders[matched - 1] }
      if byte == text[matched] { matched += 1 }
    }
    return matched == count
  }
}

/// A search for all forms of the token, in the original or unescaped response.
private struct Search: Sendable {
  private var plain: Progress
  /// One search per offset of the token in a group of three bytes.
  private var base64: [Progress]

  init(plain: Pattern, base64: [Pattern]) {
    self.plain = Progress(plain)
    self.base64 = base64.map { Progress($0) }
  }

  func mayBegin(_ byte: UInt8) -> Bool {
    let character = Self.standard(byte)
    return plain.pattern.first == byte || base64.contains { $0.pattern.first == character }
  }

  var isIdle: Bool { plain.isIdle && base64.allSatisfy(\.isIdle) }

  /// The position of the first byte to withhold.
  var start: Int? {
    var start = plain.start
    for progress in base64 { if let other = progress.start { start = min(start ?? .max, other) } }
    return start
  }

  /// Returns whether the byte completes a form of the token.
  mutating func feed(_ byte: UInt8, at position: Int) -> Bool {
    if plain.feed(byte, at: position) { return true }
    guard let character = Self.standard(byte) else { return false }
    for index in base64.indices where base64[index].feed(character, at: position) { return true }
    return false
  }

  /// Converts base64url to base64. Nil for a line break, which may interrupt base64.
  private static func standard(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "\r"), UInt8(ascii: "\n"): nil
    case UInt8(ascii: "-"): UInt8(ascii: "+")
    case UInt8(ascii: "_"): UInt8(ascii: "/")
    default: byte
    }
  }

  private struct Progress: Sendable {
    let pattern: Pattern
    private var matched = 0
    /// The positions of the latest bytes, in a ring as long as the pattern.
    private var positions: [Int]
    /// Bytes since ``matched`` was 0.
    private var count = 0

    init(_ pattern: Pattern) {
      self.pattern = pattern
      positions = Array(repeating: 0, count: pattern.count)
    }

    var isIdle: Bool { matched == 0 }

    /// The position of the match's first byte; nil if too short to withhold.
    var start: Int? { matched < TokenScreen.minimumLength ? nil : positions[(count - matched) % positions.count] }

    /// Returns whether the byte completes the pattern.
    mutating func feed(_ byte: UInt8, at position: Int) -> Bool {
      if matched == 0 {
        guard byte == pattern.first else { return false }
        count = 0
      }
      positions[count % positions.count] = position
      count += 1
      return pattern.feed(byte, &matched)
    }
  }
}

/// Decodes `%XX` and JSON escapes (RFC 8259 section 7).
private struct Escape: Sendable {
  /// The incomplete escape.
  private var bytes: [UInt8] = []
  /// The position of the incomplete escape.
  private(set) var start: Int?

  static func begins(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\\") }

  /// Returns the decoded bytes, each with the position of its escape.
  mutating func read(_ byte: UInt8, at position: Int) -> [(UInt8, Int)] {
    guard let start else {
      guard Self.begins(byte) else { return [(byte, position)] }
      (bytes, self.start) = ([byte], position)
      return []
    }
    let isJSON = bytes[0] == UInt8(ascii: "\\")
    if isJSON, bytes.count == 1, byte != UInt8(ascii: "u") {
      // A slash or quote. No other character of a token has such an escape.
      end()
      return [(byte, start)]
    }
    guard HexDigit.value(byte) != nil || isJSON && bytes.count == 1 else {
      let plain = bytes.enumerated().map { ($1, start + $0) }
      end()
      return plain + read(byte, at: position)
    }
    bytes.append(byte)
    guard bytes.count == (isJSON ? 6 : 3) else { return [] }
    let value = bytes.dropFirst(isJSON ? 2 : 1).reduce(0) { $0 << 4 | Int(HexDigit.value($1) ?? 0) }
    end()
    return [(UInt8(exactly: value) ?? 0, start)]
  }

  private mutating func end() { (bytes, start) = ([], nil) }
}
