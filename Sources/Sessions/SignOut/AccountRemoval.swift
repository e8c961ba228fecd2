internal import Vault
package import Vocabulary

/// Signs out an account and removes its settings and any pending revocation. Blocking.
///
/// After an interruption in between, the account is signed out and can be removed again.
package struct AccountRemoval: Sendable {
  package let signOut: SignOutOperation
  package let settingsDirectory: String

  package init(_ signOut: SignOutOperation, settingsDirectory: String) {
    self.signOut = signOut
    self.settingsDirectory = settingsDirectory
  }

  package struct Outcome: Sendable {
    package let confirmation: SignOutOperation.Confirmation
    /// The result of deleting the client registered for the account, if there was one.
    package let registration: ClientRegistrationRecord.Deletion?
    /// The new active account; nil if there is none.
    package let active: AccountName?
  }

  package func run() throws(SessionError) -> Outcome {
    var confirmation = try signOut.run().confirmation
    // There will be no later attempt to revoke.
    if case .postponed(let error) = confirmation { confirmation = .failed(error) }
    let registration = try removeRegistration()
    let file = SettingsFile(directory: settingsDirectory)
    let left = try settings { () throws(ConfigurationError) in
      try file.change { (settings) in settings.remove(signOut.account) }
    }
    return Outcome(confirmation: confirmation, registration: registration, active: left.active)
  }

  /// Deletes the client registered for the account, and removes the rest of its record.
  private func removeRegistration() throws(SessionError) -> ClientRegistrationRecord.Deletion? {
    let services = signOut.services
    guard let record = try? services.record(of: signOut.account) else { return nil }
    let confirmation = record.registration.map { remove($0, of: record) }
    try services.removeLeftover(of: signOut.account)
    return confirmation
  }

  private func remove(
    _ registration: ClientRegistrationRecord, of record: AccountRecord
  ) -> ClientRegistrationRecord.Deletion {
    if signOut.isLocal { return .local }
    guard let configuration = signOut.configuration ?? record.authority.configuration else { return .notOffered }
    do throws(SessionError) {
      // Changed settings must not send the token to another server, or weaken the trust in its own.
      let access = try record.access(by: configuration, signOut.account)
      return registration.delete(access.transport, signOut.services.http)
    } catch {
      return .failed(error)
    }
  }
}
