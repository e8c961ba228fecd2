internal import Encoding
internal import OAuth

/// Collects a response's header fields, line by line.
struct HeaderCollector {
  static let maximumFields = 128
  /// The maximum header size in bytes, including interim responses and trailers.
  static let maximumBytes = 65_536

  private let keepsCookies: Bool
  private let dropsExcess: Bool

  /// `keepsCookies` is for a user's own requests. `dropsExcess` drops excess fields, except ``neededFields``, instead
  /// of rejecting the response.
  init(keepsCookies: Bool = false, dropsExcess: Bool = false) {
    self.keepsCookies = keepsCookies
    self.dropsExcess = dropsExcess
  }

  /// Always kept: read in responses of authorization servers.
  private static let neededFields: Set<String> = [
    "content-encoding", "content-length", "content-type", "date", "dpop-nonce", "location", "retry-after",
    "transfer-encoding", "www-authenticate",
  ]

  private(set) var bytes = 0
  private(set) var fields: [(String, String)] = []
  private var isComplete = false
  /// Whether the latest field was dropped, so its continuation lines must be too.
  private var lastWasDropped = false

  /// Whether the blank line after the fields has arrived.
  var isFinished: Bool { isComplete }

  /// Adds a line with its line ending. Returns its problem, if any.
  mutating func receive(_ line: Span<UInt8>) -> HTTPFailure.Code? {
    bytes += line.count
    guard bytes <= Self.maximumBytes || dropsExcess else { return .tooLarge }
    let text = Self.trimmed((0..<line.count).map { line[$0] }[...])
    if Self.isStatusLine(text) {
      startResponse()
      return nil
    }
    // Trailers are never merged (RFC 9110 section 6.5.1).
    if isComplete { return nil }
    if text.isEmpty {
      let isGood = hasOneLength
      isComplete = isGood || dropsExcess
      return isGood ? nil : .malformed
    }
    if line[0] == 0x20 || line[0] == 0x09 { return unfold(text) }
    return addField(text)
  }

  /// Whether all `Content-Length` values are equal (RFC 9112 section 6.3).
  private var hasOneLength: Bool {
    let lengths = values(of: "content-length")
    return lengths.allSatisfy { $0 == lengths[0] }
  }

  /// The values of all fields with this lowercase name, split at commas.
  func values(of name: String) -> [[UInt8]] {
    fields.filter { $0.0.lowercased() == name }
      .flatMap { $0.1.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) }
      .map { Array(Self.trimmed(Array($0)[...])) }
  }

  /// Whether the content ends only with the connection (RFC 9112 section 6.3).
  var endsWithConnection: Bool {
    !fields.contains { field in
      switch field.0.lowercased() {
      case "content-length": true
      case "transfer-encoding": field.1.lowercased().hasSuffix("chunked")
      default: false
      }
    }
  }

  /// Discards an interim response, such as 103 (RFC 9110 section 15.2).
  private mutating func startResponse() {
    fields = []
    isComplete = false
    lastWasDropped = false
  }

  /// Appends a continuation line (RFC 9112 section 5.2).
  private mutating func unfold(_ text: ArraySlice<UInt8>) -> HTTPFailure.Code? {
    if lastWasDropped || bytes > Self.maximumBytes { return nil }
    guard let last = fields.indices.last else { return .malformed }
    fields[last].1 += " " + String(decoding: text, as: UTF8.self)
    return nil
  }

  private mutating func addField(_ text: ArraySlice<UInt8>) -> HTTPFailure.Code? {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > text.startIndex,
      text[..<colon].allSatisfy(\.isTokenCharacter)
    else { return .malformed }
    let name = String(decoding: text[..<colon], as: UTF8.self)
    lastWasDropped = !keepsCookies && Self.isCookie(name)
    if lastWasDropped { return nil }
    if dropsExcess, fields.count >= Self.maximumFields || bytes > Self.maximumBytes {
      lastWasDropped = fields.count >= 2 * Self.maximumFields || !Self.neededFields.contains(name.lowercased())
      if lastWasDropped { return nil }
    } else if fields.count >= Self.maximumFields {
      return .tooLarge
    }
    fields.append((name, String(decoding: Self.trimmed(text[(colon + 1)...]), as: UTF8.self)))
    return nil
  }

  private static func isStatusLine(_ text: ArraySlice<UInt8>) -> Bool {
    text.starts(with: "HTTP/".utf8)
  }

  private static func isCookie(_ name: String) -> Bool {
    let name = name.lowercased()
    return name == "set-cookie" || name == "set-cookie2"
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    text.trimming { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
  }
}
