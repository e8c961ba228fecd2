internal import OAuth
internal import Vault

extension SessionServices {
  /// Nil if there is no record.
  package func protection(of account: AccountName) throws(SessionError) -> Protection? {
    if isEphemeral(account) { return ephemeral.record(of: account).map { _ in .device } }
    return try mapVaultError(vault.protection(of: account))
  }

  /// Checks that the result of a sign-in can be stored, before a server is contacted. Returns the level of the future
  /// record. Throws the vault error `locked`, `nothingToUnlock` if the level is not set up, or the error of opening the
  /// vault.
  ///
  /// - Parameter isNew: Whether to ignore an existing record as a leftover.
  package func requireUnlocked(
    _ account: AccountName, _ configuration: AccountConfiguration, isNew: Bool
  ) throws(SessionError) -> Protection {
    if isEphemeral(account) { return .device }
    // Also for a new account, since nothing can be written to a vault that does not open.
    let recorded = try recordedProtection(of: account)
    let stored = isNew ? nil : recorded
    for level in [stored, configuration.protection].compactMap({ $0 }) where !vault.isUnlocked(level) {
      guard level != .device else { continue }
      let hasSlots = try mapVaultError(vault.hasSlots(for: level))
      throw .vault(VaultError(hasSlots ? .locked(level) : .nothingToUnlock))
    }
    return configuration.protection ?? stored ?? .device
  }

  /// Runs `body` while a sign-in's protection levels cannot be locked. Passes it the resources for writing the record,
  /// or nil for an ephemeral account. Throws the errors of ``requireUnlocked(_:_:isNew:)`` and
  /// ``reserveWrite(wait:isFailureFinal:_:)`` without running `body`.
  ///
  /// - Parameters:
  ///   - kept: The resources, if already reserved.
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

  /// Like ``protection(of:)``, but nil if the directory has only vaults of other machines.
  private func recordedProtection(of account: AccountName) throws(SessionError) -> Protection? {
    do {
      return try protection(of: account)
    } catch .vault(let error) where error.code == .otherMachinesOnly {
      return nil
    }
  }

  /// The requested or current level for the next write of a record. It is `device` if all lockable levels are locked,
  /// since only records at that level are then readable.
  func nextLevel(of account: AccountName, requested wanted: Protection?) -> Protection {
    guard !isEphemeral(account), lockableLevels.contains(where: { vault.isUnlocked($0) }) else { return .device }
    if let wanted, wanted != .device { return wanted }
    return (try? vault.protection(of: account)) ?? .device
  }

  private var lockableLevels: [Protection] { [.passphrase, .tpm2] }
}
