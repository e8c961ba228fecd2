/// How a server writes its answers, where it is not as the standards say.
package struct AnswerShape: Sendable, Hashable {
  package enum ScopeForm: Sendable { case spaces, commas, array }

  package var scope = ScopeForm.spaces
  /// `user` is a name for a Bearer token.
  package var hasUserTokens = false
  /// The error is the text of `message`, if there is one.
  package var hasErrorInMessage = false
  /// Standard errors by the server's names for them or by its descriptions, in small letters.
  package var errorNames: [String: String] = [:]
  /// Refusals of a refresh that ask for a sign-in, by the value of `error` or by how its description begins.
  package var deadRefreshTokens: [String] = []

  package init() {}

  /// Whether the refusal of a refresh is about the refresh token, by the server's own ways to say so.
  func isAboutRefreshToken(_ error: String?, description: String?) -> Bool {
    deadRefreshTokens.contains { known in
      error.map { $0.utf8.elementsEqual(known.utf8) } ?? false
        || description.map { $0.utf8.starts(with: known.utf8) } ?? false
    }
  }

  /// The standard name of an error, or the name as it is.
  func standardName(_ error: String, description: String?) -> String {
    errorNames[error.lowercased()] ?? description.flatMap { errorNames[$0.lowercased()] } ?? error
  }
}
