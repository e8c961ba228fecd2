/// How a server's responses differ from the standards.
package struct ResponseFormat: Sendable, Hashable {
  /// How responses separate scope values.
  package enum ScopeForm: Sendable { case spaces, commas, array }

  package var scope = ScopeForm.spaces
  /// Whether token type `user` means Bearer.
  package var allowsUserTokenType = false
  /// Whether `message` is the error code in responses with a member `status`.
  package var hasErrorInMessage = false
  /// Maps lowercase error codes or descriptions to standard codes.
  package var errorNames: [String: String] = [:]
  /// `error` values or beginnings of descriptions for an invalid refresh token.
  package var deadRefreshTokens: [String] = []
  /// Whether an invalid refresh token gets a 400 without error code.
  package var omitsErrorForInvalidToken = false

  package init() {}

  func meansInvalidRefreshToken(_ error: String?, description: String?) -> Bool {
    deadRefreshTokens.contains { known in
      error == known
        || description.map { $0.utf8.starts(with: known.utf8) } ?? false
    }
  }

  /// The standard error code, or `error` if unknown.
  func standardName(_ error: String, description: String?) -> String {
    errorNames[error.lowercased()] ?? description.flatMap { errorNames[$0.lowercased()] } ?? error
  }
}
