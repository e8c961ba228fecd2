internal import Encoding

/// Checks that ``JSONSchemaValidator`` supports everything in a schema.
struct JSONSchemaReader {
  typealias Fault = JSONSchema.Fault

  let root: JSON

  private static let types: Set<String> = ["null", "boolean", "integer", "number", "string", "array", "object"]

  /// The characters of patterns that mean the same in every dialect of regular expressions.
  private static let patternCharacters = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,!~@=+*?[](){}|^$ ")

  func check() throws(Fault) {
    guard let members = root.object else { throw Fault("", "is no object") }
    for name in members.names {
      guard ["$schema", "title", "description", "$defs"].contains(name) else {
        throw Fault("", "has \"\(name)\" beside its definitions")
      }
    }
    guard root["$schema"] == "https://json-schema.org/draft/2020-12/schema" else {
      throw Fault("", "is not of the dialect 2020-12")
    }
    guard let definitions = root["$defs"]?.object else { throw Fault("", "has no definitions") }
    for name in definitions.names {
      if let definition = definitions[name] { try check(definition, at: "/\(name)") }
    }
  }

  /// The name of the definition to which a schema refers.
  static func target(of schema: JSON) -> String? {
    guard let reference = schema["$ref"]?.string, reference.hasPrefix("#/$defs/") else { return nil }
    return String(reference.dropFirst(8))
  }

  /// The schemas inside a schema, with their paths.
  static func parts(of schema: JSON) -> [(path: String, schema: JSON)] {
    var parts: [(String, JSON)] = []
    if let properties = schema["properties"]?.object {
      for name in properties.names {
        if let part = properties[name] { parts.append(("/properties/\(name)", part)) }
      }
    }
    for (index, part) in (schema["oneOf"]?.array ?? []).enumerated() { parts.append(("/oneOf/\(index)", part)) }
    for name in ["items", "additionalProperties"] {
      if let part = schema[name], part.bool == nil { parts.append(("/\(name)", part)) }
    }
    return parts
  }

  private func check(_ schema: JSON, at place: String) throws(Fault) {
    guard let members = schema.object else { throw Fault(place, "is no object") }
    for name in members.names {
      if let value = members[name] { try check(keyword: name, value, at: place) }
    }
    try checkMembers(of: schema, at: place)
    for part in Self.parts(of: schema) { try check(part.schema, at: place + part.path) }
  }

  private func checkMembers(of schema: JSON, at place: String) throws(Fault) {
    let required = schema["required"]?.array?.compactMap(\.string) ?? []
    for name in required where schema["properties"]?[name] == nil {
      throw Fault(place, "requires \"\(name)\", which it does not describe")
    }
    guard schema["properties"] != nil || schema["type"] == "object" else { return }
    guard schema["additionalProperties"] != nil else {
      throw Fault(place, "does not say whether there may be other members")
    }
  }

  private func check(keyword: String, _ value: JSON, at place: String) throws(Fault) {
    let isRight: Bool
    switch keyword {
    case "description": isRight = value.string != nil
    case "type": isRight = value.string.map { Self.types.contains($0) } ?? false
    case "properties": isRight = value.object != nil
    case "required": isRight = Self.isSet(value) && value.array?.allSatisfy { $0.string != nil } == true
    case "additionalProperties": isRight = value.bool != nil || value.object != nil
    case "enum", "oneOf": isRight = Self.isSet(value)
    case "const": isRight = true
    case "items": isRight = value.object != nil
    case "minimum": isRight = value.int != nil
    case "pattern": isRight = value.string.map(Self.isPattern) ?? false
    case "$ref": isRight = try check(reference: value, at: place)
    default: throw Fault(place, "has the unknown keyword \"\(keyword)\"")
    }
    guard isRight else { throw Fault(place, "has a \"\(keyword)\" that is not one") }
  }

  /// Whether the value is a non-empty list without duplicates.
  private static func isSet(_ value: JSON) -> Bool {
    value.array.map { !$0.isEmpty && Set($0).count == $0.count } ?? false
  }

  /// The definition must not itself be a reference, so that there are no cycles.
  private func check(reference: JSON, at place: String) throws(Fault) -> Bool {
    guard let target = Self.target(of: ["$ref": reference]) else { return false }
    guard let definition = root["$defs"]?[target] else {
      throw Fault(place, "refers to \"\(target)\", which is not there")
    }
    guard definition["$ref"] == nil else { throw Fault(place, "refers to \"\(target)\", which refers on") }
    return true
  }

  /// Whether a pattern is anchored at both ends, since it must match the entire text.
  private static func isPattern(_ text: String) -> Bool {
    guard text.first == "^", text.last == "$", text.allSatisfy({ patternCharacters.contains($0) }) else { return false }
    return (try? Regex(text)) != nil
  }
}
