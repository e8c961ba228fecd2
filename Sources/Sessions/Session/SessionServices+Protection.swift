internal import OAuth
internal import Vault
package import Vocabulary

extension SessionServices {
  /// The level that an account's record is at; nil when there is none.
  package func protection(of account: AccountName) throws(SessionError) -> Protection? {
    if isEphemeral(account) { return ephemeral.record(of: account).map { _ in .device } }
    return try storing { (vault) throws(VaultError) in try vault.protection(of: account) }
  }

  /// Makes sure that a sign-in can be kept when a person has approved it, before anything is asked of a server.
  ///
  /// - Parameter isNew: A record of the account's name is a leftover and means nothing.
  /// - Returns: The level that it will be kept at.
  /// - Throws: a vault error `locked`, or `nothingToUnlock` when nothing opens the level yet, or why the vault does
  ///   not open at all.
  package func requireOpen(
    _ account: AccountName, _ configuration: AccountConfiguration, isNew: Bool
  ) throws(SessionError) -> Protection {
    if isEphemeral(account) { return .device }
    // Also for a new account: a vault that does not open would take nothing.
    let recorded = try recordedProtection(of: account)
    let stored = isNew ? nil : recorded
    for level in [stored, configuration.protection].compactMap({ $0 }) where !vault.isUnlocked(level) {
      guard level != .device else { continue }
      let hasSlots = try storing { (vault) throws(VaultError) in try vault.hasSlots(for: level) }
      throw .vault(VaultError(hasSlots ? .locked(level) : .nothingToUnlock))
    }
    return configuration.protection ?? stored ?? .device
  }

  /// Runs `body`, during which no level is locked that a sign-in to the account reads or writes.
  ///
  /// - Parameters:
  ///   - waitsLong: Whether it waits for the vault's lock until it is cancelled.
  ///   - cancellation: Cancels `body` only where that must be.
  /// - Throws: as ``requireOpen(_:_:isNew:)`` and ``rehearseWrite(wait:_:)``, before `body` is run.
  func keepingOpen<Result>(
    _ account: AccountName, _ configuration: AccountConfiguration, isNew: Bool, waitsLong: Bool = true,
    _ cancellation: Cancellation, _ body: () throws(SessionError) -> Result
  ) throws(SessionError) -> Result {
    if isEphemeral(account) { return try cancellation.spending(or: .cancelled, body) }
    let recorded = isNew ? nil : try recordedProtection(of: account)
    var inside: [Protection] = []
    defer { for level in inside { gate.leave(level) } }
    for level in Set([recorded ?? .device, configuration.protection ?? recorded ?? .device]) {
      guard gate.enter(level, mustWrite: true) else { throw .vault(VaultError(.locked(level))) }
      inside.append(level)
    }
    _ = try requireOpen(account, configuration, isNew: isNew)
    let reserve = try rehearseWrite(
      wait: waitsLong ? Self.lockWait(cancellation, isLong: true) : nil, cancellation)
    defer { extendLifetime(reserve) }
    return try cancellation.spending(or: .cancelled, body)
  }

  /// A home with vaults of other machines only has no record.
  private func recordedProtection(of account: AccountName) throws(SessionError) -> Protection? {
    do {
      return try protection(of: account)
    } catch .vault(let error) where error.code == .otherMachinesOnly {
      return nil
    }
  }

  /// The level of a coming write.
  ///
  /// Only a level that can be locked is distinguished: while none is unlocked, all readable records have level
  /// `device`.
  func level(of account: AccountName, or wanted: Protection?) -> Protection {
    guard !isEphemeral(account), lockableLevels.contains(where: { vault.isUnlocked($0) }) else { return .device }
    if let wanted, wanted != .device { return wanted }
    return (try? vault.protection(of: account)) ?? .device
  }

  private var lockableLevels: [Protection] { [.passphrase, .tpm2] }
}
