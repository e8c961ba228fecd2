internal import Vault
package import Vocabulary

/// Changes the protection of an account's record, in one write of the vault. Blocking.
package struct ProtectionChange: Sendable {
  package let account: AccountName
  package let level: Protection
  package let services: SessionServices

  package init(account: AccountName, to level: Protection, services: SessionServices) {
    self.account = account
    self.level = level
    self.services = services
  }

  /// - Returns: Nil if there is no record, or it has that protection already.
  /// - Throws: The vault error `locked` if the old or new protection is locked.
  package func run() throws(SessionError) -> OriginConfirmation.Move? {
    try services.holding(account, at: level) { (_) throws(SessionError) in try move() }
  }

  private func move() throws(SessionError) -> OriginConfirmation.Move? {
    guard let old = try services.protection(of: account), old != level else { return nil }
    guard let stored = try services.storedRecord(of: account) else { return nil }
    let generation = try services.write(
      stored.record, of: account, protection: level, replacing: stored.generation)
    return OriginConfirmation.Move(from: stored.generation, to: generation)
  }
}
