internal import Encoding
internal import OAuth
internal import Wire

extension Failure {
  /// Describes a protocol error for users.
  ///
  /// - Parameter login: The command that signs in to the account.
  init(_ error: OAuthError, _ login: SignInCommand) {
    let row = error.code.row(login)
    let account = row.isAboutHost ? login.account : nil
    let text = account.map { Phrase("\($0): \(error.phrase)") } ?? error.phrase
    self.init(row.failure, text, hint: error.ownHint(login) ?? row.hint)
  }
}

extension OAuthError {
  /// The hint for this particular error. Nil to use the hint of its code.
  fileprivate func ownHint(_ login: SignInCommand) -> Phrase? {
    if let claims { return login.with([.init("claims-challenge", claims.challenge)]) }
    if let hint = secretHint(login) ?? browserHint(login) { return hint }
    if let hint = signInHint(login) ?? advice { return hint }
    return waitHint ?? keyHint ?? slashHint(login)
  }

  fileprivate var waitHint: Phrase? {
    if let retryAfterSeconds {
      let wait = Phrase("try again in \(retryAfterSeconds) s")
      if code == .keyNotPublished {
        return Phrase("\(wait), when the keys are fetched again; if the error remains, the server must publish its key")
      }
      if code == .keyUnusable {
        return Phrase("\(wait), when the keys are fetched again; if the error remains, the server must replace its key")
      }
      return followsSuccess ? Phrase("the server's answer was stored: \(wait)") : wait
    }
    // Each further attempt would spend a refresh for the same response.
    guard followsSuccess, code != .unsupportedTokenType else { return nil }
    return Phrase("the server's answer was stored: try again in a minute")
  }

  /// Suggests entering the client secret, if it may be missing.
  fileprivate func secretHint(_ login: SignInCommand) -> Phrase? {
    if needsSecret, let advice { return Phrase("\(advice): \(login.withSecretPrompt)") }
    guard code == .invalidRequest, serverDescription?.hasPart("client_secret") == true else { return nil }
    return Phrase("if the client has a secret: \(login.withSecretPrompt)")
  }

  /// Suggests signing in with a browser if the device grant is forbidden.
  fileprivate func browserHint(_ login: SignInCommand) -> Phrase? {
    guard needsBrowser else { return nil }
    return Phrase("sign in with a browser, on this or another machine: \(login.withPaste)")
  }

  /// Suggests signing in as the server's advice recommends.
  fileprivate func signInHint(_ login: SignInCommand) -> Phrase? {
    guard code.effect == .signInNeeded, let advice else { return nil }
    return Phrase("\(advice): \(login.phrase)")
  }

  /// Suggests another key or client if the client's key is not of this TPM.
  fileprivate var keyHint: Phrase? {
    guard code == .keyForeign, subject == .clientKey else { return nil }
    return Phrase(
      "sign in with another key of the client, \("--client-key-file"), or with a new client, \("--register")")
  }

  /// Suggests the issuer whose URL differs only in the final slash.
  fileprivate func slashHint(_ login: SignInCommand) -> Phrase? {
    intendedIssuer.map { Phrase("the final slash matters: \(login.with([.init("issuer", $0)]))") }
  }
}
