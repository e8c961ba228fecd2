package import Encoding

/// As JSON members: the English text, `NAME_command` if it ends with a command, and for translation `NAME_template` and
/// `NAME_values`.
extension Phrase {
  /// Of nested phrases.
  private static let maximumDepth = 6

  /// Adds the phrase's members, whose names begin with `name`.
  package func addMembers(to object: inout JSONObject, as name: String) {
    object[name] = .string(english)
    object["\(name)_command"] = finalCommand.map { .string($0) }
    guard let members = valuesJSON else { return }
    object["\(name)_template"] = .string(template)
    object["\(name)_values"] = members
  }

  /// Nil without values, with a plural, or if never translated.
  private var valuesJSON: JSON? {
    let isVerbatim = template == "%1$s" && !values.contains(where: \.isCommand)
    guard plural == nil, !values.isEmpty, !isVerbatim else { return nil }
    return .array(values.map(\.json))
  }

  /// Parses the output of ``addMembers(to:as:)``, ignoring an invalid template.
  package init?(_ json: JSON, _ name: String) {
    guard let phrase = Self.parse(json, name) else { return nil }
    self = phrase.withCommandAtEnd(json["\(name)_command"]?.string.map(Self.clean))
  }

  private static func parse(_ json: JSON, _ name: String) -> Phrase? {
    guard let text = json[name]?.string.map(clean) else { return nil }
    if let template = json["\(name)_template"]?.string.map(clean),
      let values = values(json["\(name)_values"], depth: 1)
    {
      let phrase = Phrase(template: template, values: values)
      if phrase.english.hasSameBytes(as: text) { return phrase }
    }
    return Phrase(stringLiteral: text)
  }

  private static func clean(_ text: String) -> String { TerminalText.clean(text, limit: 16_384) }

  private static func values(_ json: JSON?, depth: Int) -> [Value]? {
    guard let elements = json?.array, elements.count <= 16, depth <= maximumDepth else { return nil }
    let values = elements.compactMap { element -> Value? in
      if let text = element.string { return .text(text) }
      if let command = Correction(element) { return .command(command) }
      guard let template = element["template"]?.string, let inner = Self.values(element["values"], depth: depth + 1)
      else { return nil }
      return .phrase(Phrase(template: template, values: inner).withCommandAtEnd(element["command"]?.string.map(clean)))
    }
    return values.count == elements.count ? values : nil
  }

  fileprivate var json: JSON {
    var object = JSONObject([("template", .string(template)), ("values", .array(values.map(\.json)))])
    object["command"] = finalCommand.map { .string($0) }
    return .object(object)
  }
}

extension Phrase.Value {
  fileprivate var json: JSON {
    switch self {
    case .text(let text): .string(text)
    case .command(let correction): correction.json
    case .phrase(let phrase) where phrase.plural != nil: .string(phrase.english)
    case .phrase(let phrase):
      phrase.json
    }
  }
}
