internal import Encoding

/// A value's type and limits.
package enum MemberForm {
  /// The limit is in bytes; nil for that of settings.
  case text(limit: Int?)
  case flag
  case number(ClosedRange<Int>)
  /// A list of strings or, with `orOne`, a string.
  case texts(orOne: Bool)
  /// A list of at most `limit` integers in a range.
  case numbers(ClosedRange<Int>, limit: Int)
  /// One of these strings.
  case word(() -> [String])

  /// For the manual.
  var type: String {
    switch self {
    case .text, .word: "text"
    case .flag: "boolean"
    case .number(let range):
      range.upperBound == .max ? "number" : "number from \(range.lowerBound) to \(range.upperBound)"
    case .texts: "list of texts"
    case .numbers: "list of numbers"
    }
  }

  /// A sentence for the manual, with a leading space.
  var note: String {
    switch self {
    case .text, .flag, .number, .texts(orOne: false): ""
    case .texts(orOne: true): " A single text is accepted, too."
    case .numbers(_, let limit): " At most \(limit)."
    case .word(let words): " One of \(MemberDescriber.list(words().map { "`\($0)`" }))."
    }
  }

  /// The expected value, such as "a list of texts"; nil if met. Checks only the type if `isLenient`.
  func expectation(unlessMetBy value: JSON, isLenient: Bool) -> Phrase? {
    switch self {
    case .text(let limit):
      let limit = limit ?? AccountSetting.maximumTextBytes
      return Self.isText(value, limit, isLenient) ? nil : Phrase(.text(maximumBytes: limit))
    case .flag: return value.bool == nil ? Phrase(.flag) : nil
    case .number(let range):
      if let number = value.int, isLenient || range.contains(number) { return nil }
      return Phrase("a number from \(range.lowerBound) to \(range.upperBound)")
    case .texts(let orOne):
      if orOne, value.string != nil { return Self.text.expectation(unlessMetBy: value, isLenient: isLenient) }
      guard let array = value.array, isLenient || array.count <= AccountSetting.maximumListCount else {
        return Phrase(.list(maximumTexts: AccountSetting.maximumListCount))
      }
      let areTexts = array.allSatisfy { Self.isText($0, AccountSetting.maximumTextBytes, isLenient) }
      return areTexts ? nil : Phrase(.texts(maximumBytes: AccountSetting.maximumTextBytes))
    case .numbers(let range, let limit):
      let isValid = value.array.map { $0.count <= limit && $0.allSatisfy { $0.int.map(range.contains) ?? false } }
      if isValid ?? false { return nil }
      return Phrase("a list of at most \(limit) numbers from \(range.lowerBound) to \(range.upperBound)")
    case .word(let words):
      guard let text = value.string else { return Self.text.expectation(unlessMetBy: value, isLenient: isLenient) }
      let words = words()
      return words.contains { $0.hasSameBytes(as: text) } ? nil : Phrase(.choice(words))
    }
  }

  private static var text: MemberForm { .text(limit: nil) }

  private static func isText(_ value: JSON, _ limit: Int, _ isLenient: Bool) -> Bool {
    value.string.map { isLenient || $0.utf8.count <= limit && !$0.utf8.contains(0) } ?? false
  }
}
