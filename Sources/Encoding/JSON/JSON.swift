/// A JSON value that is not secret. Strings are equal if their UTF-8 bytes are (RFC 8259 section 8.3).
package enum JSON: Sendable, Hashable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSON])
  case object(JSONObject)

  package init(parsing bytes: Span<UInt8>, limits: JSONLimits = .standard) throws(JSONError) {
    self = try JSONLayout(parsing: bytes, limits: limits).root.value(in: bytes)
  }

  package init(parsing bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONError) {
    try self.init(parsing: bytes.span, limits: limits)
  }

  package static func int(_ value: Int) -> JSON {
    .number(JSONNumber(value))
  }

  /// Compact JSON.
  package func serialized() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(json: self)
    return bytes
  }

  // MARK: Reading

  package var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  package var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  package var array: [JSON]? {
    if case .array(let value) = self { value } else { nil }
  }

  package var object: JSONObject? {
    if case .object(let value) = self { value } else { nil }
  }

  package var number: JSONNumber? {
    if case .number(let value) = self { value } else { nil }
  }

  /// The number, if exactly an `Int`.
  package var int: Int? { number?.int }

  /// Nil if absent or not an object.
  package subscript(name: String) -> JSON? { object?[name] }

  // MARK: Comparing

  package static func == (one: JSON, other: JSON) -> Bool {
    switch (one, other) {
    case (.null, .null): true
    case (.bool(let one), .bool(let other)): one == other
    case (.number(let one), .number(let other)): one == other
    case (.string(let one), .string(let other)): one.hasSameBytes(as: other)
    case (.array(let one), .array(let other)): one == other
    case (.object(let one), .object(let other)): one == other
    default: false
    }
  }
}

// MARK: Literals

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) {
    self = .string(value)
  }

  package init(integerLiteral value: Int) {
    self = .int(value)
  }

  package init(booleanLiteral value: Bool) {
    self = .bool(value)
  }

  package init(arrayLiteral elements: JSON...) {
    self = .array(elements)
  }

  package init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(JSONObject(elements))
  }
}
