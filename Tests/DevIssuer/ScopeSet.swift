/// The `scope` parameter: distinct values, in the order asked for (RFC 6749 section 3.3).
struct ScopeSet: Sendable, Hashable {
  /// More values than this are refused.
  static let limit = 64
  /// What a request without `scope` gets.
  static let standard = ScopeSet(values: ["openid", "profile", "email"])

  /// What a client that asks for itself gets when it asks for nothing that concerns no user.
  static let guest = ScopeSet(values: ["guest"])

  let values: [String]

  private init(values: [String]) {
    self.values = values
  }

  /// Any value is known here as long as its characters are allowed.
  init?(_ text: String) {
    let parts = text.utf8.split(separator: ASCII.space, omittingEmptySubsequences: false)
    guard (1...Self.limit).contains(parts.count) else { return nil }
    var values: [String] = []
    for part in parts {
      guard !part.isEmpty, part.allSatisfy(Self.isAllowed) else { return nil }
      let value = String(decoding: part, as: UTF8.self)
      if !values.contains(value) { values.append(value) }
    }
    self.values = values
  }

  /// Without some values; nil when none is left.
  func without(_ removed: [String]) -> ScopeSet? {
    let rest = values.filter { !removed.contains($0) }
    return rest.isEmpty ? nil : ScopeSet(values: rest)
  }

  var text: String { values.joined(separator: " ") }

  func contains(_ value: String) -> Bool { values.contains(value) }

  func isSubset(of other: ScopeSet) -> Bool { values.allSatisfy(other.contains) }

  /// %x21 / %x23-5B / %x5D-7E
  private static func isAllowed(_ byte: UInt8) -> Bool {
    ASCII.isVisible(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }
}
