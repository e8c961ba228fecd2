/// How a server writes its answers, where it is not as the standards say.
package struct AnswerShape: Sendable, Hashable {
  package enum ScopeForm: Sendable { case spaces, commas, array }

  package var scope = ScopeForm.spaces
  /// `user` is a name for a Bearer token.
  package var hasUserTokens = false
  /// A token without a type is a Bearer token.
  package var isBearerWithoutType = false
  /// The error is the text of `message`, if there is one.
  package var hasErrorInMessage = false
  /// Standard errors by the server's names for them or by its descriptions, in small letters.
  package var errorNames: [String: String] = [:]

  package init() {}

  /// The standard name of an error, or the name as it is.
  func standardName(_ error: String, description: String?) -> String {
    errorNames[error.lowercased()] ?? description.flatMap { errorNames[$0.lowercased()] } ?? error
  }
}
