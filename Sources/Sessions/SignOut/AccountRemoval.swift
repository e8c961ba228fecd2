package import Vocabulary

/// Signs out an account and removes its settings. Until the server confirms the revocation, the record stays in the
/// vault, for at most ``SignOutOperation/revocationLifetime`` seconds. Blocking.
///
/// After an interruption, the account is signed out and can be removed again.
package struct AccountRemoval: Sendable {
  package let signOut: SignOutOperation
  package let settingsDirectory: String

  package init(_ signOut: SignOutOperation, settingsDirectory: String) {
    self.signOut = signOut
    self.settingsDirectory = settingsDirectory
  }

  package struct Outcome: Sendable {
    package let confirmation: SignOutOperation.Confirmation
    /// The result of deleting the client registered for the account. Nil if there was none.
    package let registration: ClientRegistrationRecord.Deletion?
    package let active: AccountName?
  }

  package func run() throws(SessionError) -> Outcome {
    var confirmation = try signOut.run().confirmation
    // Retrying needs the certificate authority file, whose path is only in the settings.
    if case .postponed(let error) = confirmation, record?.record.authority.configuration == nil {
      confirmation = .failed(error)
    }
    let registration = removeRegistration()
    try clearRecord(keepsRevocation: confirmation.isPostponed)
    let file = SettingsFile(directory: settingsDirectory)
    let left = try settings { () throws(ConfigurationError) in
      try file.change { (settings) in settings.remove(signOut.account) }
    }
    return Outcome(confirmation: confirmation, registration: registration, active: left.active)
  }

  /// The account's record, or nil if it does not exist or is unreadable.
  private var record: StoredRecord? {
    (try? signOut.services.storedRecord(of: signOut.account)) ?? nil
  }

  private func removeRegistration() -> ClientRegistrationRecord.Deletion? {
    guard let record = record?.record else { return nil }
    return record.registration.map { remove($0, of: record) }
  }

  /// Removes the record, except for a pending revocation.
  private func clearRecord(keepsRevocation: Bool) throws(SessionError) {
    let services = signOut.services
    while keepsRevocation, var stored = record, stored.record.revocation != nil {
      (stored.record.registration, stored.record.beganAtResource) = (nil, false)
      do throws(SessionError) {
        try services.write(stored.record, of: signOut.account, replacing: stored.generation, wait: nil)
        return
      } catch .signedOut {
        // A refresh that was in progress has added its token.
      }
    }
    if record != nil { try services.removeLeftover(of: signOut.account) }
  }

  private func remove(
    _ registration: ClientRegistrationRecord, of record: AccountRecord
  ) -> ClientRegistrationRecord.Deletion {
    if signOut.isLocal { return .local }
    guard let configuration = signOut.configuration ?? record.authority.configuration else { return .notOffered }
    do throws(SessionError) {
      // Changed settings must neither send the token to another server nor weaken the trust in its own.
      let access = try record.access(by: configuration, signOut.account)
      return registration.delete(access.transport, signOut.services.http)
    } catch {
      return .failed(error)
    }
  }
}
