internal import Encoding

/// A claim that a token must have, with a value: what a person writes as `NAME=VALUE`.
package struct ClaimDemand: Sendable, Hashable {
  package let name: String
  /// The value as written; what it must equal depends on the type of the claim.
  package let value: String

  /// Reads `NAME=VALUE`; the first `=` ends the name. Nil for a text without one, and for an empty name.
  package init?(_ text: String) {
    guard let end = text.utf8.firstIndex(of: UInt8(ascii: "=")), end > text.startIndex else { return nil }
    name = String(text[..<end])
    value = String(text[text.utf8.index(after: end)...])
  }

  /// Whether a claim has the value: a string of the same bytes, the same number, `true` or `false`, an array with such
  /// an element, or an array or object that the value is as JSON. Null never has one.
  func holds(for claim: JSON) -> Bool {
    switch claim {
    case .null: false
    case .string(let text): text.utf8.elementsEqual(value.utf8)
    case .bool(let flag): value.utf8.elementsEqual((flag ? "true" : "false").utf8)
    case .number(let number): json?.number.map { number.isSameValue(as: $0) } ?? false
    case .object: json == claim
    case .array(let elements): json == claim || elements.contains { $0.array == nil && holds(for: $0) }
    }
  }

  private var json: JSON? { try? JSON(parsing: Array(value.utf8)) }
}

extension JSONNumber {
  /// The most characters of a number whose value a `Double` tells from all others of that length.
  private static let mostCharacters = 16

  /// Whether two numbers are the same, however they are written: `1`, `1.0` and `1e0`.
  fileprivate func isSameValue(as other: JSONNumber) -> Bool {
    if self == other { return true }
    if let int, let other = other.int { return int == other }
    guard max(text.utf8.count, other.text.utf8.count) <= Self.mostCharacters, let value = Double(text) else {
      return false
    }
    return value.isFinite && value == Double(other.text)
  }
}
