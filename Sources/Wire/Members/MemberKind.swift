/// A value's kind, for the manual and JSON schema.
package enum MemberKind: Sendable {
  case text, number, boolean, texts, objects, object
  /// An account name.
  case account
  case url
  /// In unix seconds.
  case time
  case constant(Bool)
  /// One of these strings.
  case words([String])
  case pattern(String)
  /// An error object.
  case failure
  /// An object with the members of ``AccountMember/presetMembers``.
  case preset

  /// A flag becomes `constant(true)`, since its member is omitted unless set.
  package init(_ setting: AccountSetting) {
    self =
      switch setting.kind {
      // An administrator may define more.
      case .choice where setting == AccountSetting.table.provider: .text
      case .choice(let words): .words(words)
      case .text, .file: .text
      case .texts: .texts
      case .flag: .constant(true)
      }
  }

  /// One of an enumeration's raw values.
  static func word<Word: CaseIterable & RawRepresentable<String>>(_: Word.Type) -> MemberKind {
    .words(Word.allCases.map(\.rawValue))
  }

  var type: String {
    switch self {
    case .text, .account, .url, .words, .pattern: "text"
    case .number, .time: "number"
    case .boolean, .constant: "boolean"
    case .texts: "list of texts"
    case .objects: "list of objects"
    case .object, .failure, .preset: "object"
    }
  }

  /// May refer to definitions in `agent.schema.json`.
  package var schema: String {
    switch self {
    case .text: #"{"type": "string"}"#
    case .number: #"{"type": "integer"}"#
    case .boolean: #"{"type": "boolean"}"#
    case .texts: #"{"type": "array", "items": {"type": "string"}}"#
    case .objects: ##"{"type": "array", "items": {"$ref": "#/$defs/json_object"}}"##
    case .object: ##"{"$ref": "#/$defs/json_object"}"##
    case .account: ##"{"$ref": "#/$defs/account_name"}"##
    case .url: ##"{"$ref": "#/$defs/url"}"##
    case .time: ##"{"$ref": "#/$defs/time"}"##
    case .constant(let value): #"{"const": \#(value)}"#
    case .words(let words): #"{"enum": [\#(words.map { "\"\($0)\"" }.joined(separator: ", "))]}"#
    case .pattern(let pattern): #"{"type": "string", "pattern": "\#(pattern)"}"#
    case .failure: ##"{"$ref": "#/$defs/failure"}"##
    case .preset: ##"{"$ref": "#/$defs/preset"}"##
    }
  }
}
