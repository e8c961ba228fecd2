/// A set of scope values, in the order they were written, without duplicates (RFC 6749 section 3.3).
///
/// Values are case-sensitive, and their order has no meaning when scopes are compared. An empty scope is
/// possible, since servers answer with one; it is never sent.
package struct Scope: Sendable, Hashable {
  package static let maximumValues = 64
  package static let maximumBytes = 4096

  package let values: [String]

  /// - Parameter text: Values separated by spaces.
  /// - Throws: `invalidScope` for a character outside RFC 6749 section 3.3, more than 64 values or 4096 bytes.
  package init(_ text: String) throws(OAuthError) {
    guard text.utf8.count <= Self.maximumBytes else { throw OAuthError(.invalidScope, "the scope") }
    try self.init(values: text.split(separator: " ").map(String.init))
  }

  package init(values: [String]) throws(OAuthError) {
    var kept: [String] = []
    var length = 0
    for value in values {
      length += value.utf8.count + 1
      guard Self.isToken(value), length <= Self.maximumBytes + 1 else { throw OAuthError(.invalidScope, "the scope") }
      guard !kept.contains(value) else { continue }
      guard kept.count < Self.maximumValues else { throw OAuthError(.invalidScope, "the scope") }
      kept.append(value)
    }
    self.values = kept
  }

  /// The values with one space between them.
  package var text: String { values.joined(separator: " ") }
  package var isEmpty: Bool { values.isEmpty }

  package func contains(_ value: String) -> Bool { values.contains { $0.utf8.elementsEqual(value.utf8) } }
  package func isSubset(of other: Scope) -> Bool { values.allSatisfy { other.contains($0) } }

  package static func == (a: Scope, b: Scope) -> Bool { a.isSubset(of: b) && b.isSubset(of: a) }
  package func hash(into hasher: inout Hasher) { hasher.combine(Set(values)) }

  private static func isToken(_ value: String) -> Bool {
    !value.isEmpty
      && value.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
  }
}
