internal import Encoding
internal import Loopback
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// Sign-in with a browser, whose response reaches a loopback address or is pasted.
extension SignIns {
  func sendBrowserURL(_ login: Login, _ waiting: SignIn.PendingApproval.Browser, _ listener: RedirectListener?) {
    if let listener {
      do { try listen(listener, for: login) } catch {
        return fail(login, .redirectUnavailable(port: nil, error))
      }
    }
    // Without a link, every user of the machine can read the URL on the browser's command line.
    login.visits.isFromOwnUser = listener.map { $0.linkURL != nil } ?? true
    if listener?.linkURL != nil, waiting.url.text.utf8.allSatisfy(\.isVisibleASCII) {
      login.visits.linkTarget = waiting.url.text
    }
    let timeoutSeconds = SessionServices.browserSignInSeconds
    log.note(.signInCode(seconds: timeoutSeconds), login.account)
    schedule(at: waiting.startedAt.advanced(by: .seconds(timeoutSeconds))) { [self, id = login.number] in
      failExpired(id)
    }
    let expiry = waiting.startedAtUnixSeconds + timeoutSeconds
    send(
      .browser(
        Event.Browser(
          loginID: login.loginID, account: login.account.text, issuer: waiting.prepared.configuration.issuer,
          clientID: waiting.prepared.configuration.clientID, scope: waiting.prepared.scope?.text,
          url: waiting.url.text, linkURL: login.visits.linkTarget.flatMap { _ in listener?.linkURL },
          redirectURI: waiting.request.redirectURI, mustPaste: listener == nil,
          expiresAt: expiry, urlExpiresAt: waiting.url.expiresIn.map { waiting.startedAtUnixSeconds + $0 })),
      to: login, until: expiry)
    detach(login, until: expiry)
  }

  private func listen(_ listener: RedirectListener, for login: Login) throws(SystemError) {
    if redirects == nil { redirects = try RedirectServer(loop, self) }
    try redirects?.open(listener, for: login.number, in: login.pageTexts)
  }

  /// Handles a pasted URL or a confirmation, from any connection.
  func handleAnswer(_ request: Request, _ ticket: Ticket) throws(Failure) {
    guard let login = try signInStep(request)?.take() else { return }
    loop.send(.result(JSONObject([("account", .string(login.account.text))])), to: ticket)
  }

  /// Like ``handleAnswer(_:_:)``, for the sign-in's own connection, with errors as events. Returns false for other
  /// requests.
  func handleFollowUp(_ request: Request, _ ticket: Ticket) -> Bool {
    guard let step = signInStep(request),
      logins.values.contains(where: { $0.ticket == ticket && $0.hasLoginID(step.loginID) })
    else { return false }
    context.files.poll()
    do throws(Failure) { _ = try step.take() } catch { loop.send(.event(.redirectRefused(error)), to: ticket) }
    return true
  }

  /// The sign-in that a pasted URL or a confirmation is for, and the action that handles it. Nil for other requests.
  private func signInStep(_ request: Request) -> (loginID: String, take: () throws(Failure) -> Login)? {
    switch request {
    case .loginStep(.redirect(let loginID, let url)):
      (loginID, { () throws(Failure) in try self.handlePastedRedirect(loginID, url) })
    case .loginStep(.confirm(let loginID, let isConfirmed)):
      (loginID, { () throws(Failure) in try self.confirm(loginID, isConfirmed: isConfirmed) })
    default: nil
    }
  }

  /// Throws `redirect_rejected` if the URL is not the response; the wait continues.
  func handlePastedRedirect(_ loginID: String, _ url: String) throws(Failure) -> Login {
    guard let login = logins.values.first(where: { $0.hasLoginID(loginID) }), !login.isFinishing,
      login.unconfirmed == nil, let waiting = login.browser
    else { throw Failure(.redirectRejected, "no sign-in is waiting for this address; it may have ended") }
    guard accept(waiting.request.answer(inPasted: url), login, waiting) != .foreign else {
      noteForeignRedirect(login)
      throw Failure(
        .redirectRejected, "this address does not belong to this sign-in",
        hint: "copy the complete address from the browser: it begins with \(waiting.request.redirectURI)?")
    }
    return login
  }

