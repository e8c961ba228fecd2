internal import Encoding

/// Checks values against a schema accepted by ``JSONSchemaReader``.
struct JSONSchemaValidator {
  let root: JSON

  func violations(of value: JSON, at place: String, by schema: JSON) -> [String] {
    var found: [String] = []
    if let target = JSONSchemaReader.target(of: schema), let definition = root["$defs"]?[target] {
      found += violations(of: value, at: place, by: definition)
    }
    if let type = schema["type"]?.string, !Self.isOf(type, value) { found.append("\(place): is not of type \(type)") }
    if let constant = schema["const"], constant != value { found.append("\(place): is not \(Self.text(constant))") }
    if let words = schema["enum"]?.array, !words.contains(value) {
      found.append("\(place): \(Self.text(value)) is none of \(Self.text(.array(words)))")
    }
    // A number that is too large for an Int is treated like one that is too small.
    if let minimum = schema["minimum"]?.int, let number = value.number, (number.rounded(.down) ?? .min) < minimum {
      found.append("\(place): is less than \(minimum)")
    }
    if let pattern = schema["pattern"]?.string, let text = value.string, !Self.matches(text, pattern) {
      found.append("\(place): \(Self.text(value)) does not match \(pattern)")
    }
    if let members = value.object { found += violations(ofMembers: members, at: place, by: schema) }
    if let items = schema["items"], let elements = value.array {
      for (index, element) in elements.enumerated() {
        found += violations(of: element, at: "\(place)[\(index)]", by: items)
      }
    }
    if let alternatives = schema["oneOf"]?.array { found += violations(of: value, at: place, byOneOf: alternatives) }
    return found
  }

  private func violations(ofMembers members: JSONObject, at place: String, by schema: JSON) -> [String] {
    var found: [String] = []
    for name in schema["required"]?.array?.compactMap(\.string) ?? [] where members[name] == nil {
      found.append("\(place).\(name): is missing")
    }
    for name in members.names {
      guard let value = members[name] else { continue }
      if let known = schema["properties"]?[name] {
        found += violations(of: value, at: "\(place).\(name)", by: known)
      } else if let others = schema["additionalProperties"] {
        if others == false { found.append("\(place).\(name): is not described") }
        if others.object != nil { found += violations(of: value, at: "\(place).\(name)", by: others) }
      }
    }
    return found
  }

  private func violations(of value: JSON, at place: String, byOneOf alternatives: [JSON]) -> [String] {
    let outcomes = alternatives.map { violations(of: value, at: place, by: $0) }
    let fitting = outcomes.count { $0.isEmpty }
    if fitting == 1 { return [] }
    if fitting > 1 { return ["\(place): fits \(fitting) of the alternatives, not one"] }
    // The alternative with the fewest violations is most likely the intended one.
    let nearest = outcomes.min { $0.count < $1.count } ?? []
    return ["\(place): fits none of \(alternatives.count) alternatives"] + nearest
  }

  /// A whole number is an integer whatever its notation.
  private static func isOf(_ type: String, _ value: JSON) -> Bool {
    switch value {
    case .null: type == "null"
    case .bool: type == "boolean"
    case .number(let number): type == "number" || type == "integer" && number.int != nil
    case .string: type == "string"
    case .array: type == "array"
    case .object: type == "object"
    }
  }

  private static func matches(_ text: String, _ pattern: String) -> Bool {
    // Compares scalars, not grapheme clusters.
    guard let expression = try? Regex(pattern).matchingSemantics(.unicodeScalar) else { return false }
    return ((try? expression.wholeMatch(in: text)) ?? nil) != nil
  }

  private static func text(_ value: JSON) -> String { String(decoding: value.serialized(), as: UTF8.self) }
}
