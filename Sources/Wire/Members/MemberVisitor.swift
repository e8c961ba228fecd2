package import Encoding

/// Reads, writes or describes a protocol object's JSON members.
///
/// ``MemberList/visitMembers(with:)`` calls one method per member, passing its meaning in mdoc notation. The JSON omits
/// nil, false and empty lists.
package protocol MemberVisitor {
  /// The error for an invalid member, thrown only by reading.
  associatedtype Problem: Error

  /// Visits a string, Boolean, number or list.
  mutating func visit(
    _ name: String, _ value: inout JSON?, _ form: MemberForm, isRequired: Bool, _ meaning: () -> String
  ) throws(Problem)
  /// Visits a value with its own JSON format.
  mutating func visitValue<Value: MemberValue>(
    _ name: String, _ value: inout Value?, isRequired: Bool, _ meaning: () -> String
  ) throws(Problem)
  /// Visits one member per setting.
  mutating func visitSettings(_ value: inout AccountSettings, among settings: [AccountSetting]) throws(Problem)
  /// Checks a rule about several members when reading.
  func check(_ isValid: @autoclosure () -> Bool, _ message: @autoclosure () -> Phrase) throws(Problem)
}

/// Has JSON members that can be read, written and described.
package protocol MemberList {
  /// Calls a method of `members` for each member, in order.
  mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem)
}

/// A value with its own JSON format.
package protocol MemberValue: Sendable {
  /// For the manual.
  static var memberTypeName: String { get }
  /// Adds the member `name` and others that belong to it.
  func addMembers(to object: inout JSONObject, as name: String)
  /// Nil if the member `name` is invalid.
  init?(_ json: JSON, _ name: String)
}

extension MemberVisitor {
  package func check(_ isValid: @autoclosure () -> Bool, _ message: @autoclosure () -> Phrase) {}

  /// - Parameter limit: In bytes (default: that of settings).
  @inline(__always)
  mutating func visitText(
    _ name: String, _ value: inout String?, limit: Int? = nil, isRequired: Bool = false,
    _ meaning: @autoclosure () -> String
  ) throws(Problem) {
    var json = value.map(JSON.string)
    try visit(name, &json, .text(limit: limit), isRequired: isRequired, meaning)
    value = json?.string
  }

  @inline(__always)
  mutating func visitText(
    _ name: String, _ value: inout String, limit: Int? = nil,
    _ meaning: @autoclosure () -> String
  ) throws(Problem) {
    var given: String? = value
    try visitText(name, &given, limit: limit, isRequired: true, meaning())
    if let given { value = given }
  }

  /// False if the member is missing.
  @inline(__always)
  mutating func visitFlag(_ name: String, _ value: inout Bool, _ meaning: @autoclosure () -> String) throws(Problem) {
    var json: JSON? = .bool(value)
    try visit(name, &json, .flag, isRequired: false, meaning)
    value = json?.bool ?? false
  }

  @inline(__always)
  mutating func visitNumber(
    _ name: String, _ value: inout Int?, in range: ClosedRange<Int> = 0...Int.max, isRequired: Bool = false,
    _ meaning: @autoclosure () -> String
  ) throws(Problem) {
    var json = value.map(JSON.int)
    try visit(name, &json, .number(range), isRequired: isRequired, meaning)
    value = json?.int
  }

  @inline(__always)
  mutating func visitNumber(
    _ name: String, _ value: inout Int, in range: ClosedRange<Int> = 0...Int.max, _ meaning: @autoclosure () -> String
  ) throws(Problem) {
    var given: Int? = value
    try visitNumber(name, &given, in: range, isRequired: true, meaning())
    if let given { value = given }
  }

  /// `orOne` accepts a single string as a list.
  @inline(__always)
  mutating func visitTexts(
    _ name: String, _ value: inout [String], orOne: Bool = false, _ meaning: @autoclosure () -> String
  ) throws(Problem) {
    var json: JSON? = value.isEmpty ? nil : .array(value.map(JSON.string))
    try visit(name, &json, .texts(orOne: orOne), isRequired: false, meaning)
    value = json?.array?.compactMap(\.string) ?? (json?.string).map { [$0] } ?? []
  }

  mutating func visitNumbers(
    _ name: String, _ value: inout [Int], in range: ClosedRange<Int>, limit: Int, _ meaning: @autoclosure () -> String
  ) throws(Problem) {
    var json: JSON? = value.isEmpty ? nil : .array(value.map(JSON.int))
    try visit(name, &json, .numbers(range, limit: limit), isRequired: false, meaning)
    value = json?.array?.compactMap(\.int) ?? []
  }

