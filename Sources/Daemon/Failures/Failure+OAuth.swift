internal import Encoding
internal import OAuth
internal import Vocabulary
internal import Wire

extension Failure {
  /// Describes a protocol error for people.
  ///
  /// - Parameter login: The command that signs in to the account.
  init(_ error: OAuthError, _ login: SignInCommand) {
    let row = error.code.row(login)
    let account = row.isAboutHost ? login.account : nil
    self.init(
      row.failure, account.map { Phrase("\($0): \(error.phrase)") } ?? error.phrase,
      hint: error.claims.map { login.with([.init("claims-challenge", $0.challenge)]) } ?? error.secretHint(login)
        ?? error.advice ?? error.waitHint ?? error.keyHint ?? error.slashHint(login)
        ?? row.hint)
  }
}

extension OAuthError {
  /// Time at which the server accepts requests again, if known.
  fileprivate var waitHint: Phrase? {
    if let retryAfterSeconds {
      let wait = Phrase("try again in \(retryAfterSeconds) s")
      if code == .keyNotPublished {
        return Phrase("\(wait), when the keys are fetched again; if it stays so, the server must publish its key")
      }
      return followsSuccess ? Phrase("the server's answer was stored: \(wait)") : wait
    }
    return followsSuccess ? Phrase("the server's answer was stored: try again in a minute") : nil
  }

  /// The sign-in with the secret of the client, where the server's own words or the provider's advice are about that:
  /// Google says `invalid_request` and "client_secret is missing."
  fileprivate func secretHint(_ login: SignInCommand) -> Phrase? {
    if needsSecret, let advice { return Phrase("\(advice): \(login.askingForSecret)") }
    guard code == .invalidRequest, serverDescription?.hasPart("client_secret") == true else { return nil }
    return Phrase("if the client has a secret: \(login.askingForSecret)")
  }

  /// A sign-in makes a new key for tokens, and not for the client.
  fileprivate var keyHint: Phrase? {
    guard code == .keyForeign, subject == .clientKey else { return nil }
    return Phrase(
      "sign in with another key of the client, \("--client-key-file"), or with a new client, \("--register")")
  }

  /// The sign-in at the issuer that was meant.
  fileprivate func slashHint(_ login: SignInCommand) -> Phrase? {
    issuerMeant.map { Phrase("the slash at the end counts: \(login.with([.init("issuer", $0)]))") }
  }
}
