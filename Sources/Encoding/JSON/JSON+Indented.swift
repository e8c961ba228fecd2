extension JSON {
  /// Text for users: a line per member and element, two spaces per level, no trailing newline.
  package var indented: String { indented(by: "\n") }

  /// `lineBreak` is a newline and this value's indentation.
  private func indented(by lineBreak: String) -> String {
    let inner = lineBreak + "  "
    switch self {
    case .array(let elements) where !elements.isEmpty:
      return "[" + elements.map { inner + $0.indented(by: inner) }.joined(separator: ",") + lineBreak + "]"
    case .object(let object) where !object.isEmpty:
      let members = object.names.map { name in
        inner + JSON.string(name).text + ": " + (object[name] ?? .null).indented(by: inner)
      }
      return "{" + members.joined(separator: ",") + lineBreak + "}"
    default: return text
    }
  }

  private var text: String { String(decoding: serialized(), as: UTF8.self) }
}
