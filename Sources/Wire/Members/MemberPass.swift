package import Encoding
package import Vocabulary

/// Reads, writes or describes the members of a protocol object.
///
/// A type lists each member once, in ``MemberList/pass(_:)``, with name, limit and meaning. Nil, false flags and empty
/// lists are omitted.
package protocol MemberPass {
  /// The error for an invalid member; `Never` unless it reads.
  associatedtype Problem: Error

  /// - Parameter limit: The maximum length in bytes (default: a setting's).
  mutating func text(
    _ name: String, _ value: inout String?, limit: Int?, isRequired: Bool, _ meaning: () -> String
  ) throws(Problem)
  mutating func flag(_ name: String, _ value: inout Bool, _ meaning: @autoclosure () -> String) throws(Problem)
  mutating func number(
    _ name: String, _ value: inout Int?, in range: ClosedRange<Int>, isRequired: Bool, _ meaning: () -> String
  ) throws(Problem)
  /// - Parameter orOne: Whether a single text is read as a list.
  mutating func texts(
    _ name: String, _ value: inout [String], orOne: Bool, _ meaning: @autoclosure () -> String
  ) throws(Problem)
  /// - Parameter limit: The maximum number of elements.
  mutating func numbers(
    _ name: String, _ value: inout [Int], in range: ClosedRange<Int>, limit: Int, _ meaning: @autoclosure () -> String
  ) throws(Problem)
  /// - Returns: Whether it was read.
  mutating func word(
    _ name: String, _ value: inout String?, among words: () -> [String], isRequired: Bool, _ meaning: () -> String
  ) throws(Problem) -> Bool
  /// A value with its own format.
  mutating func value<Value: MemberValue>(
    _ name: String, _ value: inout Value?, isRequired: Bool, _ meaning: () -> String
  ) throws(Problem)
  /// Members with the names and meanings of settings.
  mutating func settings(_ value: inout AccountSettings, among settings: [AccountSetting]) throws(Problem)
  /// A rule for several members, checked only when reading.
  func check(_ isValid: @autoclosure () -> Bool, _ message: @autoclosure () -> Phrase) throws(Problem)
}

/// A type that lists its members once.
package protocol MemberList {
  mutating func pass<Pass: MemberPass>(_ members: inout Pass) throws(Pass.Problem)
}

/// A value with its own JSON format.
package protocol MemberValue: Sendable {
  /// Its type in the manual.
  static var memberType: String { get }
  /// Writes the member and related ones.
  func addMembers(to object: inout JSONObject, as name: String)
  /// Parses the output of ``addMembers(to:as:)`` in its object.
  init?(_ json: JSON, _ name: String)
}

extension MemberPass {
  @inline(__always)
  mutating func text(
    _ name: String, _ value: inout String?, limit: Int? = nil,
    _ meaning: @autoclosure () -> String
  ) throws(Problem) {
    try text(name, &value, limit: limit, isRequired: false, meaning)
  }

  @inline(__always)
  mutating func text(
    _ name: String, _ value: inout String, limit: Int? = nil,
    _ meaning: @autoclosure () -> String
  ) throws(Problem) {
    var given: String? = value
    try text(name, &given, limit: limit, isRequired: true, meaning)
    if let given { value = given }
  }

  @inline(__always)
  mutating func number(
    _ name: String, _ value: inout Int?, in range: ClosedRange<Int> = 0...Int.max, _ meaning: @autoclosure () -> String
  ) throws(Problem) {
    try number(name, &value, in: range, isRequired: false, meaning)
  }

  @inline(__always)
  mutating func number(
    _ name: String, _ value: inout Int, in range: ClosedRange<Int> = 0...Int.max, _ meaning: @autoclosure () -> String
  ) throws(Problem) {
    var given: Int? = value
    try number(name, &given, in: range, isRequired: true, meaning)
    if let given { value = given }
  }

  @inline(__always)
  mutating func texts(
    _ name: String, _ value: inout [String], _ meaning: @autoclosure () -> String
  ) throws(Problem) {
    try texts(name, &value, orOne: false, meaning())
  }

  @inline(__always)
  mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ value: inout Choice?, isRequired: Bool = false, _ meaning: @autoclosure () -> String
  ) throws(Problem) {
    var text = value?.rawValue
    let words = { Choice.allCases.map(\.rawValue) }
    if try word(name, &text, among: words, isRequired: isRequired, meaning) { value = text.flatMap(Choice.init) }
  }

  @inline(__always)
  mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ value: inout Choice, _ meaning: @autoclosure () -> String
  ) throws(Problem) {
    var given: Choice? = value
    try choice(name, &given, isRequired: true, meaning())
    if let given { value = given }
  }

  @inline(__always)
  mutating func value<Value: MemberValue>(
    _ name: String, _ value: inout Value?, _ meaning: @autoclosure () -> String
  ) throws(Problem) {
    try self.value(name, &value, isRequired: false, meaning)
  }

  @inline(__always)
  mutating func value<Value: MemberValue>(
    _ name: String, _ value: inout Value, _ meaning: @autoclosure () -> String
  ) throws(Problem) {
    var given: Value? = value
    try self.value(name, &given, isRequired: true, meaning)
    if let given { value = given }
  }

  @inline(__always)
  mutating func settings(_ value: inout AccountSettings) throws(Problem) {
    try settings(&value, among: AccountSetting.all)
  }
}

