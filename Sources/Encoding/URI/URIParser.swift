/// Splits an absolute URI and checks its parts (RFC 3986 section 3).
struct URIParser {
  private let bytes: [UInt8]
  /// Ranges in ``bytes``.
  private(set) var scheme = 0..<0
  private(set) var host = 0..<0
  private(set) var port: UInt16?
  private(set) var path = 0..<0
  private(set) var query: Range<Int>?
  private(set) var fragment: Range<Int>?

  init(_ text: String) throws(URIError) {
    guard text.utf8.count <= URI.maximumBytes else { throw .tooLong }
    bytes = Array(text.utf8)
    guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .invalidCharacter }
    let authority = try findParts()
    try parseAuthority(authority)
    try check(path, alsoAllowed: "/")
    try check(query ?? 0..<0, alsoAllowed: "/?")
    try check(fragment ?? 0..<0, alsoAllowed: "/?")
  }

  func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  // MARK: Parts

  /// Returns the authority's range.
  private mutating func findParts() throws(URIError) -> Range<Int> {
    scheme = 0..<firstIndex(of: ":", from: 0)
    guard scheme.upperBound < bytes.count, isScheme(scheme) else { throw .noScheme }
    let start = scheme.upperBound + 3
    guard start <= bytes.count, text(scheme.upperBound..<start) == "://" else { throw .noHost }
    let end = firstIndex(of: "/?#", from: start)
    path = end..<firstIndex(of: "?#", from: end)
    var rest = path.upperBound
    if rest < bytes.count, bytes[rest] == UInt8(ascii: "?") {
      query = (rest + 1)..<firstIndex(of: "#", from: rest)
      rest = firstIndex(of: "#", from: rest)
    }
    if rest < bytes.count {
      fragment = (rest + 1)..<bytes.count
    }
    return start..<end
  }

  /// Whether the range is a scheme (RFC 3986 section 3.1).
  private func isScheme(_ range: Range<Int>) -> Bool {
    guard let first = bytes[range].first, Self.isLetter(first) else { return false }
    return bytes[range].allSatisfy { Self.isLetter($0) || Self.isDigit($0) || "+-.".utf8.contains($0) }
  }

  /// Parses host and port (RFC 3986 section 3.2).
  private mutating func parseAuthority(_ range: Range<Int>) throws(URIError) {
    guard !range.isEmpty else { throw .noHost }
    guard !bytes[range].contains(UInt8(ascii: "@")) else { throw .userinfoPresent }
    if bytes[range.lowerBound] == UInt8(ascii: "[") {
      guard let bracket = bytes[range].firstIndex(of: UInt8(ascii: "]")) else { throw .invalidHost }
      host = range.lowerBound..<(bracket + 1)
      guard IPAddress(bytes[(range.lowerBound + 1)..<bracket])?.bytes.count == 16 else { throw .invalidHost }
    } else {
      host = range.lowerBound..<(bytes[range].firstIndex(of: UInt8(ascii: ":")) ?? range.upperBound)
      guard !host.isEmpty else { throw .noHost }
      guard isHostName(host) else { throw .invalidHost }
    }
    guard host.upperBound < range.upperBound else { return }
    guard bytes[host.upperBound] == UInt8(ascii: ":") else { throw .invalidHost }
    port = try parsePort((host.upperBound + 1)..<range.upperBound)
  }

  /// Whether this is a DNS name or IPv4 address. Unlike RFC 3986, allows no percent-encoding and no punctuation but
  /// dots, hyphens and underscores.
  private func isHostName(_ range: Range<Int>) -> Bool {
    guard range.count <= 253 else { return false }
    var labels = bytes[range].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
    return labels.allSatisfy { label in
      (1...63).contains(label.count)
        && label.allSatisfy { Self.isLetter($0) || Self.isDigit($0) || "-_".utf8.contains($0) }
    }
  }

  private func parsePort(_ range: Range<Int>) throws(URIError) -> UInt16 {
    guard bytes[range].first != UInt8(ascii: "0"), bytes[range].allSatisfy(Self.isDigit),
      let port = UInt16(text(range))
    else { throw .invalidPort }
    return port
  }

  // MARK: Characters

  /// Throws for characters outside path segments (RFC 3986 section 3.3) and `alsoAllowed`.
  private func check(_ range: Range<Int>, alsoAllowed: String) throws(URIError) {
    for index in range {
      let byte = bytes[index]
      if byte == UInt8(ascii: "%") {
        guard index + 2 < range.upperBound, HexDigit.value(bytes[index + 1]) != nil,
          HexDigit.value(bytes[index + 2]) != nil
        else { throw .invalidPercentEncoding }
        continue
      }
      let isAllowed =
        Self.isLetter(byte) || Self.isDigit(byte) || "-._~!$&'()*+,;=:@".utf8.contains(byte)
        || alsoAllowed.utf8.contains(byte)
      guard isAllowed else { throw .invalidCharacter }
    }
  }

  /// The index of the first of these characters, or the end.
  private func firstIndex(of characters: String, from start: Int) -> Int {
    bytes[start...].firstIndex { characters.utf8.contains($0) } ?? bytes.count
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }
}
