internal import Encoding

/// A header field that the caller of a resource chose.
package struct ResourceField: Sendable, Hashable {
  package static let maximumNameBytes = 64
  package static let maximumValueBytes = 4096
  /// The most fields of one request, and the most bytes of all of them.
  package static let maximumCount = 64
  package static let maximumTotalBytes = 32_768

  package let name: String
  package let value: String

  /// Why a field cannot be sent.
  package enum Problem: Error, Hashable, Sendable {
    /// Not `Name: value`, too long, or with a character that no field has (RFC 9110 section 5.5).
    case malformed
    /// This program writes it, since it decides where the token goes or where the message ends.
    case reserved(String)
    /// More or longer fields than a request may have.
    case tooMany
  }

  /// Fields that decide about routing, framing, the connection or the credentials.
  private static let reserved = [
    "authorization", "dpop", "host", "content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer",
    "upgrade", "expect", "http2-settings",
  ]

  /// Reads `Name: value`; the value may be empty.
  package init(_ line: String) throws(Problem) {
    let bytes = Array(line.utf8)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), (1...Self.maximumNameBytes).contains(colon),
      bytes[..<colon].allSatisfy(\.isTokenCharacter)
    else { throw .malformed }
    let value = Self.trimmed(bytes[(colon + 1)...])
    guard value.count <= Self.maximumValueBytes, value.allSatisfy(Self.isValueByte) else { throw .malformed }
    name = String(decoding: bytes[..<colon], as: UTF8.self)
    self.value = String(decoding: value, as: UTF8.self)
    if Self.isReserved(name.lowercased()) { throw .reserved(name) }
  }

  /// Whether only this program writes the field.
  ///
  /// - Parameter name: In lower case.
  package static func isReserved(_ name: String) -> Bool { reserved.contains(name) || name.hasPrefix("proxy-") }

  /// `Name: value`, as ``init(_:)`` reads it.
  package var line: String { "\(name): \(value)" }

  /// Reads the fields of a request.
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

  package func isNamed(_ other: String) -> Bool { name.lowercased().utf8.elementsEqual(other.lowercased().utf8) }

  /// Visible characters, spaces, tabs, and bytes past ASCII.
  private static func isValueByte(_ byte: UInt8) -> Bool { byte == 0x09 || (byte >= 0x20 && byte != 0x7F) }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    let start = bytes.drop(while: isBlank)
    let end = start.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start.startIndex
    return start[..<end]
  }
}