/// A member in the manual.
package struct MemberRow: Sendable, Hashable {
  package let name: String
  /// The type: `text`, `number`, `list of texts`.
  package let type: String
  /// Sentences in mdoc notation.
  package let meaning: String
  /// The members of the object, or of each object in a list.
  package let members: [MemberRow]
  /// Whether another part of the manual describes ``members``.
  package let isElsewhere: Bool

  package init(
    _ name: String, _ type: String, _ meaning: String, members: [MemberRow] = [], isElsewhere: Bool = false
  ) {
    self.name = name
    self.type = type
    self.meaning = meaning
    self.members = members
    self.isElsewhere = isElsewhere
  }

  package var isList: Bool { type.utf8.starts(with: "list".utf8) }

  /// The row and its members, named `accounts[].name`.
  package func flattened(in prefix: String = "") -> [MemberRow] {
    let inner = isElsewhere ? [] : members.flatMap { $0.flattened(in: prefix + name + (isList ? "[]." : ".")) }
    return [MemberRow(prefix + name, type, meaning)] + inner
  }

  package init(_ setting: AccountSetting) {
    // Drop the sentence about repeating an option.
    let summary = String(setting.summary.prefix { $0 != ";" })
    let (type, meaning) =
      switch setting.kind {
      case .text, .file: ("text", "\(summary).")
      case .texts: ("list of texts", "\(summary).")
      case .flag: ("boolean", "\(summary).")
      case .choice(let words): ("text", "\(summary): \(MemberDescriber.list(words.map { "`\($0)`" })).")
      }
    self.init(setting.name, type, meaning)
  }
}

/// Describes members for the manual.
package struct MemberDescriber: MemberPass {
  /// A row, or a setting with the same meaning.
  package enum Entry: Sendable, Hashable {
    case row(MemberRow)
    case setting(AccountSetting)
  }

  package private(set) var entries: [Entry] = []
  /// Whether to mark required members. In responses, optional ones describe their absence instead.
  private let marksRequired: Bool

  init(marksRequired: Bool = true) { self.marksRequired = marksRequired }

  static func list(_ words: [String]) -> String {
    words.dropLast().joined(separator: ", ") + (words.count > 1 ? " or " : "") + words.suffix(1).joined()
  }

  private mutating func add(_ name: String, _ type: String, _ meaning: String, isRequired: Bool = false) {
    entries.append(.row(MemberRow(name, type, isRequired && marksRequired ? "\(meaning) Required." : meaning)))
  }

  package mutating func text(
    _ name: String, _ value: inout String?, limit: Int?, isRequired: Bool, _ meaning: () -> String
  ) {
    add(name, "text", meaning(), isRequired: isRequired)
  }

  package mutating func flag(_ name: String, _ value: inout Bool, _ meaning: @autoclosure () -> String) {
    add(name, "boolean", meaning())
  }

  package mutating func number(
    _ name: String, _ value: inout Int?, in range: ClosedRange<Int>, isRequired: Bool, _ meaning: () -> String
  ) {
    let limits = range.upperBound == .max ? "" : " From \(range.lowerBound) to \(range.upperBound)."
    add(name, "number", meaning() + limits, isRequired: isRequired)
  }

  package mutating func texts(
    _ name: String, _ value: inout [String], orOne: Bool, _ meaning: @autoclosure () -> String
  ) {
    add(name, "list of texts", orOne ? "\(meaning()) A single text is accepted, too." : meaning())
  }

  package mutating func numbers(
    _ name: String, _ value: inout [Int], in range: ClosedRange<Int>, limit: Int, _ meaning: @autoclosure () -> String
  ) {
    add(name, "list of numbers", "\(meaning()) At most \(limit).")
  }

  package mutating func word(
    _ name: String, _ value: inout String?, among words: () -> [String], isRequired: Bool, _ meaning: () -> String
  ) -> Bool {
    let list = Self.list(words().map { "`\($0)`" })
    add(name, "text", "\(meaning()) One of \(list).", isRequired: isRequired)
    return false
  }

  package mutating func value<Value: MemberValue>(
    _ name: String, _ value: inout Value?, isRequired: Bool, _ meaning: () -> String
  ) {
    add(name, Value.memberType, meaning(), isRequired: isRequired)
  }

  package mutating func settings(_ value: inout AccountSettings, among settings: [AccountSetting]) {
    entries += settings.map(Entry.setting)
  }

  package func check(_ isValid: @autoclosure () -> Bool, _ message: @autoclosure () -> Phrase) {}
}
