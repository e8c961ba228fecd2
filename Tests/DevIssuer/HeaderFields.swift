/// The header fields of a request, in order. Names are kept in lower case (RFC 9110 section 5.1).
struct HeaderFields: Sendable, Hashable {
  struct Field: Sendable, Hashable {
    let name: String
    let value: String
  }

  /// More fields than this end the connection.
  static let limit = 64

  private(set) var fields: [Field] = []

  /// The only value of a field; nil when it is absent or there more than once.
  subscript(name: String) -> String? {
    let found = values(of: name)
    return found.count == 1 ? found[0] : nil
  }

  func values(of name: String) -> [String] {
    fields.filter { $0.name == name }.map(\.value)
  }

  /// The lower-case elements of a comma-separated field (RFC 9110 section 5.6.1).
  func list(_ name: String) -> [String] {
    values(of: name)
      .flatMap { $0.split(separator: ",") }
      .map { ASCII.trimmed($0).lowercased() }
  }

  /// Adds one line of the head, without its line end. The name is a token and the value has no
  /// control character; folded lines are refused (RFC 9112 section 5).
  mutating func append(line: ArraySlice<UInt8>) throws(RequestError) {
    guard fields.count < Self.limit else { throw .headTooLarge }
    guard let colon = line.firstIndex(of: ASCII.colon), colon > line.startIndex,
      line[..<colon].allSatisfy(ASCII.isToken),
      let value = ASCII.text(line[(colon + 1)...], allowing: { $0 == ASCII.tab || ASCII.isPrintable($0) }),
      let name = ASCII.text(line[..<colon], allowing: ASCII.isToken)
    else { throw .malformed }
    fields.append(Field(name: name.lowercased(), value: ASCII.trimmed(value[...])))
  }
}
