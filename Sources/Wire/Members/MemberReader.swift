internal import Encoding

/// Reads members from a JSON object. Errors contain a member's name, never its value.
struct MemberReader: MemberVisitor {
  private let object: JSONObject
  /// Whether to ignore limits and invalid optional members, which newer daemons may send.
  private let isLenient: Bool

  init(_ object: JSONObject, isLenient: Bool = false) {
    self.object = object
    self.isLenient = isLenient
  }

  private static let maximumTextBytes = AccountSetting.maximumTextBytes
  private static let maximumListCount = AccountSetting.maximumListCount

  func visitText(
    _ name: String, _ value: inout String?, limit: Int?, isRequired: Bool, _ meaning: () -> String
  ) throws(Failure) {
    let limit = limit ?? Self.maximumTextBytes
    value = nil
    guard let json = try member(name, isRequired) else { return }
    guard let text = json.string, isLenient || text.utf8.count <= limit && !text.utf8.contains(0) else {
      return try reject(name, Phrase(.text(maximumBytes: limit)), isRequired)
    }
    value = text
  }

  func visitFlag(_ name: String, _ value: inout Bool, _ meaning: @autoclosure () -> String) throws(Failure) {
    value = false
    guard let json = try member(name) else { return }
    guard let flag = json.bool else { return try reject(name, Phrase(.flag)) }
    value = flag
  }

  func visitNumber(
    _ name: String, _ value: inout Int?, in range: ClosedRange<Int>, isRequired: Bool, _ meaning: () -> String
  ) throws(Failure) {
    value = nil
    guard let json = try member(name, isRequired) else { return }
    guard let integer = json.int, isLenient || range.contains(integer) else {
      return try reject(
        name, Phrase("a number from \(range.lowerBound) to \(range.upperBound)"), isRequired)
    }
    value = integer
  }

  func visitTexts(
    _ name: String, _ value: inout [String], orOne: Bool, _ meaning: @autoclosure () -> String
  ) throws(Failure) {
    value = []
    guard let json = try member(name) else { return }
    if orOne, json.string != nil {
      var text: String?
      try self.visitText(name, &text, limit: nil, isRequired: true) { "" }
      value = [text].compactMap { $0 }
      return
    }
    guard let array = json.array, isLenient || array.count <= Self.maximumListCount else {
      throw wrong(name, Phrase(.list(maximumTexts: Self.maximumListCount)))
    }
    value = array.compactMap(\.string)
    guard value.count == array.count,
      isLenient || value.allSatisfy({ $0.utf8.count <= Self.maximumTextBytes && !$0.utf8.contains(0) })
    else { throw wrong(name, Phrase(.texts(maximumBytes: Self.maximumTextBytes))) }
  }

  func visitNumbers(
    _ name: String, _ value: inout [Int], in range: ClosedRange<Int>, limit: Int, _ meaning: @autoclosure () -> String
  ) throws(Failure) {
    value = []
    guard let json = try member(name) else { return }
    value = json.array?.compactMap(\.int) ?? []
    guard value.count == json.array?.count, value.count <= limit, value.allSatisfy({ range.contains($0) }) else {
      throw wrong(
        name, Phrase("a list of at most \(limit) numbers from \(range.lowerBound) to \(range.upperBound)"))
    }
  }

  func visitWord(
    _ name: String, _ value: inout String?, among words: () -> [String], isRequired: Bool, _ meaning: () -> String
  ) throws(Failure) -> Bool {
    try visitText(name, &value, limit: nil, isRequired: isRequired, meaning)
    guard let value else { return true }
    let words = words()
    if !words.contains(where: { $0.hasSameBytes(as: value) }) {
      try reject(name, Phrase(.choice(words)), isRequired)
    }
    return true
  }

  func visitValue<Value: MemberValue>(
    _ name: String, _ value: inout Value?, isRequired: Bool, _ meaning: () -> String
  ) throws(Failure) {
    value = nil
    guard try member(name, isRequired) != nil else { return }
    value = Value(.object(object), name)
    if value == nil { try reject(name, Phrase(verbatim: Value.memberTypeName), isRequired) }
  }

  /// Settings that are absent do not change.
  func visitSettings(_ value: inout AccountSettings, among settings: [AccountSetting]) throws(Failure) {
    do {
      value = try AccountSettings(members: { object[$0].flatMap { $0 == .null ? nil : $0 } }, among: settings)
    } catch {
      throw wrong(error.name, Phrase(error.expected))
    }
  }

  func check(_ isValid: @autoclosure () -> Bool, _ message: @autoclosure () -> Phrase) throws(Failure) {
    if !isValid() { throw Failure(.invalidRequest, message()) }
  }

  /// A member's value, or nil if absent or `null`.
  private func member(_ name: String, _ isRequired: Bool = false) throws(Failure) -> JSON? {
    if let value = object[name], value != .null { return value }
    guard isRequired else { return nil }
    throw Failure(.invalidRequest, "the request needs the member \"\(name)\"")
  }

  /// Throws the error for a wrong value, unless such are ignored.
  private func reject(_ name: String, _ expected: Phrase, _ isRequired: Bool = false) throws(Failure) {
    if isRequired || !isLenient { throw wrong(name, expected) }
  }

  /// The error for a member with a wrong value.
  private func wrong(_ name: String, _ expected: Phrase) -> Failure {
    Failure(.invalidRequest, Phrase("\"\(name)\" must be \(expected)"))
  }
}
