import Encoding

/// One request, read as a whole.
struct IssuerRequest: Sendable {
  let method: String
  let path: String
  let query: String?
  let version: String
  /// In the order in which they came; names in lower case (RFC 9110 section 5.1).
  let fields: [(name: String, value: String)]
  var body: [UInt8] = []

  /// Whether another request may follow (RFC 9112 section 9.3).
  var keepsAlive: Bool {
    let connection = list("connection")
    return version == "HTTP/1.1" ? !connection.contains("close") : connection.contains("keep-alive")
  }

  /// The only value of a field; nil when it is absent or there more than once.
  subscript(name: String) -> String? {
    let found = values(of: name)
    return found.count == 1 ? found[0] : nil
  }

  func values(of name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

  /// The lower-case elements of a comma-separated field (RFC 9110 section 5.6.1).
  func list(_ name: String) -> [String] {
    values(of: name).flatMap { $0.split(separator: ",") }.map { ASCII.trimmed($0).lowercased() }
  }

  /// The media type of the content in lower case, without parameters.
  var mediaType: String? {
    self["content-type"]?.split(separator: ";").first.map { ASCII.trimmed($0).lowercased() }
  }

  /// Cookies of all ports of a host come together (RFC 6265 section 8.5): only values that this issuer could have made
  /// count.
  func cookie(_ name: String) -> String? {
    for pair in values(of: "cookie").flatMap({ $0.split(separator: ";") }) {
      let parts = pair.split(separator: "=", maxSplits: 1).map(ASCII.trimmed)
      if parts.count == 2, parts[0] == name, (try? Base64URL.decode(parts[1]))?.count == 32 { return parts[1] }
    }
    return nil
  }

  /// The parameters of a POST (RFC 6749 section 3.2), else those of the query.
  func parameters() throws -> IssuerParameters { method == "POST" ? try form() : try queryParameters() }

  func queryParameters() throws -> IssuerParameters { try IssuerParameters(encoded: Array((query ?? "").utf8)) }

  func form() throws -> IssuerParameters {
    try check(mediaType == "application/x-www-form-urlencoded", "invalid_request", "the content must be a form")
    return try IssuerParameters(encoded: body)
  }
}

/// The parameters of a form or a query. Values are printable ASCII (RFC 6749 appendix A), so `==` compares bytes.
struct IssuerParameters: Sendable {
  private var values: [String: [String]] = [:]

  /// No parameter comes twice, and one without a value counts as absent (RFC 6749 section 3.1), but for those that may be
  /// repeated (RFC 8707 section 2, RFC 8693 section 2.1).
  init(encoded bytes: [UInt8]) throws {
    let parsed = try? Form.parse(bytes.span, repeatable: ["resource", "audience"])
    let fields = try check(parsed, "invalid_request", "the parameters are malformed or one comes twice")
    for field in fields where !field.value.isEmpty {
      let areAllowed = field.name.utf8.allSatisfy(ASCII.isVisible) && field.value.utf8.allSatisfy(ASCII.isPrintable)
      try check(areAllowed, "invalid_request", "a parameter has characters that are not allowed")
      values[field.name, default: []].append(field.value)
    }
  }

  var names: [String] { values.keys.sorted() }

  subscript(name: String) -> String? { values[name]?.first }

  func all(_ name: String) -> [String] { values[name] ?? [] }

  func required(_ name: String) throws -> String {
    return try check(self[name], "invalid_request", "\(name) is missing")
  }

  /// The `scope` parameter: distinct values in the order asked for (RFC 6749 section 3.3); nil when there is none.
  func scope() throws -> [String]? {
    guard let text = self["scope"] else { return nil }
    return try check(Self.scope(text), "invalid_scope", "malformed scope")
  }

  /// At most 64 values of the characters that RFC 6749 section 3.3 allows; nil for another text.
  static func scope(_ text: String) -> [String]? {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let areAllowed = parts.allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy { ASCII.isVisible($0) && !"\"\\".utf8.contains($0) }
    }
    guard areAllowed, parts.count <= 64 else { return nil }
    return parts.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}

/// Classes of ASCII characters that the protocols name.
enum ASCII {
  /// Space and the visible characters.
  static func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }

  /// VCHAR of RFC 5234.
  static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }

  static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
  }

  /// A character of a token (RFC 9110 section 5.6.2).
  static func isToken(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte) }

  /// The bytes as a string when there are some and each is allowed.
  static func text(_ bytes: ArraySlice<UInt8>, _ isAllowed: (UInt8) -> Bool) -> String? {
    bytes.isEmpty || !bytes.allSatisfy(isAllowed) ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// The text without spaces and tabs at both ends.
  static func trimmed(_ text: some StringProtocol) -> String {
    let isSpace = { (character: Character) in character == " " || character == "\t" }
    return String(text.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
  }

  /// A number in plain decimal digits within the range; nil for anything else.
  static func number(_ text: String, in range: ClosedRange<Int>) -> Int? {
    guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let value = Int(text), range.contains(value)
    else { return nil }
    return value
  }
}