  /// Handles the authorization server's response. Returns the browser's page, or nil if it must wait for the result.
  private func accept(
    _ answer: AuthorizationResponse, _ login: Login, _ waiting: SignIn.PendingApproval.Browser,
    isFromOwnUser: Bool = true
  ) -> LoopbackPage? {
    switch answer {
    case .unrelated: return .foreign
    case .failure(let error):
      fail(login, .oauth(error))
      let failure = Failure(.oauth(error), account: login.account.text, enteredOptions: login.enteredOptions)
      return .failed(isFromOwnUser ? failure.text : nil)
    case .code(let code):
      guard login.approval.approve() else { return .foreign }
      redirects?.close(login.number)
      log.note(.signInApproved, login.account)
      if !isFromOwnUser { login.visits.isFromOwnUser = false }
      // The browser may be another user's, so it gets no details.
      guard login.visits.isFromOwnUser else {
        run(login, then: askToConfirm) { () throws(SessionError) in try waiting.finishUnconfirmed(code) }
        return .received
      }
      run(login, then: finishLogin) { () throws(SessionError) in try waiting.finish(code) }
      return nil
    }
  }

  /// Logs the first foreign redirect. Returns whether it did.
  @discardableResult private func noteForeignRedirect(_ login: Login) -> Bool {
    guard !login.visits.hasLoggedForeignRedirect else { return false }
    login.visits.hasLoggedForeignRedirect = true
    log.note(.unrelatedRedirect, login.account)
    return true
  }

  // MARK: Pages

  func showSignedIn(_ login: Login, _ outcome: SignIn.Outcome) {
    redirects?.answer(
      login.number,
      LoopbackPage.signedInPage(
        to: outcome.configuration.issuer, as: outcome.label?.text, account: login.account.text, in: login.pageTexts))
  }

  /// Shows the failure in the browser, if still waiting.
  func show(_ failure: Failure, of login: Login) {
    redirects?.answer(login.number, LoopbackPage.failed(failure.text).response(in: login.pageTexts))
  }

  // MARK: Confirmation

  /// Asks who has signed in, since it may be another user of this machine.
  private func askToConfirm(_ id: UInt64, _ outcome: Result<SignIn.Unconfirmed, SessionError>) {
    guard let login = logins[id] else { return }
    let unconfirmed: SignIn.Unconfirmed
    do throws(SessionError) { unconfirmed = try outcome.get() } catch { return finishLogin(id, .failure(error)) }
    login.approval.reopen()
    login.unconfirmed = unconfirmed
    guard let issuer = login.browser?.prepared.configuration.issuer else { return }
    send(
      .confirm(
        Event.Confirm(
          loginID: login.loginID, account: login.account.text, issuer: issuer, subject: unconfirmed.subject,
          name: unconfirmed.name, expiresAt: login.stepExpiry)), to: login, until: login.stepExpiry)
  }

  /// Throws `redirect_rejected` if no sign-in waits to be confirmed.
  func confirm(_ loginID: String, isConfirmed: Bool) throws(Failure) -> Login {
    guard let login = logins.values.first(where: { $0.hasLoginID(loginID) }), let waiting = login.unconfirmed
    else { throw Failure(.redirectRejected, "no sign-in is waiting to be confirmed; it may have ended") }
    guard isConfirmed else {
      sendResult(of: login, .failure(Self.confirmationDenied(login.account)))
      cancel(login, .accessDenied)
      return login
    }
    guard login.approval.approve() else { return login }
    login.unconfirmed = nil
    run(login, then: finishLogin) { () throws(SessionError) in try waiting.store() }
    return login
  }

