internal import Peers
internal import Platform
internal import Sessions
internal import Vault
internal import Vocabulary
internal import Wire

/// How sign-ins in progress and other requests affect each other.
extension SignIns {
  /// Refuses to end a session while an approved sign-in is being stored, since the new session would remain.
  func refuseWhileFinishing(_ account: AccountName) throws(Failure) {
    if logins.values.contains(where: { $0.account == account && $0.isFinishing }) { try refuseDuring(account) }
  }

  /// Refuses to change settings or a name during a sign-in, which would restore the old ones.
  func refuseDuring(_ account: AccountName) throws(Failure) {
    guard logins.values.contains(where: { $0.account == account }) else { return }
    throw Failure(.tooBusy, "a sign-in to \(account.text) is in progress", hint: "finish or cancel it first")
  }

  /// Ends the account's unapproved sign-ins when it is signed out.
  func endUnapproved(of account: AccountName) {
    for login in logins.values where login.account == account && !login.isFinishing {
      login.endsWithSession.withLock { $0 = true }
      guard login.approval.giveUp() else { continue }
      conclude(login, .failure(Failure(.cancelled, "the account was signed out")))
      end(login)
    }
  }

  /// Ends the unapproved sign-ins whose protection level is locked, since they could not be stored.
  func endUnapproved(at levels: Set<Protection>) {
    for login in logins.values {
      guard let level = login.waiting?.prepared.level, levels.contains(level), login.approval.giveUp() else { continue }
      fail(login, .vault(VaultError(.locked(level))))
    }
  }

  /// Ends all unapproved sign-ins when the daemon stops.
  func stop() {
    for login in logins.values where login.approval.giveUp() {
      conclude(login, .failure(Failure(.cancelled, "the daemon is stopping")))
      end(login)
    }
  }

  /// Ends the sign-in of a request whose sender disconnected. Background sign-ins continue.
  func abandon(_ ticket: Ticket) {
    for login in logins.values where login.ticket == ticket {
      if login.event != nil, login.isDetached { login.ticket = .nobody } else { end(login) }
    }
  }
}
