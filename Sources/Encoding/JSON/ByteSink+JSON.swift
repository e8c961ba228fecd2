extension ByteSink where Self: ~Copyable {
  /// Writes compact JSON, with members in their order.
  package mutating func append(json value: JSON) {
    switch value {
    case .null: append(utf8: "null")
    case .bool(let value): append(utf8: value ? "true" : "false")
    case .number(let value): append(utf8: value.text)
    case .string(let value): append(jsonString: value)
    case .array(let elements): append(jsonArray: elements)
    case .object(let object): append(jsonObject: object)
    }
  }

  private mutating func append(jsonArray elements: [JSON]) {
    append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      append(json: element)
    }
    append(UInt8(ascii: "]"))
  }

  private mutating func append(jsonObject object: JSONObject) {
    append(UInt8(ascii: "{"))
    for (index, member) in object.members.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      append(jsonString: member.name)
      append(UInt8(ascii: ":"))
      append(json: member.value)
    }
    append(UInt8(ascii: "}"))
  }

  /// Writes a comma and a member, or nothing if the value is nil.
  package mutating func append(member name: String, _ value: JSON?) {
    guard let value else { return }
    append(utf8: ",\"\(name)\":")
    append(json: value)
  }

  /// Writes a comma and a string member that may be secret, or nothing if nil.
  package mutating func append(member name: String, bytes: Span<UInt8>?) {
    guard let bytes else { return }
    append(utf8: ",\"\(name)\":")
    append(jsonStringBytes: bytes)
  }

  /// Writes a quoted JSON string.
  package mutating func append(jsonString text: String) {
    let view = text.utf8
    append(jsonStringBytes: view.span)
  }

  /// Writes well-formed UTF-8 as a quoted JSON string. Beyond RFC 8259 section 7, escapes what
  /// ``TerminalText/controlLength(_:at:)`` finds, for safe display on one line. Keeps "/".
  package mutating func append(jsonStringBytes bytes: Span<UInt8>) {
    append(UInt8(ascii: "\""))
    var runStart = 0
    var index = 0
    while index < bytes.count {
      let length = JSONEscape.lengthToEscape(bytes, at: index)
      if length > 0 {
        append(contentsOf: bytes.extracting(runStart..<index))
        JSONEscape.encode(bytes, at: index, to: &self)
        runStart = index + length
      }
      index += max(length, 1)
    }
    append(contentsOf: bytes.extracting(runStart..<bytes.count))
    append(UInt8(ascii: "\""))
  }
}
