/// The accepted `typ` values, which distinguish kinds of JWT (RFC 8725 sections 3.11 and 3.12).
///
/// Media types: case-insensitive, with an optional `application/` prefix (RFC 7515 section 4.1.9).
package enum AllowedTypes: Sendable, Hashable {
  /// For displaying a token.
  case any
  /// One of these types, or no `typ`.
  case optional([String])
  case required([String])

  package func allows(_ type: String?) -> Bool {
    switch (self, type) {
    case (.any, _), (.optional, nil): true
    case (.required, nil): false
    case (.optional(let types), let type?), (.required(let types), let type?):
      types.contains { MediaType.isSame($0, type) }
    }
  }
}

/// Compares the media types in `typ` and `cty`.
enum MediaType {
  static func isSame(_ one: String, _ other: String) -> Bool {
    short(one) == short(other)
  }

  /// In lowercase, without `application/` if there is no other slash.
  private static func short(_ type: String) -> [UInt8] {
    let bytes = type.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    let prefix = Array("application/".utf8)
    guard bytes.starts(with: prefix), !bytes.dropFirst(prefix.count).contains(UInt8(ascii: "/")) else { return bytes }
    return Array(bytes.dropFirst(prefix.count))
  }
}
