internal import Encoding

extension JSON {
  /// Members that `--json` omits, needed only by the daemon's clients (agent-protocol(7)).
  private static let translationMembers = [
    "message_template", "message_values", "hint_template", "hint_values", "hint_command", "subject",
  ]

  /// Like ``translationMembers``, for sign-out details.
  private static let detailTranslationMembers = [
    "detail": ["detail_template", "detail_values"],
    "client_detail": ["client_detail_template", "client_detail_values"],
  ]

  /// Omits translation members, but does not change claims.
  var withoutTranslations: JSON {
    switch self {
    case .array(let elements): .array(elements.map(\.withoutTranslations))
    case .object(let members): .object(members.withoutTranslations)
    case .null, .bool, .number, .string: self
    }
  }

  fileprivate static func isTranslationMember(_ name: String, in members: JSONObject) -> Bool {
    let isMessage =
      members["message"]?.string != nil
      && (members["code"]?.string != nil || members["event"]?.string == "notice")
    return isMessage && translationMembers.contains(name)
      || detailTranslationMembers.contains { member, forms in members[member]?.string != nil && forms.contains(name) }
  }
}

extension JSONObject {
  var withoutTranslations: JSONObject {
    var object = JSONObject()
    for name in names where !JSON.isTranslationMember(name, in: self) {
      object[name] = name == "claims" ? self[name] : self[name]?.withoutTranslations
    }
    return object
  }
}
