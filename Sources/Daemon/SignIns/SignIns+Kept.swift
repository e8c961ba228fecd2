internal import Encoding
internal import Peers
internal import Platform
internal import Sessions
internal import Vocabulary
internal import Wire

/// Sign-ins that are wanted only if there is no session.
extension SignIns {
  /// Runs `begin`, unless the account has what the request takes instead: then that is the result.
  func unlessMet(
    _ condition: LoginRequest.Condition, _ account: Account, _ ticket: Ticket,
    _ begin: @escaping () throws(Failure) -> Void
  ) {
    let go = { [loop] in
      do throws(Failure) { try begin() } catch { loop.send(.failure(error), to: ticket) }
    }
    guard condition == .token else { return keep(account, ticket, else: go) }
    let waiter = Waiter(ticket: ticket, need: TokenNeed()) { [self] slot, outcome in
      do throws(Failure) {
        _ = try outcome.get(of: slot)
        keep(account, ticket, else: go)
      } catch {
        // An error that passes by itself is no reason to ask a person.
        if error.code.exitStatus == .signInNeeded { go() } else { loop.send(.failure(error), to: ticket) }
      }
    }
    do throws(Failure) { try broker.obtain(for: waiter, account) } catch {
      if error.code.exitStatus == .signInNeeded { go() } else { loop.send(.failure(error), to: ticket) }
    }
  }

  /// Answers with the session that the account has, if it has one.
  private func keep(_ account: Account, _ ticket: Ticket, else go: @escaping () -> Void) {
    guard let settings = try? settings() else { return go() }
    let name = account.name
    jobs.run({ [services] in Survey.run(settings, only: name, services: services) }) { [self] surveyed in
      let grant = account.session.grant.flatMap { $0.isAlive(at: services.time.now()) ? $0 : nil }
      guard let summary = surveyed.get().first, summary.problem == nil, summary.isGranted || grant != nil,
        account.session.lastFailure?.needsSignIn != true
      else { return go() }
      var result = JSONObject([
        ("account", .string(name.text)), ("issuer", .string(summary.configuration.issuer)), ("kept", true),
      ])
      result["subject"] = (grant?.subject ?? summary.subject).map { .string($0) }
      result["person"] = summary.label.map { .string($0.text) }
      result.addUnattended(summary.unattended)
      result["expires_at"] = grant?.expiresAtUnixSeconds.map { .int($0) }
      result["active_account"] = settings.active.map { .string($0.text) }
      loop.send(.result(result), to: ticket)
    }
  }
}
