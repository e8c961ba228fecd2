internal import OAuth
internal import Vault

extension SessionServices {
  /// Nil if there is no record.
  package func protection(of account: AccountName) throws(SessionError) -> Protection? {
    if isEphemeral(account) { return ephemeral.record(of: account).map { _ in .device } }
    return try mapVaultError(vault.protection(of: account))
  }

  /// Checks that a sign-in's result can be stored. Returns its protection level. `isNew`: whether to ignore an existing
  /// record. Throws the vault error `locked`, or `nothingToUnlock` if the level is not set up.
  package func requireUnlocked(
    _ account: AccountName, _ configuration: AccountConfiguration, isNew: Bool
  ) throws(SessionError) -> Protection {
    if isEphemeral(account) { return .device }
    // For new accounts too: nothing can be written to a vault that does not open.
    let recorded = try recordedProtection(of: account)
    let stored = isNew ? nil : recorded
    for level in [stored, configuration.protection].compactMap({ $0 }) where !vault.isUnlocked(level) {
      guard level != .device else { continue }
      let hasSlots = try mapVaultError(vault.hasSlots(for: level))
      throw .vault(VaultError(hasSlots ? .locked(level) : .nothingToUnlock))
    }
    return configuration.protection ?? stored ?? .device
  }

  /// Runs `body` while a sign-in's protection levels cannot be locked. Passes it the resources for writing the record
  /// (nil for an ephemeral account). Throws without running `body` if the record cannot be written.
  ///
  /// - Parameters:
  ///   - kept: Used instead of a new reserve.
  ///   - waitsLong: Whether to wait for the vault's lock until cancelled.
  func withUnlockedVault<Result>(
    _ account: AccountName, _ configuration: AccountConfiguration, isNew: Bool, in kept: WriteReserve? = nil,
    waitsLong: Bool = true,
    _ cancellation: Cancellation, _ body: (WriteReserve?) throws(SessionError) -> Result
  ) throws(SessionError) -> Result {
    if isEphemeral(account) {
      return try cancellation.withDelayedCancellation(orThrow: .cancelled) { () throws(SessionError) in try body(nil) }
    }
    let recorded = isNew ? nil : try recordedProtection(of: account)
    var inside: [Protection] = []
    defer { for level in inside { gate.leave(level) } }
    for level in Set([recorded ?? .device, configuration.protection ?? recorded ?? .device]) {
      guard gate.enter(level, mustWrite: true) else { throw .vault(VaultError(.locked(level))) }
      inside.append(level)
    }
    _ = try requireUnlocked(account, configuration, isNew: isNew)
    let wait = waitsLong ? Self.lockWait(cancellation, isLong: true) : Self.briefLockWait
    let reserve = if let kept { kept } else { try reserveWrite(wait: wait, isFailureFinal: true, cancellation) }
    if kept == nil { try createLockFile(of: account) }
    defer { extendLifetime(reserve) }
    return try cancellation.withDelayedCancellation(orThrow: .cancelled) { () throws(SessionError) in try body(reserve)
    }
  }

  private func createLockFile(of account: AccountName) throws(SessionError) {
    do throws(VaultError) { try vault.lockAccount(account, LockWait(.zero)).release() } catch {
      let error = SessionError.vault(error)
      guard error.isBusy else { throw error }
    }
  }

  /// Nil also if the directory has only vaults of other machines.
  private func recordedProtection(of account: AccountName) throws(SessionError) -> Protection? {
    do {
      return try protection(of: account)
    } catch .vault(let error) where error.code == .otherMachinesOnly {
      return nil
    }
  }

  /// The requested or current level for a record's next write. While all lockable levels are locked, it is `device`:
  /// only such records are then readable.
  func nextLevel(of account: AccountName, requested wanted: Protection?) -> Protection {
    guard !isEphemeral(account), lockableLevels.contains(where: { vault.isUnlocked($0) }) else { return .device }
    if let wanted, wanted != .device { return wanted }
    return (try? vault.protection(of: account)) ?? .device
  }

  private var lockableLevels: [Protection] { [.passphrase, .tpm2] }
}
