package import Encoding

/// A JSON Schema in the part of the dialect 2020-12 that this package uses.
///
/// Unknown keywords, references to missing definitions, and objects with `properties` but without
/// `additionalProperties` are rejected.
package struct JSONSchema: Sendable {
  /// A text that is not a supported schema.
  package struct Fault: Error, Hashable, Sendable {
    package let place: String
    package let problem: String

    package init(_ place: String, _ problem: String) {
      self.place = place
      self.problem = problem
    }
  }

  private let root: JSON

  /// Throws ``Fault``, or `JSONError` if not JSON.
  package init(parsing bytes: [UInt8]) throws {
    root = try JSON(parsing: bytes)
    try JSONSchemaReader(root: root).check()
  }

  /// The names of all definitions.
  package var names: [String] { root["$defs"]?.object?.names ?? [] }

  package func definition(_ name: String) -> JSON? { root["$defs"]?[name] }

  /// Each begins with the path in the value, such as `.accounts[0].name`.
  package func violations(of value: JSON, by name: String) -> [String] {
    guard let definition = definition(name) else { return ["there is no definition \"\(name)\""] }
    return JSONSchemaValidator(root: root).violations(of: value, at: "", by: definition)
  }

  /// The names of all members in a definition, at any depth.
  package func members(of name: String) -> Set<String> {
    collect(from: name) { schema in schema["properties"]?.object?.names ?? [] }
  }

  /// The fixed texts in a definition, at any depth.
  package func words(of name: String) -> Set<String> {
    collect(from: name) { schema in
      ([schema["const"]].compactMap { $0 } + (schema["enum"]?.array ?? [])).compactMap(\.string)
    }
  }

  /// The paths of the members in a definition, such as `accounts[].name`.
  package func paths(of name: String) -> Set<String> {
    definition(name).map { paths(in: $0, after: "", depth: 0) } ?? []
  }

  private func paths(in schema: JSON, after prefix: String, depth: Int) -> Set<String> {
    // Definitions may be recursive.
    guard depth < 12 else { return [] }
    var found: Set<String> = []
    if let target = JSONSchemaReader.target(of: schema), let definition = definition(target) {
      found.formUnion(paths(in: definition, after: prefix, depth: depth + 1))
    }
    for name in schema["properties"]?.object?.names ?? [] {
      guard let inner = schema["properties"]?[name] else { continue }
      found.insert(prefix + name)
      found.formUnion(paths(in: inner, after: "\(prefix)\(name).", depth: depth + 1))
    }
    if let items = schema["items"] {
      found.formUnion(paths(in: items, after: prefix.dropLast() + "[].", depth: depth + 1))
    }
    for part in ["oneOf", "anyOf", "allOf"].flatMap({ schema[$0]?.array ?? [] }) {
      found.formUnion(paths(in: part, after: prefix, depth: depth + 1))
    }
    return found
  }

  /// The values that `take` finds in a definition and all schemas below it or referenced.
  private func collect(from name: String, _ take: (JSON) -> [String]) -> Set<String> {
    var found: Set<String> = []
    var visited: Set<String> = []
    var open = [definition(name)].compactMap { $0 }
    while let schema = open.popLast() {
      found.formUnion(take(schema))
      if let target = JSONSchemaReader.target(of: schema), visited.insert(target).inserted {
        open += [definition(target)].compactMap { $0 }
      }
      open += JSONSchemaReader.parts(of: schema).map(\.schema)
    }
    return found
  }
}
