internal import Encoding

/// A claim's required value, in the form `NAME=VALUE`.
package struct ClaimRequirement: Sendable, Hashable {
  package let name: String
  /// As written. The claim's type determines the comparison.
  package let value: String

  /// Splits at the first `=`. Nil without `=` or name.
  package init?(_ text: String) {
    guard let end = text.utf8.firstIndex(of: UInt8(ascii: "=")), end > text.startIndex else { return nil }
    name = String(text[..<end])
    value = String(text[text.utf8.index(after: end)...])
  }

  /// Whether a claim is the same string, Boolean or JSON, an equal number, or an array with a matching element.
  func isMet(by claim: JSON) -> Bool {
    switch claim {
    case .null: false
    case .string(let text): text.hasSameBytes(as: value)
    case .bool(let flag): value.hasSameBytes(as: flag ? "true" : "false")
    case .number(let number): json?.number.map { number.isSameValue(as: $0) } ?? false
    case .object: json == claim
    case .array(let elements): json == claim || elements.contains { $0.array == nil && isMet(by: $0) }
    }
  }

  private var json: JSON? { try? JSON(parsing: Array(value.utf8)) }
}

extension JSONNumber {
  /// The longest number that a `Double` represents unambiguously.
  private static let maximumCharacters = 16

  /// Whether two numbers are equal, such as `1` and `1e0`.
  fileprivate func isSameValue(as other: JSONNumber) -> Bool {
    if self == other { return true }
    if let int, let other = other.int { return int == other }
    guard max(text.utf8.count, other.text.utf8.count) <= Self.maximumCharacters, let value = Double(text) else {
      return false
    }
    return value.isFinite && value == Double(other.text)
  }
}
