import Encoding
import TestSupport
import Testing

@Suite struct `A schema` {
  private static let dialect = #""$schema": "https://json-schema.org/draft/2020-12/schema""#

  /// A schema with one definition, `x`, and one to refer to.
  private static func schema(_ definition: String) throws -> JSONSchema {
    let others = ##""name": {"type": "string"}, "again": {"$ref": "#/$defs/name"}"##
    let text = #"{\#(dialect), "$defs": {"x": \#(definition), \#(others)}}"#
    return try JSONSchema(parsing: Array(text.utf8))
  }

  private static func violations(_ value: String, _ definition: String) throws -> [String] {
    try schema(definition).violations(of: JSON(parsing: Array(value.utf8)), by: "x")
  }

  private static let person =
    ##"{"type": "object", "properties": {"name": {"$ref": "#/$defs/name"}, "age": {"type": "integer", "minimum": 0}},"##
    + #" "required": ["name"], "additionalProperties": false}"#

  static let valid: [(value: String, definition: String)] = [
    ("1", #"{"type": "integer"}"#), ("1.0", #"{"type": "integer"}"#), ("1.5", #"{"type": "number"}"#),
    ("null", #"{"type": "null"}"#), ("true", #"{"type": "boolean"}"#), ("[]", #"{"type": "array"}"#),
    (#""a""#, #"{"enum": ["a", "b"]}"#), ("1", #"{"const": 1}"#), ("0", #"{"minimum": 0}"#),
    (#""low""#, #"{"minimum": 7}"#), (#""ab1""#, #"{"pattern": "^[a-z]+[0-9]?$"}"#), ("7", #"{"pattern": "^[a-z]+$"}"#),
    (#"{"name": "Ann"}"#, person), (#"{"age": 7, "name": "Ann"}"#, person),
    (#"{"a": 1, "b": 2}"#, #"{"type": "object", "additionalProperties": {"type": "integer"}}"#),
    (#"{"a": 1}"#, #"{"type": "object", "additionalProperties": true}"#),
    ("[1, 2]", #"{"items": {"type": "integer"}}"#),
    ("1", #"{"oneOf": [{"type": "integer"}, {"type": "string"}]}"#), ("true", #"{"description": "anything"}"#),
  ]

  @Test(arguments: valid) func `accepts what it describes`(value: String, definition: String) throws {
    #expect(try Self.violations(value, definition) == [])
  }

  static let invalid: [(value: String, definition: String, violations: [String])] = [
    ("1.5", #"{"type": "integer"}"#, [": is not of type integer"]),
    (#""1""#, #"{"type": "number"}"#, [": is not of type number"]),
    ("null", #"{"type": "object", "additionalProperties": true}"#, [": is not of type object"]),
    (#""c""#, #"{"enum": ["a", "b"]}"#, [#": "c" is none of ["a","b"]"#]),
    ("2", #"{"const": 1}"#, [": is not 1"]), ("-1", #"{"minimum": 0}"#, [": is less than 0"]),
    (#""ab1c""#, #"{"pattern": "^[a-z]+[0-9]?$"}"#, [#": "ab1c" does not match ^[a-z]+[0-9]?$"#]),
    (#""a\n""#, #"{"pattern": "^[a-z]+$"}"#, [#": "a\n" does not match ^[a-z]+$"#]),
    (#"{"age": -7}"#, person, [".name: is missing", ".age: is less than 0"]),
    (#"{"name": 1}"#, person, [".name: is not of type string"]),
    (#"{"name": "Ann", "Age": 7}"#, person, [".Age: is not described"]),
    (
      #"{"a": "1"}"#, #"{"type": "object", "additionalProperties": {"type": "integer"}}"#,
      [".a: is not of type integer"]
    ),
    (#"[1, "2"]"#, #"{"items": {"type": "integer"}}"#, ["[1]: is not of type integer"]),
    ("1", #"{"oneOf": [{"minimum": 0}, {"minimum": 1}]}"#, [": fits 2 of the alternatives, not one"]),
    (
      "null", #"{"oneOf": [{"type": "integer"}, {"type": "string"}]}"#,
      [": fits none of 2 alternatives", ": is not of type integer"]
    ),
  ]

  @Test(arguments: invalid) func `refuses everything else, and says where`(
    value: String, definition: String, violations: [String]
  ) throws {
    #expect(try Self.violations(value, definition) == violations)
  }

  @Test func `has no definition but its own`() throws {
    #expect(try Self.schema("{}").violations(of: 1, by: "y") == [#"there is no definition "y""#])
    #expect(try Self.schema("{}").names == ["x", "name", "again"])
  }

  /// The dialect treats an unknown keyword as an annotation, so a misspelt one would check nothing.
  static let faults: [(definition: String, place: String, problem: String)] = [
    (#"{"requird": ["a"]}"#, "/x", #"has the unknown keyword "requird""#),
    (#"{"maximum": 1}"#, "/x", #"has the unknown keyword "maximum""#),
    (#"{"type": "text"}"#, "/x", #"has a "type" that is not one"#),
    (#"{"enum": []}"#, "/x", #"has a "enum" that is not one"#),
    (#"{"oneOf": [{}, {}]}"#, "/x", #"has a "oneOf" that is not one"#),
    (#"{"minimum": 0.5}"#, "/x", #"has a "minimum" that is not one"#),
    (#"{"pattern": "[a-z]"}"#, "/x", #"has a "pattern" that is not one"#),
    (#"{"pattern": "^[a-z$"}"#, "/x", #"has a "pattern" that is not one"#),
    (#"{"pattern": "^\\d$"}"#, "/x", #"has a "pattern" that is not one"#),
    (##"{"$ref": "#/x"}"##, "/x", #"has a "$ref" that is not one"#),
    (##"{"$ref": "#/$defs/y"}"##, "/x", #"refers to "y", which is not there"#),
    (##"{"$ref": "#/$defs/again"}"##, "/x", #"refers to "again", which refers on"#),
    ("true", "/x", "is no object"),
    (#"{"type": "object"}"#, "/x", "does not say whether there may be other members"),
    (#"{"properties": {}}"#, "/x", "does not say whether there may be other members"),
    (
      #"{"properties": {}, "required": ["a"], "additionalProperties": false}"#, "/x",
      #"requires "a", which it does not describe"#
    ),
    (#"{"items": {"a": 1}}"#, "/x/items", #"has the unknown keyword "a""#),
    (#"{"oneOf": [{}, {"a": 1}]}"#, "/x/oneOf/1", #"has the unknown keyword "a""#),
    (
      #"{"properties": {"b": {"a": 1}}, "additionalProperties": false}"#, "/x/properties/b",
      #"has the unknown keyword "a""#
    ),
    (#"{"additionalProperties": {"a": 1}}"#, "/x/additionalProperties", #"has the unknown keyword "a""#),
  ]

  @Test(arguments: faults) func `is refused when it is not understood whole`(
    definition: String, place: String, problem: String
  ) {
    #expect(throws: JSONSchema.Fault(place, problem)) { try Self.schema(definition) }
  }

  static let headFaults: [(text: String, problem: String)] = [
    ("[]", "is no object"), ("{}", "is not of the dialect 2020-12"), (#"{\#(dialect)}"#, "has no definitions"),
    (#"{\#(dialect), "$defs": {}, "type": "object"}"#, #"has "type" beside its definitions"#),
  ]

  @Test(arguments: headFaults) func `is refused when it is none`(text: String, problem: String) {
    #expect(throws: JSONSchema.Fault("", problem)) { try JSONSchema(parsing: Array(text.utf8)) }
  }

  @Test func `knows its members and words at any depth`() throws {
    let schema = try Self.schema(
      ##"{"oneOf": [{"$ref": "#/$defs/name"}, {"items": \##(Self.person)}, {"const": "one"}, {"enum": ["two", 3]}]}"##)
    #expect(schema.members(of: "x") == ["name", "age"])
    #expect(schema.words(of: "x") == ["one", "two"])
  }
}