  private static func confirmationDenied(_ account: AccountName) -> Failure {
    Failure(
      .accessDenied, "cannot determine whose browser sent the answer, and no one confirmed the user",
      hint: .command("agent login \(account.text) --device"))
  }
}

extension SignIns: RedirectServerDelegate {
  func identify(_ ends: [TCPAddressPair], _ completion: @escaping ([TCPAddressPair: TCPAddressPair.Owner]) -> Void) {
    jobs.run({ TCPAddressPair.owners(of: ends) }) { (outcome: Result<_, Never>) in completion(outcome.get()) }
  }

  /// Returns the authorization URL only once.
  func openLink(_ id: UInt64, isFromOwnUser: Bool) -> String? {
    guard let login = logins[id], let url = login.visits.linkTarget else { return nil }
    login.visits.linkTarget = nil
    if !isFromOwnUser { login.visits.isFromOwnUser = false }
    return url
  }

  func handleRedirect(_ id: UInt64, query: Span<UInt8>, isFromOwnUser: Bool) -> LoopbackPage? {
    guard let login = logins[id], !login.isFinishing, login.unconfirmed == nil, let waiting = login.browser else {
      return .foreign
    }
    context.files.poll()
    return accept(waiting.request.answer(in: query), login, waiting, isFromOwnUser: isFromOwnUser)
  }

  func handleForeignRedirect(_ id: UInt64, query: Span<UInt8>) {
    guard let login = logins[id], !query.isEmpty, noteForeignRedirect(login) else { return }
    guard let error = AuthorizationRequest.strayError(in: query) else {
      return report(
        Phrase(
          "the browser sent the response of another sign-in, so this one still waits; continue on the page that was opened last, or end the sign-in with Ctrl-C"
        ), to: login)
    }
    // Any user of this machine could have sent the error, so the sign-in continues.
    report(
      Phrase(
        "the browser sent the error \(error) without the state of this sign-in, so it may not be from the server; if the browser also shows an error, end the sign-in with Ctrl-C"
      ), to: login)
  }

  func handleTLS(_ id: UInt64) {
    guard let login = logins[id], !login.visits.hasWarnedOfTLS, let uri = login.browser?.request.redirectURI else {
      return
    }
    login.visits.hasWarnedOfTLS = true
    report(
      Phrase(
        "the browser used https for an address that supports only http: \(uri); allow http for it in the browser's settings (\"HTTPS only\"), or: \(command(of: login).withPaste)"
      ), to: login)
  }

  func handleOtherUser(_ id: UInt64, user: UInt32) {
    guard let login = logins[id], !login.visits.hasWarnedOfOtherUser else { return }
    login.visits.hasWarnedOfOtherUser = true
    log.note(.peerDropped(.otherUser), login.account)
    let port = login.browser.flatMap { try? RedirectURI($0.request.redirectURI) }?.port ?? 0
    jobs.run({ [UserEntry.of(Machine.userID)?.name, UserEntry.of(user)?.name] }) {
      [self] (outcome: Result<[String?], Never>) in
      guard let login = logins[id] else { return }
      let names = outcome.get()
      let (own, other) = (names[0] ?? String(Machine.userID), names[1] ?? String(user))
      let tunnel = "ssh -L \(port):127.0.0.1:\(port) \(own)@\(Machine.hostName())"
      report(
        Phrase(
          "refused a connection from user \(other), because this sign-in belongs to user \(own); a tunnel must belong to that user: \(tunnel); or: \(command(of: login).withPaste)"
        ), to: login)
    }
  }

  private func command(of login: Login) -> SignInCommand { SignInCommand(login.account.text, login.enteredOptions) }

  func report(_ notice: Phrase, to login: Login) {
    if login.ticket != .noRequest { loop.send(.event(.notice(notice)), to: login.ticket) }
  }
}
