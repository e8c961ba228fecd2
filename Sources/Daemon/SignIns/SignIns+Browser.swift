internal import Crypto
internal import Encoding
internal import HTTP
internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Vocabulary
internal import Wire

/// Sign-in in the browser: the answer comes to a loopback address, or is handed over.
extension SignIns {
  func browserPrepared(_ login: Login, _ signIn: BrowserSignIn, _ listener: RedirectListener?) {
    if let listener {
      do { try listen(listener, for: login.id) } catch {
        return fail(login, .redirectUnavailable(port: nil, error))
      }
    }
    login.browser = signIn
    log.note(.signInCode(seconds: BrowserSignIn.patience), login.account)
    schedule(at: signIn.startedAt.advanced(by: .seconds(BrowserSignIn.patience))) { [self, id = login.id] in
      loginExpired(id)
    }
    let expiry = signIn.startedAtUnixSeconds + BrowserSignIn.patience
    tell(
      login,
      .browser(
        Event.Browser(
          login: login.name, account: login.account.text, issuer: signIn.signIn.configuration.issuer,
          clientID: signIn.signIn.configuration.clientID, scope: signIn.signIn.scope?.text, url: signIn.url.text,
          redirectURI: signIn.request.redirectURI, mustPaste: listener == nil, expiresAt: expiry,
          urlExpiresAt: signIn.url.expiresIn.map { signIn.startedAtUnixSeconds + $0 })), until: expiry)
    detach(login, until: expiry)
  }

  private func listen(_ listener: RedirectListener, for login: UInt64) throws(SystemError) {
    if redirects == nil { redirects = try RedirectServer(loop) { [unowned self] in redirectCame($0, query: $1) } }
    try redirects?.open(listener, for: login)
  }

  /// A request came to the address of a sign-in.
  func redirectCame(_ id: UInt64, query: Span<UInt8>) -> LoopbackPage {
    guard let login = logins[id], !login.isFinishing, let signIn = login.browser else { return .foreign }
    context.noteFileChanges()
    return take(signIn.request.answer(in: query), login, signIn)
  }

  /// An address was handed over.
  ///
  /// - Throws: `redirect_rejected` when it is not the answer; the sign-in goes on waiting.
  func redirectPasted(_ request: LoginRedirectRequest) throws(Failure) -> Login {
    guard let login = logins.values.first(where: { $0.isNamed(request.login) }), !login.isFinishing,
      let signIn = login.browser
    else { throw Failure(.redirectRejected, "no sign-in waits for this address; it may be over") }
    guard take(signIn.request.answer(inPasted: request.url), login, signIn) != .foreign else {
      throw Failure(
        .redirectRejected, "that is not the address that this sign-in ends at",
        hint: "copy the whole address from the browser: it begins with \(signIn.request.redirectURI)?")
    }
    return login
  }

  private func take(_ answer: AuthorizationAnswer, _ login: Login, _ signIn: BrowserSignIn) -> LoopbackPage {
    switch answer {
    case .foreign:
      // Logged once per sign-in; otherwise any local program that connects could fill the log.
      if !login.hasMetForeignRedirect { log.note(.redirectForeign, login.account) }
      login.hasMetForeignRedirect = true
      return .foreign
    case .failure(let error):
      fail(login, .oauth(error))
      return .failed
    case .code(let code):
      guard login.approval.give() else { return .foreign }
      redirects?.close(login.id)
      log.note(.signInApproved, login.account)
      let id = login.id
      jobs.run({ () throws(SessionError) in try signIn.finish(code) }) { [self] outcome in loginFinished(id, outcome) }
      return .received
    }
  }
}
