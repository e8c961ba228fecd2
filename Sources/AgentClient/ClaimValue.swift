internal import Encoding

/// The value of a claim of a verified ID Token (OpenID Connect Core 1.0, section 5).
public indirect enum ClaimValue: Sendable, Hashable {
  case null
  case boolean(Bool)
  case text(String)
  /// A number that an `Int` represents exactly.
  case integer(Int)
  /// Any other number, as written in the token: `1.5`, `1e99`.
  case number(String)
  case list([ClaimValue])
  case object([String: ClaimValue])

  /// The string; nil for other types.
  public var text: String? {
    if case .text(let value) = self { value } else { nil }
  }

  /// The strings of a list or a single string: servers use both forms for roles and groups. Nil for other types.
  public var texts: [String]? {
    switch self {
    case .text(let value): return [value]
    case .list(let values):
      let texts = values.compactMap(\.text)
      return texts.count == values.count ? texts : nil
    default: return nil
    }
  }

  init(_ json: JSON) {
    self =
      switch json {
      case .null: .null
      case .bool(let value): .boolean(value)
      case .number(let value): value.int.map { .integer($0) } ?? .number(value.text)
      case .string(let value): .text(value)
      case .array(let values): .list(values.map { ClaimValue($0) })
      case .object(let members): .object(Self.claims(members))
      }
  }

  /// Converts an object's members.
  static func claims(_ object: JSONObject) -> [String: ClaimValue] {
    var members: [String: ClaimValue] = [:]
    for name in object.names { members[name] = object[name].map { ClaimValue($0) } }
    return members
  }
}
