package import Vault

/// Signs an account out and forgets its settings. Blocking.
///
/// After a cut between the two the account is there, signed out, and can be removed again.
package struct AccountRemoval: Sendable {
  package let signOut: SignOutOperation
  package let settingsDirectory: String

  package init(_ signOut: SignOutOperation, settingsDirectory: String) {
    self.signOut = signOut
    self.settingsDirectory = settingsDirectory
  }

  package struct Outcome: Sendable {
    package let confirmation: SignOutOperation.Confirmation
    /// The active account from now on; nil when none is left, or none was.
    package let active: AccountName?
  }

  package func run() throws(SessionError) -> Outcome {
    let confirmation = try signOut.run().confirmation
    let file = SettingsFile(directory: settingsDirectory)
    let left = try settings { () throws(ConfigurationError) in
      try file.change { (settings) in settings.remove(signOut.account) }
    }
    return Outcome(confirmation: confirmation, active: left.active)
  }
}
