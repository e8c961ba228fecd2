internal import Encoding

/// Case-sensitive scope values without duplicates (RFC 6749 section 3.3). Equality ignores order. Never sent if empty.
package struct Scope: Sendable, Hashable {
  package static let maximumValues = 64
  package static let maximumBytes = 4096

  package let values: [String]

  /// Splits `text` at spaces. Throws `invalidScope` for forbidden characters (RFC 6749 section 3.3), or more than 64
  /// values or 4096 bytes.
  package init(_ text: String) throws(OAuthError) {
    guard text.utf8.count <= Self.maximumBytes else { throw OAuthError(.invalidScope, .scope) }
    try self.init(values: text.split(separator: " ").map(String.init))
  }

  package init(values: [String]) throws(OAuthError) {
    var kept: [String] = []
    var length = 0
    for value in values {
      length += value.utf8.count + 1
      guard Self.isToken(value), length <= Self.maximumBytes + 1 else { throw OAuthError(.invalidScope, .scope) }
      guard !kept.contains(value) else { continue }
      guard kept.count < Self.maximumValues else { throw OAuthError(.invalidScope, .scope) }
      kept.append(value)
    }
    self.values = kept
  }

  package var text: String { values.joined(separator: " ") }
  package var isEmpty: Bool { values.isEmpty }

  package func contains(_ value: String) -> Bool { values.contains { $0.hasSameBytes(as: value) } }
  package func isSubset(of other: Scope) -> Bool { values.allSatisfy { other.contains($0) } }

  /// Values of `requiredScope` that this scope lacks. A URI matches its last part
  /// (`https://graph.microsoft.com/Mail.Read`, `Mail.Read`), as services return either. Ignores `offline_access`
  /// (OpenID Connect Core section 11).
  package func missing(of requiredScope: Scope) -> [String] {
    requiredScope.values.filter { value in
      value != "offline_access" && !values.contains { Self.isSame($0, value) || Self.isSame(value, $0) }
    }
  }

  /// Whether `long` is `short`, or an https URI ending in it after a slash or dot.
  private static func isSame(_ long: String, _ short: String) -> Bool {
    let (long, short) = (Array(long.utf8), Array(short.utf8))
    guard long.starts(with: "https://".utf8), long.count > short.count else { return long == short }
    let separator = long[long.count - short.count - 1]
    return (separator == UInt8(ascii: "/") || separator == UInt8(ascii: "."))
      && long.suffix(short.count).elementsEqual(short)
  }

  package static func == (a: Scope, b: Scope) -> Bool { a.isSubset(of: b) && b.isSubset(of: a) }
  package func hash(into hasher: inout Hasher) { hasher.combine(Set(values)) }

  /// See RFC 6749 section 3.3.
  private static func isToken(_ value: String) -> Bool {
    !value.isEmpty
      && value.utf8.allSatisfy(\.isUnquotedASCII)
  }
}
