internal import Encoding
package import Vocabulary

/// Reads a request's members. An error names the member of the wrong type or size, never its value.
struct RequestMembers {
  private let object: JSONObject

  init(_ object: JSONObject) { self.object = object }

  private static let maximumTextBytes = AccountSetting.maximumTextBytes
  private static let maximumListCount = AccountSetting.maximumListCount

  /// - Parameter limit: The largest length in bytes.
  func text(_ name: String, limit: Int = maximumTextBytes) throws(Failure) -> String? {
    guard let value = object[name], value != .null else { return nil }
    guard let text = value.string, text.utf8.count <= limit, !text.utf8.contains(0) else {
      throw wrong(name, Phrase(.text(mostBytes: limit)))
    }
    return text
  }

  /// A text that must be there.
  func required(_ name: String, limit: Int = maximumTextBytes) throws(Failure) -> String {
    try required(name, text(name, limit: limit))
  }

  /// The value of a member that must be there.
  func required<Value>(_ name: String, _ value: Value?) throws(Failure) -> Value {
    guard let value else { throw Failure(.invalidRequest, "the request needs the member \"\(name)\"") }
    return value
  }

  func flag(_ name: String) throws(Failure) -> Bool {
    guard let value = object[name], value != .null else { return false }
    guard let flag = value.bool else { throw wrong(name, Phrase(.flag)) }
    return flag
  }

  func integer(_ name: String, in range: ClosedRange<Int>) throws(Failure) -> Int? {
    guard let value = object[name], value != .null else { return nil }
    guard let integer = value.int, range.contains(integer) else {
      throw wrong(name, Phrase("a whole number from \(range.lowerBound) to \(range.upperBound)"))
    }
    return integer
  }

  /// Whole numbers; a list that is absent has none.
  func integers(_ name: String, in range: ClosedRange<Int>, upTo count: Int) throws(Failure) -> [Int] {
    guard let value = object[name], value != .null else { return [] }
    let integers = value.array?.compactMap(\.int)
    guard let integers, integers.count == value.array?.count, integers.count <= count,
      integers.allSatisfy({ range.contains($0) })
    else {
      throw wrong(
        name, Phrase("a list of at most \(count) numbers from \(range.lowerBound) to \(range.upperBound)"))
    }
    return integers
  }

  /// One of the words of a closed set.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, _: Choice.Type
  ) throws(Failure) -> Choice? {
    guard let word = try text(name) else { return nil }
    guard let choice = Choice.allCases.first(where: { $0.rawValue.utf8.elementsEqual(word.utf8) }) else {
      throw wrong(name, Phrase(.choice(Choice.allCases.map(\.rawValue))))
    }
    return choice
  }

  /// The settings of an account; an absent one is not changed.
  func settings(_ settings: [AccountSetting] = AccountSetting.all) throws(Failure) -> AccountSettings {
    do {
      return try AccountSettings(members: { object[$0].flatMap { $0 == .null ? nil : $0 } }, among: settings)
    } catch {
      throw wrong(error.name, Phrase(error.expected))
    }
  }

  /// - Parameter orOne: Whether a text counts as a list of it alone.
  func texts(_ name: String, orOne: Bool = false) throws(Failure) -> [String] {
    guard let value = object[name], value != .null else { return [] }
    if orOne, value.string != nil { return try text(name).map { [$0] } ?? [] }
    guard let array = value.array, array.count <= Self.maximumListCount else {
      throw wrong(name, Phrase(.list(mostTexts: Self.maximumListCount)))
    }
    var texts: [String] = []
    for element in array {
      guard let text = element.string, text.utf8.count <= Self.maximumTextBytes, !text.utf8.contains(0) else {
        throw wrong(name, Phrase(.texts(mostBytes: Self.maximumTextBytes)))
      }
      texts.append(text)
    }
    return texts
  }

  private func wrong(_ name: String, _ expected: Phrase) -> Failure {
    Failure(.invalidRequest, Phrase("\"\(name)\" must be \(expected)"))
  }
}

extension Phrase {
  /// The valid values, after "must be".
  package init(_ expectation: AccountSetting.Expectation) {
    switch expectation {
    case .text(let count): self = "a text of at most \(count) bytes"
    case .flag: self = "true or false"
    case .list(let count): self = "a list of at most \(count) texts"
    case .texts(let count): self = "a list of texts of at most \(count) bytes"
    case .choice(let words): self = "one of \(words.joined(separator: ", "))"
    }
  }
}
