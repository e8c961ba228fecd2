internal import Encoding

/// Parses requests to a redirect listener (RFC 8252 section 7.3, RFC 9112). Unexpected requests have no effect, since
/// any local user can connect.
package enum LoopbackRequest {
  /// The maximum head size. A code may be long (RFC 6749 section 4.1.2), and browsers send the host's cookies of all
  /// ports (RFC 6265 section 8.5).
  package static let maximumBytes = 65_536
  private static let maximumFields = 128

  package enum ParseResult: Sendable, Hashable {
    case incomplete
    /// A GET of the target, with the query's range in the head.
    case redirect(query: Range<Int>)
    /// The request is invalid. Respond with this page.
    case refused(LoopbackPage)
  }

  /// Whether the bytes begin a TLS handshake record of version 3.x (RFC 8446 section 5.1).
  package static func isTLS(_ bytes: Span<UInt8>) -> Bool { bytes.count >= 2 && bytes[0] == 0x16 && bytes[1] == 0x03 }

  /// Parses the bytes received so far. `end` continues the previous call's search for the head's end.
  package static func parse(_ bytes: Span<UInt8>, for target: LoopbackTarget, _ end: inout HeadEnd) -> ParseResult {
    guard let end = end.find(in: bytes) else { return bytes.count >= maximumBytes ? .refused(.tooLarge) : .incomplete }
    guard end <= maximumBytes else { return .refused(.tooLarge) }
    var lines = lines(bytes.extracting(..<end))
    guard let first = lines.first, let request = requestLine(bytes, first) else { return .refused(.malformed) }
    lines.removeFirst()
    guard lines.count <= maximumFields, let host = onlyHost(bytes, lines) else { return .refused(.malformed) }
    // Redirects use no other host name (DNS rebinding). An absolute target overrides the field (RFC 9112 section
    // 3.2.2).
    let named = request.authority ?? host
    guard target.hosts.contains(where: { isSameHost(bytes.extracting(named), $0) }),
      isSame(bytes.extracting(request.path), target.path)
        || request.authority != nil && request.path.isEmpty && target.path == "/"
    else { return .refused(.notFound) }
    guard isSame(bytes.extracting(request.method), "GET") else { return .refused(.methodNotAllowed) }
    return .redirect(query: request.query)
  }

  // MARK: Lines

  /// Searches for the empty line that ends a head. A bare LF ends a line too (RFC 9112 section 2.2).
  package struct HeadEnd: Sendable {
    private var searched = 0
    private var lineStart = 0
    /// Whether a non-empty line was found.
    private var hasText = false
    private var end: Int?

    package init() {}

    /// The head's length, or nil if incomplete.
    fileprivate mutating func find(in bytes: Span<UInt8>) -> Int? {
      while end == nil, searched < bytes.count {
        let byte = bytes[searched]
        if byte == UInt8(ascii: "\n") {
          let isEmpty =
            searched == lineStart || (searched == lineStart + 1 && bytes[lineStart] == UInt8(ascii: "\r"))
          if isEmpty, hasText { end = searched + 1 }
          lineStart = searched + 1
        } else if byte != UInt8(ascii: "\r") {
          hasText = true
        }
        searched += 1
      }
      return end
    }
  }

  private static func lines(_ head: Span<UInt8>) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    var start = 0
    for index in 0..<head.count where head[index] == UInt8(ascii: "\n") {
      let end = index > start && head[index - 1] == UInt8(ascii: "\r") ? index - 1 : index
      if end > start { lines.append(start..<end) }
      start = index + 1
    }
    return lines
  }

  // MARK: Parts

  private struct RequestLine {
    let method: Range<Int>
    /// Host and port of an absolute target; nil for one that begins with "/".
    let authority: Range<Int>?
    let path: Range<Int>
    let query: Range<Int>
  }

  /// Parses `METHOD SP TARGET SP HTTP/1.x`, where TARGET begins with "/" or "http://" (RFC 9112 section 3).
  private static func requestLine(_ bytes: Span<UInt8>, _ line: Range<Int>) -> RequestLine? {
    let space = UInt8(ascii: " ")
    let spaces = line.filter { bytes[$0] == space }
    guard spaces.count == 2, spaces[0] > line.lowerBound else { return nil }
    let target = (spaces[0] + 1)..<spaces[1]
    let version = bytes.extracting((spaces[1] + 1)..<line.upperBound)
    guard isSame(version, "HTTP/1.1") || isSame(version, "HTTP/1.0"),
      target.allSatisfy({ bytes[$0].isVisibleASCII })
    else { return nil }
    let mark = target.first { bytes[$0] == UInt8(ascii: "?") } ?? target.upperBound
    var (authority, start): (Range<Int>?, Int) = (nil, target.lowerBound)
    let scheme = "http://"
    if mark - start > scheme.utf8.count,
      isSameIgnoringCase(bytes.extracting(start..<(start + scheme.utf8.count)), scheme)
    {
      let first = start + scheme.utf8.count
      start = (first..<mark).first { bytes[$0] == UInt8(ascii: "/") } ?? mark
      authority = first..<start
    }
    return RequestLine(
      method: line.lowerBound..<spaces[0], authority: authority, path: start..<mark,
      query: min(mark + 1, target.upperBound)..<target.upperBound)
  }

  /// Nil unless exactly one `Host` (RFC 9112 section 3.2) and only valid fields.
  private static func onlyHost(_ bytes: Span<UInt8>, _ lines: [Range<Int>]) -> Range<Int>? {
    var host: Range<Int>?
    for line in lines {
      guard let colon = line.first(where: { bytes[$0] == UInt8(ascii: ":") }), colon > line.lowerBound,
        bytes[colon - 1] > 0x20, bytes[line.lowerBound] > 0x20
      else { return nil }
      guard isSameIgnoringCase(bytes.extracting(line.lowerBound..<colon), "host") else { continue }
      guard host == nil else { return nil }
      host = trimmed(bytes, (colon + 1)..<line.upperBound)
    }
    return host
  }

  private static func trimmed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    var (lower, upper) = (range.lowerBound, range.upperBound)
    while lower < upper, isSpace(bytes[lower]) { lower += 1 }
    while lower < upper, isSpace(bytes[upper - 1]) { upper -= 1 }
    return lower..<upper
  }

  // MARK: Comparing

  private static func isSame(_ bytes: Span<UInt8>, _ text: String) -> Bool {
    let wanted = Array(text.utf8)
    return bytes.count == wanted.count && bytes.indices.allSatisfy { bytes[$0] == wanted[$0] }
  }

  private static func isSameHost(_ bytes: Span<UInt8>, _ host: String) -> Bool { isSameIgnoringCase(bytes, host) }

  /// `text` is in lowercase.
  private static func isSameIgnoringCase(_ bytes: Span<UInt8>, _ text: String) -> Bool {
    let wanted = Array(text.utf8)
    return bytes.count == wanted.count
      && bytes.indices.allSatisfy { index in
        let isUpper = (0x41...0x5A).contains(bytes[index])
        return (isUpper ? bytes[index] | 0x20 : bytes[index]) == wanted[index]
      }
  }
}

package struct LoopbackTarget: Sendable, Hashable {
  /// Accepted `Host` values: the redirect URI's address and port.
  package let hosts: [String]
  /// The redirect URI's path, with the leading "/".
  package let path: String

  package init(hosts: [String], path: String) {
    self.hosts = hosts
    self.path = path
  }
}
