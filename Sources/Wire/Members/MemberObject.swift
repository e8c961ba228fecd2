package import Encoding

/// Writes members into a JSON object, including false flags.
package struct MemberObjectWriter: MemberVisitor {
  fileprivate var object = JSONObject()

  package mutating func visit(
    _ name: String, _ value: inout JSON?, _ form: MemberForm, isRequired: Bool, _ meaning: () -> String
  ) {
    object[name] = value
  }

  package mutating func visitValue<Value: MemberValue>(
    _ name: String, _ value: inout Value?, isRequired: Bool, _ meaning: () -> String
  ) {
    value?.addMembers(to: &object, as: name)
  }

  package mutating func visitSettings(_ value: inout AccountSettings, among settings: [AccountSetting]) {
    for setting in settings { object[setting.name] = setting.value(in: value) }
  }
}

extension MemberList {
  package var memberObject: JSONObject {
    var (list, members) = (self, MemberObjectWriter())
    list.visitMembers(with: &members)
    return members.object
  }

  package var memberDescriptions: [MemberDescription] {
    var (list, members) = (self, MemberDescriber(marksRequired: false))
    list.visitMembers(with: &members)
    return members.entries.compactMap { if case .member(let row) = $0 { row } else { nil } }
  }

  /// A copy with an object's members, ignoring limits. Nil if a required one is missing or invalid.
  package func withValues(from json: JSON) -> Self? {
    guard let object = json.object else { return nil }
    var (list, members) = (self, MemberReader(object, isLenient: true))
    return (try? list.visitMembers(with: &members)).map { list }
  }
}

// MARK: Values

extension MemberValue where Self: RawRepresentable<String> {
  package static var memberTypeName: String { "text" }
  package func addMembers(to object: inout JSONObject, as name: String) { object[name] = .string(rawValue) }
  package init?(_ json: JSON, _ name: String) {
    guard let value = json[name]?.string.flatMap({ Self(rawValue: $0) }) else { return nil }
    self = value
  }
}

extension FailureCode: MemberValue {}
extension ConnectionProblem: MemberValue {}

extension Phrase: MemberValue {
  package static var memberTypeName: String { "text" }
}

extension Bool: MemberValue {
  package static var memberTypeName: String { "boolean" }
  package func addMembers(to object: inout JSONObject, as name: String) { object[name] = .bool(self) }
  package init?(_ json: JSON, _ name: String) {
    guard let value = json[name]?.bool else { return nil }
    self = value
  }
}

/// A log entry, also sent as the member `entry` of an event.
package protocol EventEntry: MemberValue {
  var json: JSONObject { get }
  init?(json: JSON)
}

extension EventEntry {
  package static var memberTypeName: String { "object" }
  package func addMembers(to object: inout JSONObject, as name: String) { object[name] = .object(json) }
  package init?(_ json: JSON, _ name: String) {
    guard let entry = json[name] else { return nil }
    self.init(json: entry)
  }
}
