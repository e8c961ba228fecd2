internal import Encoding
internal import Wire

/// Another program's credential protocol, as pure functions. ``HelperCommand`` asks the daemon.
struct HelperProtocol: Sendable {
  enum Input: Sendable {
    case nothing
    /// Up to an empty line or the end of input.
    case paragraph
    case everything
    /// One request per line until the end of input.
    case conversation
  }

  /// How much input to read, given the arguments.
  var input: @Sendable ([String]) -> Input = { _ in .nothing }
  /// The first line of a conversation.
  var greeting = ""
  /// Formats a failure. The string describes it to users.
  var failureOutput: @Sendable (Failure, String, HelperCall) -> HelperFailureOutput = { _, _, _ in HelperFailureOutput()
  }
  let request: @Sendable (HelperCall) throws(Failure) -> HelperRequest
}

struct HelperCall: Sendable {
  var arguments: [String] = []
  var input: [UInt8] = []
  var url: String?
  var user: String?
  /// The role's ARN.
  var role: String?
  var sessionName: String?
  var durationSeconds: Int?
  var variable: @Sendable (String) -> String? = { _ in nil }

  /// The limit for standard input.
  static let maximumBytes = 1 << 20

  /// Whether all programs parse the same host from a URL or `HOST[:PORT][/PATH]`: no user name, query, fragment,
  /// backslash, space or control character before the path.
  static func namesPlainHost(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let start = bytes.indices.first { bytes[$0...].starts(with: "://".utf8) }.map { $0 + 3 } ?? 0
    let authority = bytes[start...].prefix { $0 != UInt8(ascii: "/") }
    return isPlainHost(authority) && bytes.allSatisfy { $0 > 0x20 && $0 != 0x7F }
  }

  /// Whether all programs parse the same host and port from `host`.
  static func isPlainHost(_ host: some Sequence<UInt8>) -> Bool {
    var isEmpty = true
    for byte in host {
      if isEmpty, byte == UInt8(ascii: ":") { return false }
      if byte <= 0x20 || byte == 0x7F || "/?#@\\".utf8.contains(byte) { return false }
      isEmpty = false
    }
    return !isEmpty
  }
}

enum HelperRequest {
  /// Writes a credential from its description and token.
  typealias Writer = (HelperCredential, Span<UInt8>, inout SecretText) throws(Failure) -> Void

  /// `account` is the caller's choice, if any.
  case token(TokenRequest.Destination, account: String? = nil, Writer)
  /// A token for each listed URL.
  case tokens(Writer)
  /// Formats the URLs and user names.
  case listedURLs(([(url: String, user: String)]) -> String)
  /// Formats role credentials. The span is the response line with the secrets.
  case role(AssumeRoleRequest, (RoleAnswer, Span<UInt8>, inout SecretText) -> Void)
  /// Drops a credential that a server rejected.
  case erase(url: String, secret: [UInt8])
  case text(String)
  /// Passes the request to the next program of this name on `PATH`.
  case nextProgram(String)
}

/// A token's description, without the token.
struct HelperCredential: Sendable, Hashable {
  /// The default user name, ignored by most servers.
  static let anyUser = "oauth2"

  var account: String
  var kind: TokenKind
  /// The listed URL that the token is for; nil if the request named none.
  var listedURL: String?
  /// The user name in the settings, if any.
  var user: String?
  var header: HeaderForm
  /// In Unix seconds.
  var expiresAt: Int?
}

struct HelperFailureOutput: Sendable, Hashable {
  var output = ""
  /// Whether to print nothing on standard error, for an expected failure.
  var isSilent = false
  /// The exit status; nil for the failure's own.
  var status: Int32?
  /// The program to run instead, if another of this name exists.
  var nextProgram: String?
}

extension HelperCredential {
  /// Throws `token_not_bound` for a DPoP token: programs cannot provide the proofs.
  init(_ answer: TokenAnswer) throws(Failure) {
    guard let use = answer.description.use else { throw Reply.unreadable }
    account = answer.description.account
    kind = use.kind
    listedURL = use.destination
    user = use.user
    header = use.header ?? .bearer
    expiresAt = use.expiresAt
    guard kind == .idToken || answer.description.tokenType.lowercased() == "bearer" else {
      throw Failure(
        .tokenNotBound,
        "the access token of \(account) needs a proof with each request, which this program cannot provide",
        hint: Phrase(
          verbatim: (["agent", "request", "--account", account] + [listedURL].compactMap { $0 }).map(ShellWord.quoted)
            .joined(separator: " ")))
    }
  }

  /// The user name in the settings, else `asked`, else a default.
  func user(requested asked: String?) throws(Failure) -> String {
    let user = self.user ?? asked ?? Self.anyUser
    guard user.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw Failure(.invalidRequest, "the user name contains invalid characters")
    }
    return user
  }

  /// Throws `invalid_request` if `--user` has no effect.
  func checkUnused(_ asked: String?) throws(Failure) {
    guard asked == nil || user != nil else {
      throw Failure(
        .invalidRequest, "this program does not expect a user name", hint: "omit \("--user")")
    }
  }

  /// `asked` is the user name for Basic authentication.
  func appendHeaderValue(_ token: Span<UInt8>, for asked: String?, to text: inout SecretText) throws(Failure) {
    if !header.isBasic { try checkUnused(asked) }
    if !header.scheme.isEmpty { text.append(utf8: header.scheme + " ") }
    guard header.isBasic else { return text.append(contentsOf: token) }
    let user = try user(requested: asked)
    SecretText.with(capacity: user.utf8.count + token.count + 1) { pair in
      pair.append(utf8: user + ":")
      pair.append(contentsOf: token)
      Base64.append(pair.bytes.span, to: &text)
    }
  }

  func appendHeaderLine(_ token: Span<UInt8>, for asked: String?, to text: inout SecretText) throws(Failure) {
    text.append(utf8: header.name + ": ")
    try appendHeaderValue(token, for: asked, to: &text)
    text.append(utf8: "\n")
  }

  func appendHeaderJSON(_ token: Span<UInt8>, for asked: String?, to text: inout SecretText) throws(Failure) {
    try SecretText.with(capacity: 2 * token.count + 128) { (value) throws(Failure) in
      try appendHeaderValue(token, for: asked, to: &value)
      text.append(jsonStringBytes: value.bytes.span)
    }
  }
}
