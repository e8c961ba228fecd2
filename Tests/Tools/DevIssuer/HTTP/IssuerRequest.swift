import Encoding

struct IssuerRequest: Sendable {
  let method: String
  let path: String
  let query: String?
  let version: String
  /// In the order received, with lowercase names (RFC 9110 section 5.1).
  let fields: [(name: String, value: String)]
  var body: [UInt8] = []

  /// Whether another request may follow (RFC 9112 section 9.3).
  var keepsAlive: Bool {
    let connection = list("connection")
    return version == "HTTP/1.1" ? !connection.contains("close") : connection.contains("keep-alive")
  }

  /// A field's value; nil if absent or repeated.
  subscript(name: String) -> String? {
    let found = values(of: name)
    return found.count == 1 ? found[0] : nil
  }

  func values(of name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

  /// The lowercase elements of a comma-separated field (RFC 9110 section 5.6.1).
  func list(_ name: String) -> [String] {
    values(of: name).flatMap { $0.split(separator: ",") }.map { ASCII.trimmed($0).lowercased() }
  }

  /// The content's media type in lowercase, without parameters.
  var mediaType: String? {
    self["content-type"]?.split(separator: ";").first.map { ASCII.trimmed($0).lowercased() }
  }

  /// Ignores values that this issuer cannot have created, since browsers send the cookies of all ports of a host (RFC
  /// 6265 section 8.5).
  func cookie(_ name: String) -> String? {
    values(of: "cookie").flatMap { $0.split(separator: ";") }.map { ASCII.halves(ASCII.trimmed($0), at: "=") }
      .first { $0.0 == name && (try? Base64URL.decode($0.1 ?? ""))?.count == 32 }?.1
  }

  /// Of the form in a POST (RFC 6749 section 3.2), or else of the query.
  func parameters() throws -> IssuerParameters { method == "POST" ? try form() : try queryParameters() }

  func queryParameters() throws -> IssuerParameters { try IssuerParameters(encoded: Array((query ?? "").utf8)) }

  func form() throws -> IssuerParameters {
    try check(mediaType == "application/x-www-form-urlencoded", "invalid_request", "the content must be a form")
    return try IssuerParameters(encoded: body)
  }
}

extension IssuerRequest {
  private static let fieldLimit = 64

  /// Parses a request line and header fields, without the empty line after them (RFC 9112 sections 3 and 5).
  init(head: [UInt8]) throws {
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
    let parts = lines[0].split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let isMade = parts.count == 3 && ASCII.isToken(parts[0]) && parts[1].hasPrefix("/") && ASCII.isVisible(parts[1])
    if !isMade { throw Refusal(unreadable: 400) }
    if !["HTTP/1.1", "HTTP/1.0"].contains(parts[2]) { throw Refusal(unreadable: 505) }
    if lines.count > 1 + Self.fieldLimit { throw Refusal(unreadable: 431) }
    (method, version) = (parts[0], parts[2])
    (path, query) = ASCII.halves(parts[1], at: "?")
    fields = try lines.dropFirst().map { line in
      // No space precedes the colon, and there are no folded lines (section 5).
      guard case let (name, value?) = ASCII.halves(line, at: ":"), ASCII.isToken(name),
        value.utf8.allSatisfy({ $0 == 0x09 || ASCII.isPrintable($0) })
      else { throw Refusal(unreadable: 400) }
      return (name.lowercased(), ASCII.trimmed(value))
    }
  }
}

/// The parameters of a form or query. Values are printable ASCII (RFC 6749 appendix A), so `==` compares bytes.
struct IssuerParameters: Sendable {
  private var values: [String: [String]] = [:]

  /// Rejects repeated parameters except some (RFC 8707 section 2, RFC 8693 section 2.1), and ignores empty ones (RFC
  /// 6749 section 3.1).
  init(encoded bytes: [UInt8]) throws {
    let parsed = try? Form.parse(bytes.span, repeatable: ["resource", "audience"])
    let fields = try check(parsed, "invalid_request", "the parameters are malformed or one comes twice")
    for field in fields where !field.value.isEmpty {
      let areAllowed = ASCII.isVisible(field.name) && field.value.utf8.allSatisfy(ASCII.isPrintable)
      try check(areAllowed, "invalid_request", "a parameter has characters that are not allowed")
      values[field.name, default: []].append(field.value)
    }
  }

  var names: [String] { values.keys.sorted() }

  subscript(name: String) -> String? { values[name]?.first }

  func all(_ name: String) -> [String] { values[name] ?? [] }

  func required(_ name: String) throws -> String {
    try check(self[name], "invalid_request", "\(name) is missing")
  }

  /// A parameter's words, separated by spaces.
  func words(_ name: String) -> [String] { (self[name] ?? "").split(separator: " ").map(String.init) }

  static let defaultScope = ["openid", "profile", "email"]
  /// Scope values that have no meaning without a user.
  static let userScopes = defaultScope + ["offline_access"]

  /// The values in order, without duplicates (RFC 6749 section 3.3); nil if absent.
  func scope() throws -> [String]? {
    try self["scope"].map { try check(Self.scope($0), "invalid_scope", "malformed scope") }
  }

  /// At most 64 values of the characters allowed by RFC 6749 section 3.3; nil for other texts.
  static func scope(_ text: String) -> [String]? {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let areAllowed = parts.allSatisfy { ASCII.isVisible($0) && !$0.contains { "\"\\".contains($0) } }
    guard areAllowed, parts.count <= 64 else { return nil }
    return parts.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}

enum ASCII {
  static func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }

  /// True for one or more VCHAR (RFC 5234).
  static func isVisible(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }

  /// RFC 9110 section 5.6.2.
  static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains($0) }
  }

  static func trimmed(_ text: some StringProtocol) -> String {
    let isSpace = { (character: Character) in character == " " || character == "\t" }
    return String(text.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
  }

  /// The parts before and after a mark; the second is nil without the mark.
  static func halves(_ text: some StringProtocol, at mark: Character) -> (String, String?) {
    guard let place = text.firstIndex(of: mark) else { return (String(text), nil) }
    return (String(text[..<place]), String(text[text.index(after: place)...]))
  }

  /// A plain decimal number in the range; nil for other texts.
  static func number(_ text: String, in range: ClosedRange<Int>) -> Int? {
    let isNumber = (1...18).contains(text.utf8.count) && text.utf8.allSatisfy(\.isASCIIDigit)
    return isNumber ? Int(text).flatMap { range.contains($0) ? $0 : nil } : nil
  }
}
