package import Encoding

/// Which token of an account to send or store.
package enum TokenKind: String, CaseIterable, Sendable {
  case accessToken = "access_token"
  case idToken = "id_token"
}

/// An entry of the setting `origins`: an origin or URL that may get the account's token, with options.
///
/// As text, a host, origin or URL without a query, then words `NAME=VALUE`: `https://git.example.com/team user=me
/// token=id_token`.
package struct OriginEntry: Sendable, Hashable {
  /// Normalized scheme, host and port (RFC 6454 section 6.2).
  package let origin: String
  /// Without a trailing slash; empty for the entire origin. Includes subpaths.
  package let path: String
  /// The user name to send.
  package private(set) var user: String?
  /// The token to send; nil for the protocol's default.
  package private(set) var token: TokenKind?
  /// The requested scope; empty for the account's.
  package private(set) var scope: [String] = []
  package private(set) var resources: [String] = []
  package private(set) var audience: String?
  /// Nil for the default.
  package private(set) var header: HeaderForm?

  /// Nil unless the origin is https or mail (with `allowHTTPLoopback` also plain http on this machine), and each word
  /// is known and has a value. Only `scope` and `resource` may be repeated.
  package init?(_ text: String, allowHTTPLoopback: Bool) {
    let words = text.utf8.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    guard let url = words.first, let uri = Self.uri(url),
      uri.isHTTPS || uri.isMail || (allowHTTPLoopback && uri.isHTTPLoopback), uri.query == nil, uri.fragment == nil,
      !uri.hasDotSegments
    else { return nil }
    origin = uri.origin
    var path = uri.path
    while path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
    self.path = path
    if uri.isMail, !path.isEmpty { return nil }
    for word in words.dropFirst() where !add(word) { return nil }
  }

  /// Parses a URL; https is the default scheme.
  package static func uri(_ text: String) -> URI? {
    let hasScheme =
      text.utf8.firstIndex(of: UInt8(ascii: ":")).map { text.utf8[$0...].starts(with: "://".utf8) } ?? false
    return try? URI(hasScheme ? text : "https://" + text)
  }

  /// Returns false if invalid.
  private mutating func add(_ word: String) -> Bool {
    guard let end = word.utf8.firstIndex(of: UInt8(ascii: "=")) else { return false }
    let value = String(word[word.utf8.index(after: end)...])
    guard !value.isEmpty, value.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return false }
    switch String(word[..<end]) {
    case "user" where user == nil: user = value
    case "token" where token == nil:
      token = TokenKind.allCases.first { $0.rawValue.hasSameBytes(as: value) }
      return token != nil
    case "audience" where audience == nil: audience = value
    case "resource": resources.append(value)
    case "scope": scope.append(value)
    case "header" where header == nil:
      header = HeaderForm(value)
      return header != nil
    default: return false
    }
    return true
  }

  package var isMail: Bool { Self.uri(origin)?.isMail ?? false }

  /// Whether the entry has no words `NAME=VALUE`.
  package var isBare: Bool { details.isEmpty }

  package var text: String { ([origin + path] + details).joined(separator: " ") }

  private var details: [String] {
    var words: [String] = []
    if let user { words.append("user=\(user)") }
    if let token { words.append("token=\(token.rawValue)") }
    words += scope.map { "scope=\($0)" } + resources.map { "resource=\($0)" }
    if let audience { words.append("audience=\(audience)") }
    if let header { words.append("header=\(header.text)") }
    return words
  }

  package func withScope(_ scope: [String]) -> OriginEntry {
    var entry = self
    entry.scope = scope
    return entry
  }

  package func hasSameLocation(as other: OriginEntry) -> Bool {
    origin.hasSameBytes(as: other.origin) && path.hasSameBytes(as: other.path)
  }

  /// Whether a path is at or below the entry's. An entry with a path covers none with `.` or `..`, which servers may
  /// interpret differently.
  package func covers(_ other: String) -> Bool {
    if path.isEmpty { return true }
    guard !URI.hasDotSegments(inPath: other), other.utf8.starts(with: path.utf8) else { return false }
    let rest = other.utf8.dropFirst(path.utf8.count)
    return rest.isEmpty || rest.first == UInt8(ascii: "/")
  }
}

extension URI {
  /// Whether this is a mail server with TLS (RFC 8314), not HTTP.
  package var isMail: Bool { ["imaps", "submission", "submissions"].contains { hasScheme($0) } }
}

/// The header field for a token. As text, `SCHEME` means `Authorization: SCHEME TOKEN`, `NAME:` means `NAME: TOKEN`,
/// and `NAME:SCHEME` means `NAME: SCHEME TOKEN`. `Basic` sends user name and token (RFC 7617).
package struct HeaderForm: Sendable, Hashable {
  package let name: String
  /// The scheme before the token; empty if none.
  package let scheme: String

  package static let bearer = HeaderForm(name: "Authorization", scheme: "Bearer")

  private init(name: String, scheme: String) {
    self.name = name
    self.scheme = scheme
  }

  /// Nil if name or scheme is not a token (RFC 9110 section 5.6.2), or the field is not for credentials.
  package init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    let words = parts.map { String(decoding: $0, as: UTF8.self) }
    let isUsual = words.count == 1 || words[0].lowercased() == "authorization"
    self.init(name: isUsual ? Self.bearer.name : words[0], scheme: words[words.count - 1])
    guard Self.isToken(name), scheme.isEmpty ? words.count == 2 : Self.isToken(scheme),
      !["host", "content-length", "transfer-encoding", "connection", "dpop"].contains(name.lowercased())
    else { return nil }
  }

  /// Whether this is a token in the sense of RFC 9110 section 5.6.2.
  private static func isToken(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy(\.isTokenCharacter)
  }

  package var isBasic: Bool { scheme.lowercased() == "basic" }

  package var isAuthorization: Bool { name.hasSameBytes(as: Self.bearer.name) }

  package var text: String { isAuthorization && !scheme.isEmpty ? scheme : "\(name):\(scheme)" }
}
