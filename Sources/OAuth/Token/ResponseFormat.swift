/// How a server's responses differ from the standards.
package struct ResponseFormat: Sendable, Hashable {
  /// How a response lists scope values.
  package enum ScopeForm: Sendable { case spaces, commas, array }

  package var scope = ScopeForm.spaces
  /// Whether the token type `user` is treated as Bearer.
  package var allowsUserTokenType = false
  /// Whether `message` is the error code if a response also has `status`.
  package var hasErrorInMessage = false
  /// Maps the server's error codes or descriptions, in lowercase, to standard error codes.
  package var errorNames: [String: String] = [:]
  /// The `error` values, or beginnings of the description, that report an invalid refresh token.
  package var deadRefreshTokens: [String] = []
  /// Whether an invalid refresh token gets a 400 without an error code.
  package var omitsErrorForInvalidToken = false

  package init() {}

  func meansInvalidRefreshToken(_ error: String?, description: String?) -> Bool {
    deadRefreshTokens.contains { known in
      error == known
        || description.map { $0.utf8.starts(with: known.utf8) } ?? false
    }
  }

  /// The standard error code, or `error` itself if unknown.
  func standardName(_ error: String, description: String?) -> String {
    errorNames[error.lowercased()] ?? description.flatMap { errorNames[$0.lowercased()] } ?? error
  }
}
