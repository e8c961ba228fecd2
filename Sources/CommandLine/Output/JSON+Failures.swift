internal import Encoding

extension JSON {
  /// Members that `--json` omits, because only clients need them; see agent-protocol(7).
  private static let forms = [
    "message_template", "message_values", "hint_template", "hint_values", "hint_command", "subject",
  ]

  /// Members that `--json` omits from sign-out details.
  private static let detailForms = [
    "detail": ["detail_template", "detail_values"],
    "client_detail": ["client_detail_template", "client_detail_values"],
  ]

  /// The value without the members that `--json` omits. Claims are not changed.
  var withoutForms: JSON {
    switch self {
    case .array(let elements): .array(elements.map(\.withoutForms))
    case .object(let members): .object(members.withoutForms)
    case .null, .bool, .number, .string: self
    }
  }

  /// Whether `--json` omits a member.
  fileprivate static func isForm(_ name: String, in members: JSONObject) -> Bool {
    let isMessage =
      members["message"]?.string != nil
      && (members["code"]?.string != nil || members["event"]?.string == "notice")
    return isMessage && forms.contains(name)
      || detailForms.contains { member, forms in members[member]?.string != nil && forms.contains(name) }
  }
}

extension JSONObject {
  var withoutForms: JSONObject {
    var object = JSONObject()
    for name in names where !JSON.isForm(name, in: self) {
      object[name] = name == "claims" ? self[name] : self[name]?.withoutForms
    }
    return object
  }
}
