internal import Encoding
internal import Sessions
internal import Vault
internal import Wire

/// Locks and unlocks the vault. Locking wipes keys and tokens from memory, except those protected only by this device.
final class VaultLocker: DaemonPart {
  private let vaultLock: VaultLock
  private let broker: TokenBroker
  private let signIns: SignIns
  private let resources: ResourceRequests
  private let signOuts: SignOuts
  private var lockRequests: [Ticket] = []
  private var lockResult: JSONObject?
  /// The accounts already published as locked.
  private var publishedAccounts: Set<AccountName> = []
  /// How long a lock waits for refreshes to store their tokens.
  private static let refreshTimeout = Duration.seconds(5)
  private var actionsAfterLock: [() -> Void] = []

  init(
    _ context: DaemonContext, _ vaultLock: VaultLock, _ broker: TokenBroker, _ signIns: SignIns,
    _ resources: ResourceRequests, _ signOuts: SignOuts
  ) {
    self.vaultLock = vaultLock
    self.broker = broker
    self.signIns = signIns
    self.resources = resources
    self.signOuts = signOuts
    super.init(context)
  }

  /// Locks an idle vault. Called once a minute, since the idle timer misses pauses of a virtual machine.
  func housekeep() { vaultLock.lockIfIdle() }

  /// Locks the vault and answers the lock request `ticket`, if any. Keys remain for some seconds if a refresh must
  /// store its token. Tokens that arrive later stay in secret memory until the next unlock.
  func lock(_ cause: LogEvent.LockCause, for ticket: Ticket? = nil) {
    // A waiting unlock precedes this lock.
    if vaultLock.isLocking, !actionsAfterLock.isEmpty {
      return actionsAfterLock.append { [self] in lock(cause, for: ticket) }
    }
    if let ticket { lockRequests.append(ticket) }
    guard !vaultLock.isLocking else { return answerLocks() }
    vaultLock.beginLock()
    for account in broker.accounts.values {
      let levels = account.slots.compactMap(\.session.grant?.protection)
      guard let level = levels.first(where: { $0 != .device }) else { continue }
      vaultLock.refuseTokens(of: account.name, at: level)
      dropTokens(account, level)
      publishedAccounts.insert(account.name)
      log.publish(.locked, account.name)
    }
    signIns.endUnapproved(at: services.vault.levelsToLock)
    jobs.run({ [services] in Self.closeGate(services) }) { [self] result in answerAndWipe(result.get(), cause) }
  }

  private struct LockScope: Sendable {
    let levelsToLock: Set<Protection>
    /// Levels to lock that have key slots.
    let levelsWithSlots: [Protection]
    /// Levels to lock that were unlocked before.
    let unlockedLevels: Set<Protection>
    /// The accounts at ``levelsWithSlots``. Nil if the device level is locked; empty after other errors.
    let accounts: [(account: AccountName, protection: Protection)]?
  }

  /// Refuses new work at the levels to lock. Blocking.
  private static func closeGate(_ services: SessionServices) -> LockScope {
    let vault = services.vault
    let closing = vault.levelsToLock
    services.gate.close(closing)
    let open = closing.filter { vault.isUnlocked($0) }
    let levels = Protection.allCases.filter { closing.contains($0) && ((try? vault.hasSlots(for: $0)) ?? false) }
    do throws(VaultError) {
      let found = try vault.protections().filter { levels.contains($0.protection) }
      return LockScope(levelsToLock: closing, levelsWithSlots: levels, unlockedLevels: open, accounts: found)
    } catch {
      let accounts: [(AccountName, Protection)]? = error.code == .locked(.device) ? nil : []
      return LockScope(levelsToLock: closing, levelsWithSlots: levels, unlockedLevels: open, accounts: accounts)
    }
  }

  private func answerAndWipe(_ scope: LockScope, _ cause: LogEvent.LockCause) {
    signIns.endUnapproved(at: Set(scope.levelsWithSlots))
    for (name, level) in scope.accounts ?? broker.accounts.keys.map({ ($0, .device) }) {
      vaultLock.refuseTokens(of: name, at: level)
      if let account = broker.accounts[name] { dropTokens(account, level) }
      if scope.unlockedLevels.contains(level), !publishedAccounts.contains(name) { log.publish(.locked, name) }
    }
    publishedAccounts = []
    if !scope.unlockedLevels.isEmpty || cause == .userRequest { log.note(.locked(cause)) }
    lockResult = JSONObject([("locked", .array(scope.levelsWithSlots.map { .string($0.rawValue) }))])
    answerLocks()
    // The machine may hibernate, writing its memory to disk.
    let limit = cause == .session ? .zero : Self.refreshTimeout
    jobs.run({ [services] in
      // The lock makes it impossible to write pending records later.
      if services.hasUnwritten { services.retryWrites() }
      services.gate.wipe(scope.levelsToLock, within: limit) { services.vault.lock() }
    }) { [self] _ in endLock(Set(scope.levelsWithSlots)) }
  }

  private func answerLocks() {
    guard let lockResult else { return }
    let locks = lockRequests
    lockRequests = []
    for ticket in locks { loop.send(.result(lockResult), to: ticket) }
  }

  private func endLock(_ levels: Set<Protection>) {
    vaultLock.endLock()
    lockResult = nil
    signIns.endUnapproved(at: levels)
    context.housekeeping()
    let actions = actionsAfterLock
    actionsAfterLock = []
    for action in actions { whenNotLocking(action) }
  }

  /// Fails requests that wait for the tokens, too.
  private func dropTokens(_ account: Account, _ level: Protection) {
    let error = SessionError.vault(VaultError(.locked(level)))
    let failure = Failure(error, account: account.name.text)
    resources.endTransfers(of: account.name, failure)
    account.cancelQuestions()
    account.ownSlot.session.forgetToken()
    broker.failWaiters(account, error)
  }

  // MARK: Unlocking

  /// Runs `action` now, or after the lock in progress.
  func whenNotLocking(_ action: @escaping () -> Void) {
    if vaultLock.isLocking { actionsAfterLock.append(action) } else { action() }
  }

  /// Publishes the unlock of a level and its accounts, and resumes their work.
  func publishUnlock(_ event: LogEvent, _ accounts: [AccountName]) {
    log.note(event)
    vaultLock.startAutomaticLocking()
    if services.hasUnwritten { jobs.run({ [services] in services.retryWrites() }) { _ in } }
    for account in accounts { log.publish(.unlocked, account) }
    // Accounts with the background policy were not renewed while locked.
    broker.backgroundScanRevision = nil
    broker.scanBackgroundAccounts()
    broker.planSessionEndScan()
    signOuts.revokePending()
  }
}
