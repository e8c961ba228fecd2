internal import Encoding

/// A header field from a resource request's sender.
package struct ResourceField: Sendable, Hashable {
  package static let maximumNameBytes = 64
  package static let maximumValueBytes = 4096
  /// Limits a request's fields.
  package static let maximumCount = 64
  /// Limits all fields of a request together.
  package static let maximumTotalBytes = 32_768

  package let name: String
  package let value: String

  package enum Problem: Error, Hashable, Sendable {
    /// Not `Name: value`, too long, or with an invalid character (RFC 9110 section 5.5).
    case malformed
    /// Only this program may set the named field.
    case reserved(String)
    /// Too many or too long fields.
    case tooMany
  }

  private static let reserved = [
    "authorization", "dpop", "host", "content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer",
    "upgrade", "expect", "http2-settings",
  ]

  /// Parses `Name: value`.
  package init(_ line: String) throws(Problem) {
    let bytes = Array(line.utf8)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), (1...Self.maximumNameBytes).contains(colon),
      bytes[..<colon].allSatisfy(\.isTokenCharacter)
    else { throw .malformed }
    let value = bytes[(colon + 1)...].trimming()
    guard value.count <= Self.maximumValueBytes, value.allSatisfy(Self.isValueByte) else { throw .malformed }
    name = String(decoding: bytes[..<colon], as: UTF8.self)
    self.value = String(decoding: value, as: UTF8.self)
    if Self.isReserved(name.lowercased()) { throw .reserved(name) }
  }

  /// Whether only this program may set the field with this lowercase name.
  package static func isReserved(_ name: String) -> Bool { reserved.contains(name) || name.hasPrefix("proxy-") }

  package var line: String { "\(name): \(value)" }

  package static func fields(_ lines: [String]) throws(Problem) -> [ResourceField] {
    var fields: [ResourceField] = []
    var total = 0
    for line in lines {
      total += line.utf8.count
      guard fields.count < maximumCount, total <= maximumTotalBytes else { throw .tooMany }
      fields.append(try ResourceField(line))
    }
    return fields
  }

  package func isNamed(_ other: String) -> Bool { name.lowercased().hasSameBytes(as: other.lowercased()) }

  private static func isValueByte(_ byte: UInt8) -> Bool { byte == 0x09 || (byte >= 0x20 && byte != 0x7F) }
}
