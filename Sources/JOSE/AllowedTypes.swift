/// The `typ` header values that a caller accepts, so that one kind of JWT is never taken for another
/// (RFC 8725 section 3.11 and 3.12).
///
/// Values are media types: compared without regard to case, and `application/` may be left out
/// (RFC 7515 section 4.1.9).
package enum AllowedTypes: Sendable, Hashable {
  /// Any type: for showing a token, not for trusting it.
  case any
  /// One of these, or no `typ` at all.
  case optional([String])
  /// One of these.
  case required([String])

  /// Whether a token with that `typ` is accepted.
  package func allow(_ type: String?) -> Bool {
    switch (self, type) {
    case (.any, _), (.optional, nil): true
    case (.required, nil): false
    case (.optional(let types), let type?), (.required(let types), let type?):
      types.contains { MediaType.isSame($0, type) }
    }
  }
}

/// Comparison of the media types in `typ` and `cty`.
enum MediaType {
  static func isSame(_ one: String, _ other: String) -> Bool {
    short(one) == short(other)
  }

  /// The lower-case bytes, without `application/` when no other slash follows.
  private static func short(_ type: String) -> [UInt8] {
    let bytes = type.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    let prefix = Array("application/".utf8)
    guard bytes.starts(with: prefix), !bytes.dropFirst(prefix.count).contains(UInt8(ascii: "/")) else { return bytes }
    return Array(bytes.dropFirst(prefix.count))
  }
}
