internal import Encoding
internal import OAuth
internal import Wire

extension OAuthError {
  /// This error's own hint. Nil to use its code's.
  func ownHint(_ login: SignInCommand) -> Phrase? {
    if let claims { return login.with([.init("claims-challenge", claims.challenge)]) }
    if let hint = secretHint(login) ?? browserHint(login) { return hint }
    if let hint = signInHint(login) ?? advice { return hint }
    return waitHint ?? keyHint ?? issuerHint(login)
  }

  private var waitHint: Phrase? {
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
    // Another attempt would spend a refresh for the same response.
    guard followsSuccess, code != .unsupportedTokenType else { return nil }
    return Phrase("the server's answer was stored: try again in a minute")
  }

  private func secretHint(_ login: SignInCommand) -> Phrase? {
    if needsSecret, let advice { return Phrase("\(advice): \(login.withSecretPrompt)") }
    guard code == .invalidRequest, serverDescription?.hasPart("client_secret") == true else { return nil }
    return Phrase("if the client has a secret: \(login.withSecretPrompt)")
  }

  private func browserHint(_ login: SignInCommand) -> Phrase? {
    guard needsBrowser else { return nil }
    return Phrase("sign in with a browser, on this or another machine: \(login.withPaste)")
  }

  private func signInHint(_ login: SignInCommand) -> Phrase? {
    guard code.effect == .signInNeeded, let advice else { return nil }
    return Phrase("\(advice): \(login.phrase)")
  }

  /// For a client key of another TPM.
  private var keyHint: Phrase? {
    guard code == .keyForeign, subject == .clientKey else { return nil }
    return Phrase(
      "sign in with another key of the client, \("--client-key-file"), or with a new client, \("--register")")
  }

  /// For an issuer URL with another final slash or scheme.
  private func issuerHint(_ login: SignInCommand) -> Phrase? {
    guard let intendedIssuer else { return nil }
    let command = login.with([.init("issuer", intendedIssuer)])
    return code == .insecureURL ? command : Phrase("the final slash matters: \(command)")
  }
}
