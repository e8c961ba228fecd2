internal import Encoding

/// Reads members from an object. Errors contain a member's name, never its value.
struct MemberReader: MemberVisitor {
  private let object: JSONObject
  /// Whether to ignore limits and invalid optional members, which newer daemons may send.
  private let isLenient: Bool

  init(_ object: JSONObject, isLenient: Bool = false) {
    self.object = object
    self.isLenient = isLenient
  }

  func visit(
    _ name: String, _ value: inout JSON?, _ form: MemberForm, isRequired: Bool, _ meaning: () -> String
  ) throws(Failure) {
    value = try member(name, isRequired)
    guard let given = value, let expected = form.expectation(unlessMetBy: given, isLenient: isLenient) else { return }
    value = nil
    try reject(name, expected, isRequired)
  }

  func visitValue<Value: MemberValue>(
    _ name: String, _ value: inout Value?, isRequired: Bool, _ meaning: () -> String
  ) throws(Failure) {
    value = nil
    guard try member(name, isRequired) != nil else { return }
    value = Value(.object(object), name)
    if value == nil { try reject(name, Phrase(verbatim: Value.memberTypeName), isRequired) }
  }

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

  private func member(_ name: String, _ isRequired: Bool = false) throws(Failure) -> JSON? {
    if let value = object[name], value != .null { return value }
    guard isRequired else { return nil }
    throw Failure(.invalidRequest, "the request needs the member \"\(name)\"")
  }

  private func reject(_ name: String, _ expected: Phrase, _ isRequired: Bool = false) throws(Failure) {
    if isRequired || !isLenient { throw wrong(name, expected) }
  }

  private func wrong(_ name: String, _ expected: Phrase) -> Failure {
    Failure(.invalidRequest, Phrase("\"\(name)\" must be \(expected)"))
  }
}
