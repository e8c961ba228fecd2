/// Why an authorization request goes no further.
enum AuthorizationProblem: Error, Sendable {
  /// Told to the user only: whose client it is, or where its answers go, is not certain.
  case unanswerable(OAuthFailure)
  /// Told to the client.
  case answerable(RedirectTarget, OAuthFailure)

  var failure: OAuthFailure {
    switch self {
    case .unanswerable(let failure), .answerable(_, let failure): failure
    }
  }
}
