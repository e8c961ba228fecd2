/// How a server's responses differ from the standards.
package struct AnswerShape: Sendable, Hashable {
  package enum ScopeForm: Sendable { case spaces, commas, array }

  package var scope = ScopeForm.spaces
  /// Whether `user` means a Bearer token.
  package var hasUserTokens = false
  /// Whether `message` contains the error, if present.
  package var hasErrorInMessage = false
  /// Standard error codes by the server's codes or descriptions, in lowercase.
  package var errorNames: [String: String] = [:]
  /// Refresh errors that require a sign-in: values of `error`, or beginnings of the description.
  package var deadRefreshTokens: [String] = []
  /// Whether a refresh with a dead refresh token gets a 400 without an error.
  package var hasDeadTokensWithoutError = false

  package init() {}

  /// Whether a failed refresh is due to the refresh token, by the server's own codes.
  func isAboutRefreshToken(_ error: String?, description: String?) -> Bool {
    deadRefreshTokens.contains { known in
      error.map { $0.utf8.elementsEqual(known.utf8) } ?? false
        || description.map { $0.utf8.starts(with: known.utf8) } ?? false
    }
  }

  /// The standard error code, or the given one if it is unknown.
  func standardName(_ error: String, description: String?) -> String {
    errorNames[error.lowercased()] ?? description.flatMap { errorNames[$0.lowercased()] } ?? error
  }
}
