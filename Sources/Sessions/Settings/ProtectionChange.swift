internal import Vault
package import Vocabulary

/// Moves an account's record to another level of protection, in one write of the vault. Blocking.
package struct ProtectionChange: Sendable {
  package let account: AccountName
  package let level: Protection
  package let services: SessionServices

  package init(account: AccountName, to level: Protection, services: SessionServices) {
    self.account = account
    self.level = level
    self.services = services
  }

  /// - Returns: Nil when there is no record, or it is at that level already.
  /// - Throws: a vault error `locked` when the level it has, or the one it gets, is locked.
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
