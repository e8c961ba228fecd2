internal import Encoding
internal import Platform
internal import Sessions
internal import Wire

/// Sign-ins that are skipped if there is a session.
extension SignIns {
  /// Responds with the account's session if it meets `condition`. Otherwise runs `begin`.
  func signInUnless(
    _ condition: LoginRequest.Condition, _ account: Account, activates: Bool, _ ticket: Ticket,
    _ begin: @escaping () throws(Failure) -> Void
  ) {
    let signIn = { [self] in sendFailure(to: ticket, of: begin) }
    guard condition == .token else {
      return respondWithSession(of: account, activates: activates, ticket, else: signIn)
    }
    let waiter = Waiter(ticket: ticket, need: TokenNeed()) { [self] slot, outcome in
      do throws(Failure) {
        _ = try outcome.grantOrFailure(of: slot)
        respondWithSession(of: account, activates: activates, ticket, else: signIn)
      } catch {
        // After a temporary error no sign-in is needed.
        if error.code.exitStatus == .signInNeeded { signIn() } else { loop.send(.failure(error), to: ticket) }
      }
    }
    broker.obtain(for: waiter, account)
  }

  /// Calls `signIn` if there is no session.
  private func respondWithSession(
    of account: Account, activates: Bool, _ ticket: Ticket, else signIn: @escaping () -> Void
  ) {
    guard let settings = try? settings() else { return signIn() }
    let name = account.name
    jobs.run({ [services] in AccountScan.summaries(of: settings, only: name, services: services) }) { [self] scanned in
      let grant = account.ownSlot.session.grant.flatMap { $0.isAlive(at: services.time.now()) ? $0 : nil }
      guard let summary = scanned.get().first, summary.problem == nil, summary.isSignedIn || grant != nil,
        account.ownSlot.session.lastFailure?.needsSignIn != true
      else { return signIn() }
      var result = JSONObject([
        ("account", .string(name.text)), ("issuer", .string(summary.configuration.issuer)), ("kept", true),
      ])
      result["subject"] = (grant?.subject ?? summary.subject).map { .string($0) }
      result["person"] = summary.label.map { .string($0.text) }
      result.addUnattended(summary.unattended)
      result["expires_at"] = grant?.expiresAtUnixSeconds.map { .int($0) }
      if summary.isRenewable, account.ownSlot.session.isRenewable { result["renews"] = true }
      guard activates, settings.active != name else {
        result["active_account"] = settings.active.map { .string($0.text) }
        return loop.send(.result(result), to: ticket)
      }
      context.activate(name, for: ticket) { [self, result] outcome in
        var result = result
        result["active_account"] = .string(name.text)
        switch outcome {
        case .success: loop.send(.result(result), to: ticket)
        case .failure(let error): loop.send(.failure(Failure(error, account: name.text)), to: ticket)
        }
      }
    }
  }
}
