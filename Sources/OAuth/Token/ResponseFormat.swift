/// How a server's responses differ from the standards.
package struct ResponseFormat: Sendable, Hashable {
  /// How a response lists scope values: separated by spaces or commas, or as an array.
  package enum ScopeForm: Sendable { case spaces, commas, array }

  package var scope = ScopeForm.spaces
  /// Whether `user` is another name of the token type Bearer.
  package var allowsUserTokenType = false
  /// Whether `message` is the error code of a response that also has `status`.
  package var hasErrorInMessage = false
  /// Maps the server's error codes or descriptions, in lowercase, to standard error codes.
  package var errorNames: [String: String] = [:]
  /// The errors that mean an invalid refresh token: values of `error`, or beginnings of the description.
  package var deadRefreshTokens: [String] = []
  /// Whether an invalid refresh token gets a 400 without an error code.
  package var omitsErrorForInvalidToken = false

  package init() {}

  /// Whether this error code or description means that the refresh token is invalid.
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
