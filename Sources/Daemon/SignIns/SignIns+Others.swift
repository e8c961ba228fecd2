internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// How sign-ins in progress and other requests affect each other.
extension SignIns {
  /// Throws if an approved sign-in is being stored.
  func requireNoApprovedSignIn(to account: AccountName) throws(Failure) {
    if logins.values.contains(where: { $0.account == account && $0.isFinishing }) { try requireNoSignIn(to: account) }
  }

  func requireNoSignIn(to account: AccountName) throws(Failure) {
    guard logins.values.contains(where: { $0.account == account }) else { return }
    throw Failure(.tooBusy, "a sign-in to \(account.text) is in progress", hint: "finish or cancel it first")
  }

  /// Cancels the unapproved sign-ins of a signed-out account.
  func endUnapproved(of account: AccountName) {
    for login in logins.values where login.account == account && !login.isFinishing {
      login.signedOutFlag.withLock { $0 = true }
      guard login.approval.cancel() else { continue }
      sendResult(of: login, .failure(Failure(.cancelled, "the account was signed out")))
      cancel(login)
    }
  }

  /// Cancels unapproved sign-ins at locked protection levels.
  func endUnapproved(at levels: Set<Protection>) {
    for login in logins.values {
      guard let level = login.waiting?.prepared.level, levels.contains(level), login.approval.cancel() else { continue }
      fail(login, .vault(VaultError(.locked(level))))
    }
  }

  /// Cancels unapproved sign-ins.
  func stop() {
    for login in logins.values where login.approval.cancel() {
      sendResult(of: login, .failure(Failure(.cancelled, "the daemon is stopping")))
      cancel(login)
    }
  }

  /// Cancels the sign-in of a disconnected sender, unless in the background.
  func abandon(_ ticket: Ticket) {
    for login in logins.values where login.ticket == ticket {
      if login.nextStep != nil, login.isDetached { login.ticket = .noRequest } else { cancel(login) }
    }
  }
}
