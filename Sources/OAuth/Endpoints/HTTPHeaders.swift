internal import Encoding

/// A response's header fields, in order. Names ignore case.
package struct HTTPHeaders: Sendable {
  /// In seconds.
  package static let maximumRetryAfter = 300

  private let fields: [(name: String, value: String)]

  package init(_ fields: [(String, String)]) {
    self.fields = fields.map { (name: $0.0, value: $0.1) }
  }

  package subscript(name: String) -> String? { values(of: name).first }

  package func values(of name: String) -> [String] {
    fields.filter { Self.isSameName($0.name, name) }.map(\.value)
  }

  package var all: [(name: String, value: String)] { fields }

  /// In lowercase, without parameters. Nil if several differ, since readers disagree (RFC 9110 section 8.3).
  package var mediaType: String? {
    let types = values(of: "Content-Type").map { value in
      Self.trimmed(value.utf8.prefix { $0 != UInt8(ascii: ";") }).lowercased()
    }
    guard let first = types.first, types.allSatisfy({ $0.hasSameBytes(as: first) }) else { return nil }
    return first
  }

  /// The redirect target; nil if several differ (RFC 9110 section 10.2.2).
  package var location: String? {
    let locations = values(of: "Location")
    guard let first = locations.first, locations.allSatisfy({ $0.hasSameBytes(as: first) }) else { return nil }
    return first
  }

  /// Whether the type is `application/json`, or ends in `+json` (RFC 6839).
  package var isJSON: Bool {
    guard let mediaType else { return false }
    return mediaType == "application/json" || mediaType.hasSuffix("+json")
  }

  /// The `Date`, in unix seconds.
  package var date: Int? { self["Date"].flatMap { HTTPDate.parse($0) } }

  /// Seconds to wait according to `Retry-After` (RFC 9110 section 10.2.3), else `X-Rate-Limit-Reset`, a unix time. At
  /// most ``maximumRetryAfter``. `now`, in unix seconds, is preferably the server's ``date``.
  package func retryAfterSeconds(now: Int?) -> Int? {
    guard let value = trimmed("Retry-After") else {
      return trimmed("X-Rate-Limit-Reset").flatMap(Self.seconds(digits:)).flatMap { Self.wait(until: $0, now: now) }
    }
    if let seconds = Self.seconds(digits: value) { return min(seconds, Self.maximumRetryAfter) }
    return HTTPDate.parse(value).flatMap { Self.wait(until: $0, now: now) }
  }

  private func trimmed(_ name: String) -> String? {
    self[name].map { Self.trimmed($0.utf8[...]) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func wait(until end: Int, now: Int?) -> Int? {
    guard let now else { return nil }
    let (wait, overflow) = end.subtractingReportingOverflow(now)
    return overflow ? nil : min(max(wait, 0), maximumRetryAfter)
  }

  /// The cache lifetime in seconds (RFC 9111 section 5.2.2); nil if not specified.
  package var maxAgeSeconds: Int? {
    var found: Int?
    for value in values(of: "Cache-Control") {
      for directive in value.utf8.split(separator: UInt8(ascii: ",")) {
        let text = Self.trimmed(directive).lowercased()
        if text == "no-store" || text == "no-cache" { return 0 }
        guard found == nil, text.hasPrefix("max-age=") else { continue }
        found = Self.seconds(digits: String(text.dropFirst(8)).filter { $0 != "\"" })
      }
    }
    return found
  }

  /// See RFC 9110 section 8.8.3. Nil unless quoted, printable and at most 256 bytes.
  package var entityTag: String? {
    guard let value = self["ETag"], Self.isEntityTag(value) else { return nil }
    return value
  }

  package static func isEntityTag(_ text: String) -> Bool {
    var rest = text.utf8[...]
    if rest.starts(with: "W/".utf8) { rest = rest.dropFirst(2) }
    guard (2...256).contains(rest.count), rest.first == UInt8(ascii: "\""), rest.last == UInt8(ascii: "\"") else {
      return false
    }
    return rest.dropFirst().dropLast().allSatisfy { $0.isVisibleASCII && $0 != UInt8(ascii: "\"") }
  }

  /// More than nine digits become 999,999,999.
  private static func seconds(digits: String) -> Int? {
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return digits.utf8.count > 9 ? 999_999_999 : Int(digits)
  }

  private static func trimmed(_ text: Substring.UTF8View) -> String { String(Substring(text.trimming())) }

  private static func isSameName(_ a: String, _ b: String) -> Bool {
    let lower = { (byte: UInt8) in (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
    return a.utf8.lazy.map(lower).elementsEqual(b.utf8.lazy.map(lower))
  }
}
