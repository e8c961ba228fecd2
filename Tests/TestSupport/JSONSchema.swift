package import Encoding

/// A JSON Schema, as far as the schemas of this package go: a small part of the dialect 2020-12.
///
/// It is read strictly. A keyword that is not known, a reference to nothing, or an object whose
/// `properties` leave open whether there may be others is refused, so that a mistake in a schema does
/// not make it accept more.
package struct JSONSchema: Sendable {
  /// Why a text is no schema that this reader understands.
  package struct Fault: Error, Hashable, Sendable {
    package let place: String
    package let problem: String

    package init(_ place: String, _ problem: String) {
      self.place = place
      self.problem = problem
    }
  }

  private let root: JSON

  /// Reads a schema.
  ///
  /// - Throws: ``Fault``, or `JSONError` for what is no JSON.
  package init(parsing bytes: [UInt8]) throws {
    root = try JSON(parsing: bytes)
    try JSONSchemaReader(root: root).check()
  }

  /// The names of all definitions, in order.
  package var names: [String] { root["$defs"]?.object?.names ?? [] }

  /// The definition of a name.
  package func definition(_ name: String) -> JSON? { root["$defs"]?[name] }

  /// What is wrong with a value, by a definition; empty when it is valid.
  ///
  /// Each is a line that begins with the place in the value, such as `.accounts[0].name`.
  package func violations(of value: JSON, by name: String) -> [String] {
    guard let definition = definition(name) else { return ["there is no definition \"\(name)\""] }
    return JSONSchemaValidator(root: root).violations(of: value, at: "", by: definition)
  }

  /// The names of all members that a definition speaks of, at any depth.
  package func members(of name: String) -> Set<String> {
    collect(from: name) { schema in schema["properties"]?.object?.names ?? [] }
  }

  /// The texts that a definition wants to find word by word, at any depth.
  package func words(of name: String) -> Set<String> {
    collect(from: name) { schema in
      ([schema["const"]].compactMap { $0 } + (schema["enum"]?.array ?? [])).compactMap(\.string)
    }
  }

  /// The members of a definition with the ways to them: `accounts[].name`.
  package func paths(of name: String) -> Set<String> {
    definition(name).map { paths(in: $0, after: "", depth: 0) } ?? []
  }

  private func paths(in schema: JSON, after prefix: String, depth: Int) -> Set<String> {
    // A definition that contains itself ends somewhere.
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
