internal import Encoding

extension JSON {
  /// The members that `--json` omits: they serve translations and the client itself; see agent-protocol(7).
  private static let forms = [
    "message_template", "message_values", "hint_template", "hint_values", "hint_command", "subject",
  ]

  /// The members omitted from the details of a sign-out.
  private static let detailForms = [
    "detail": ["detail_template", "detail_values"],
    "client_detail": ["client_detail_template", "client_detail_values"],
  ]

  /// The value as printed by `--json`: failures and notices in it contain only their code, message and hint. Claims
  /// from servers are not searched.
  var withoutForms: JSON {
    switch self {
    case .array(let elements): .array(elements.map(\.withoutForms))
    case .object(let members): .object(members.withoutForms)
    case .null, .bool, .number, .string: self
    }
  }

  fileprivate static func isForm(_ name: String, in members: JSONObject) -> Bool {
    let isMessage =
      members["message"]?.string != nil
      && (members["code"]?.string != nil || members["event"]?.string == "notice")
    return isMessage && forms.contains(name)
      || detailForms.contains { member, forms in members[member]?.string != nil && forms.contains(name) }
  }
}

extension JSONObject {
  /// See ``JSON/withoutForms``.
  var withoutForms: JSONObject {
    var object = JSONObject()
    for name in names where !JSON.isForm(name, in: self) {
      object[name] = name == "claims" ? self[name] : self[name]?.withoutForms
    }
    return object
  }
}
