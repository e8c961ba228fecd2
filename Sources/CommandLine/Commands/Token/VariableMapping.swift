internal import Encoding
internal import Wire

/// A variable of `--var` and its source.
final class VariableMapping: Sendable {
  let name: String
  let field: TokenField

  init(_ name: String, _ field: TokenField) {
    self.name = name
    self.field = field
  }

  /// Parses `NAME=FIELD`. ``VariableName`` must accept the name.
  init(_ text: String) throws(Failure) {
    guard let end = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
      throw Failure(.invalidRequest, "\"--var\" must be NAME=FIELD", hint: "agent help env")
    }
    name = String(text[..<end])
    guard VariableName.isWellFormed(text[..<end].utf8) else {
      throw Failure(
        .invalidRequest,
        "\"\(name)\" is not a valid variable name: use letters, digits and underscores, and no digit at the beginning")
    }
    guard !VariableName.isRefused(name) else {
      throw Failure(
        .invalidRequest, "shells or other programs use the variable \(name), so a token may not replace it",
        hint: "choose another name")
    }
    let spelling = String(text[text.utf8.index(after: end)...])
    guard let field = TokenField(spelling) else { throw Self.unknownField(spelling) }
    self.field = field
  }

  private static func unknownField(_ spelling: String) -> Failure {
    let known = TokenField.spellings
    let meant = Suggestion.candidates(for: spelling, among: known)
    let hint =
      meant.first.map { Phrase("did you mean \"\($0)\"?") }
      ?? Phrase("choose one of \(known.joined(separator: ", "))")
    return Failure(.invalidRequest, "unknown field \"\(spelling)\"", hint: hint)
  }

  func missing(in answer: TokenAnswer) -> Failure {
    let account = answer.description.account
    if field == .idToken, answer.description.isIDTokenExpired { return .expiringIDToken(of: account) }
    return Failure(
      .missingValue, "\(account) has no \(field.spelling), so \(name) is not set", hint: field.hint(account: account))
  }
}

extension TokenField {
  /// The hint if the value is missing; nil if only the server controls it.
  fileprivate func hint(account: String) -> Phrase? {
    switch self {
    case .idToken, .subject: Failure.idTokenHint(account: account)
    case .claim: Phrase("to see the claims: agent whoami \(account) --json")
    default: nil
    }
  }

  /// Calls `body` with the value or nil, then overwrites tokens. Claims other than strings are compact JSON, and `null`
  /// is nil (OpenID Connect Core 1.0, section 5.3.2).
  func withValue(
    in answer: TokenAnswer, from line: Span<UInt8>, _ body: (Span<UInt8>?) throws(Failure) -> Void
  ) throws(Failure) {
    switch self {
    case .accessToken:
      try SecretText.with(capacity: line.count) { (token) throws(Failure) in
        answer.appendAccessToken(from: line, to: &token)
        try TokenText.check(token.bytes.span, Phrase("access token"))
        try body(token.bytes.span)
      }
    case .idToken:
      try SecretText.with(capacity: line.count) { (token) throws(Failure) in
        guard answer.appendIDToken(from: line, to: &token) else { return try body(nil) }
        try TokenText.check(token.bytes.span, Phrase("ID Token"))
        try body(token.bytes.span)
      }
    case .claim(let name):
      guard let claim = answer.claim(name, from: line), claim != .null else { return try body(nil) }
      let bytes = claim.string.map { Array($0.utf8) } ?? claim.serialized()
      try body(bytes.span)
    default:
      guard let text = text(of: answer.description) else { return try body(nil) }
      try body(Array(text.utf8).span)
    }
  }

  /// Nil for tokens, claims and the token file.
  private func text(of description: TokenDescription) -> String? {
    switch self {
    case .tokenType: description.tokenType
    case .expiresAt: description.expiresAt.map { String($0) }
    case .issuer: description.issuer
    case .subject: description.subject
    case .account: description.account
    case .scope: description.scope
    case .accessToken, .idToken, .claim, .tokenFile: nil
    }
  }
}
