internal import Wire

/// A variable that `--var` names, and what it gets.
struct VariableMapping: Sendable, Hashable {
  let name: String
  let field: TokenField

  /// Reads `NAME=FIELD`.
  ///
  /// - Throws: `invalid_request` for anything else, and for a name that ``VariableName`` refuses.
  init(_ text: String) throws(Failure) {
    guard let end = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
      throw Failure(.invalidRequest, "\"--var\" takes NAME=FIELD", hint: "agent help env")
    }
    name = String(text[..<end])
    guard VariableName.isWellFormed(text[..<end].utf8) else {
      throw Failure(
        .invalidRequest, "\"\(name)\" is no name for a variable: it takes letters, digits and underscores")
    }
    guard !VariableName.isRefused(name) else {
      throw Failure(
        .invalidRequest, "the variable \(name) decides what programs run, so no server may choose its value")
    }
    let spelling = String(text[text.utf8.index(after: end)...])
    guard let field = TokenField(spelling) else { throw Self.unknownField(spelling) }
    self.field = field
  }

  private static func unknownField(_ spelling: String) -> Failure {
    let known = TokenField.spellings
    let meant = Suggestion.candidates(for: spelling, among: known)
    let hint = meant.isEmpty ? "choose one of \(known.joined(separator: ", "))" : "did you mean \"\(meant[0])\"?"
    return Failure(.invalidRequest, "unknown field \"\(spelling)\"", hint: hint)
  }

  /// That the session has no value for it.
  func missing(in answer: TokenAnswer) -> Failure {
    let account = answer.description.account
    return Failure(
      .missingValue, "\(account) has no \(field.spelling), so \(name) is not set", hint: field.hint(account: account))
  }
}

extension TokenField {
  /// What helps when there is no value; nil for what is the server's choice alone.
  fileprivate func hint(account: String) -> String? {
    switch self {
    case .idToken, .subject: TokenText.idTokenHint(account: account)
    case .claim: "to see the claims: agent whoami \(account) --json"
    default: nil
    }
  }
}