  /// Visits an enumeration's raw value.
  @inline(__always)
  mutating func visitChoice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ value: inout Choice?, isRequired: Bool = false, _ meaning: @autoclosure () -> String
  ) throws(Problem) {
    var json = (value?.rawValue).map(JSON.string)
    try visit(name, &json, .word { Choice.allCases.map(\.rawValue) }, isRequired: isRequired, meaning)
    value = (json?.string).flatMap(Choice.init)
  }

  @inline(__always)
  mutating func visitChoice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ value: inout Choice, _ meaning: @autoclosure () -> String
  ) throws(Problem) {
    var given: Choice? = value
    try visitChoice(name, &given, isRequired: true, meaning())
    if let given { value = given }
  }

  @inline(__always)
  mutating func visitValue<Value: MemberValue>(
    _ name: String, _ value: inout Value?, isRequired: Bool = false, _ meaning: @autoclosure () -> String
  ) throws(Problem) {
    try self.visitValue(name, &value, isRequired: isRequired, meaning)
  }

  @inline(__always)
  mutating func visitValue<Value: MemberValue>(
    _ name: String, _ value: inout Value, _ meaning: @autoclosure () -> String
  ) throws(Problem) {
    var given: Value? = value
    try self.visitValue(name, &given, isRequired: true, meaning)
    if let given { value = given }
  }

  @inline(__always)
  mutating func visitSettings(_ value: inout AccountSettings) throws(Problem) {
    try visitSettings(&value, among: AccountSetting.all)
  }
}

/// A member's description in the manual.
package struct MemberDescription: Sendable, Hashable {
  package let name: String
  /// Such as `text`, `number` or `list of texts`.
  package let type: String
  /// Sentences in mdoc notation.
  package let meaning: String
  /// Of this object, or of each object in the list.
  package let members: [MemberDescription]
  /// Whether ``members`` are described elsewhere in the manual.
  package let isElsewhere: Bool

  package init(
    _ name: String, _ type: String, _ meaning: String, members: [MemberDescription] = [], isElsewhere: Bool = false
  ) {
    self.name = name
    self.type = type
    self.meaning = meaning
    self.members = members
    self.isElsewhere = isElsewhere
  }

  package static func text(_ name: String, _ meaning: String) -> Self { Self(name, "text", meaning) }
  package static func texts(_ name: String, _ meaning: String) -> Self { Self(name, "list of texts", meaning) }
  package static func number(_ name: String, _ meaning: String) -> Self { Self(name, "number", meaning) }
  package static func flag(_ name: String, _ meaning: String) -> Self { Self(name, "boolean", meaning) }

  package static func object(
    _ name: String, _ meaning: String, members: [MemberDescription] = [], isElsewhere: Bool = false
  ) -> Self {
    Self(name, "object", meaning, members: members, isElsewhere: isElsewhere)
  }

  package static func objects(_ name: String, _ meaning: String, members: [MemberDescription] = []) -> Self {
    Self(name, "list of objects", meaning, members: members)
  }

  package var isList: Bool { type.utf8.starts(with: "list".utf8) }

  /// This and all inner descriptions, with names such as `accounts[].name`.
  package func flattened(in prefix: String = "") -> [MemberDescription] {
    if members.count > 2, members.allSatisfy({ $0.type == members[0].type && $0.meaning == members[0].meaning }) {
      let names = members.map { "`\($0.name)`" }.joined(separator: ", ")
      return [MemberDescription(prefix + name, type, "\(meaning.dropLast()): \(names) (\(members[0].type)).")]
    }
    let inner = isElsewhere ? [] : members.flatMap { $0.flattened(in: prefix + name + (isList ? "[]." : ".")) }
    return [MemberDescription(prefix + name, type, meaning)] + inner
  }

  package init(_ setting: AccountSetting) {
    // Drops the sentence about repeating an option.
    var meaning = String(setting.summary.prefix { $0 != ";" })
    if case .choice(let words) = setting.kind { meaning += ": \(MemberDescriber.list(words.map { "`\($0)`" }))" }
    self.init(setting.name, MemberKind(setting).type, "\(meaning).")
  }
}

/// Collects member descriptions for the manual.
package struct MemberDescriber: MemberVisitor {
  package enum Entry: Sendable, Hashable {
    case member(MemberDescription)
    case setting(AccountSetting)
  }

  package private(set) var entries: [Entry] = []
  private let marksRequired: Bool

  init(marksRequired: Bool = true) { self.marksRequired = marksRequired }

  static func list(_ words: [String]) -> String {
    words.dropLast().joined(separator: ", ") + (words.count > 1 ? " or " : "") + words.suffix(1).joined()
  }

  /// Lists the raw values, such as "`a`, `b` or `c`".
  package static func words<Word: CaseIterable & RawRepresentable<String>>(_: Word.Type) -> String {
    list(Word.allCases.map { "`\($0.rawValue)`" })
  }

  private mutating func add(_ name: String, _ type: String, _ meaning: String, isRequired: Bool = false) {
    entries.append(.member(MemberDescription(name, isRequired && marksRequired ? "\(type), required" : type, meaning)))
  }

  package mutating func visit(
    _ name: String, _ value: inout JSON?, _ form: MemberForm, isRequired: Bool, _ meaning: () -> String
  ) {
    add(name, form.type, meaning() + form.note, isRequired: isRequired)
  }

  package mutating func visitValue<Value: MemberValue>(
    _ name: String, _ value: inout Value?, isRequired: Bool, _ meaning: () -> String
  ) {
    add(name, Value.memberTypeName, meaning(), isRequired: isRequired)
  }

  package mutating func visitSettings(_ value: inout AccountSettings, among settings: [AccountSetting]) {
    entries += settings.map(Entry.setting)
  }
}
