internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Vocabulary
internal import Wire

/// Locks and unlocks the vault. A lock wipes keys and tokens from memory; accounts that only this device protects stay usable.
final class Locking: DaemonPart {
  private let state: VaultLock
  private let broker: TokenBroker
  private let signIns: SignIns
  private let resources: ResourceRequests
  /// The requests that asked for the lock in progress.
  private var tickets: [Ticket] = []
  /// Actions that run after the lock in progress.
  private var afterwards: [() -> Void] = []
  /// Called after each unlock.
  var onUnlock: () -> Void = {}

  init(
    _ context: DaemonContext, _ state: VaultLock, _ broker: TokenBroker, _ signIns: SignIns,
    _ resources: ResourceRequests
  ) {
    self.state = state
    self.broker = broker
    self.signIns = signIns
    self.resources = resources
    super.init(context)
    state.onLock = { [unowned self] cause in lock(cause) }
  }

  /// Runs once a minute: the timer of the idle lock does not see a pause of the machine.
  func housekeep() { state.lockIfIdle() }

  /// Locks the vault. Locked tokens are no longer served; the keys remain until the refreshes in flight have written
  /// their results.
  func lock(_ cause: LogEvent.LockCause, for ticket: Ticket? = nil) {
    // An unlock may wait for the lock in progress. This lock must run after it, or the vault would stay unlocked.
    if state.isLocking, !afterwards.isEmpty {
      return afterwards.append { [self] in lock(cause, for: ticket) }
    }
    if let ticket { tickets.append(ticket) }
    guard !state.isLocking else { return }
    state.begin()
    for account in broker.accounts.values {
      let levels = account.slots.compactMap(\.session.grant?.protection)
      guard let level = levels.first(where: { $0 != .device }) else { continue }
      state.shut(account.name, level)
      shut(account, level)
      log.publish(.locked, account.name)
    }
    signIns.endUnapproved(at: services.vault.levelsToLock)
    jobs.run({ [services] in Self.wipe(services) }) { [self] result in locked(cause, result.get()) }
  }

  /// Result of a lock.
  private struct LockResult: Sendable {
    /// The levels that are locked now.
    let levels: [Protection]
    /// The levels among them that were unlocked before.
    let closed: Set<Protection>
    /// The accounts at these levels; nil if they cannot be read.
    let accounts: [(account: AccountName, protection: Protection)]?
  }

  private static func wipe(_ services: SessionServices) -> LockResult {
    let vault = services.vault
    let closing = vault.levelsToLock
    let open = closing.filter { vault.isUnlocked($0) }
    // Writes pending records now, because they cannot be written after the lock.
    if services.isUnsettled { services.settleAll() }
    services.gate.close(closing) { vault.lock() }
    let levels = Protection.allCases.filter { closing.contains($0) && ((try? vault.hasSlots(for: $0)) ?? false) }
    do throws(VaultError) {
      let found = try vault.protections().filter { levels.contains($0.protection) }
      return LockResult(levels: levels, closed: open, accounts: found)
    } catch {
      return LockResult(levels: levels, closed: open, accounts: error.code == .locked(.device) ? nil : [])
    }
  }

  private func locked(_ cause: LogEvent.LockCause, _ result: LockResult) {
    let published = state.end()
    signIns.endUnapproved(at: Set(result.levels))
    for (name, level) in result.accounts ?? broker.accounts.keys.map({ ($0, .device) }) {
      if let account = broker.accounts[name] { shut(account, level) }
      if result.closed.contains(level), published[name] == nil { log.publish(.locked, name) }
    }
    if !result.closed.isEmpty || cause == .asked { log.note(.locked(cause)) }
    context.housekeeping()
    let result = JSONObject([("locked", .array(result.levels.map { .string($0.rawValue) }))])
    let (answered, actions) = (tickets, afterwards)
    (tickets, afterwards) = ([], [])
    for act in actions { whenNotLocking(act) }
    // An answer lets the next request of its connection begin, which may be another lock.
    for ticket in answered { loop.send(.result(result), to: ticket) }
  }

  /// Removes an account's tokens from memory and fails its waiting requests.
  private func shut(_ account: Account, _ level: Protection) {
    let error = SessionError.vault(VaultError(.locked(level)))
    let failure = Failure(error, account: account.name.text)
    resources.endTransfers(of: account.name, failure)
    account.cancelQuestions()
    account.session.forgetToken()
    broker.failWaiters(account, error)
  }

  // MARK: Unlocking

  /// Runs `act` now, or after the lock in progress.
  func whenNotLocking(_ act: @escaping () -> Void) {
    if state.isLocking { afterwards.append(act) } else { act() }
  }

  /// Publishes that a level and these accounts are unlocked.
  func unlocked(_ event: LogEvent, _ accounts: [AccountName]) {
    log.note(event)
    state.expectLock()
    for account in accounts { log.publish(.unlocked, account) }
    // Accounts with the background policy were not renewed while they were locked.
    broker.backgroundScanRevision = nil
    broker.scanBackgroundAccounts()
    broker.planSessionEndScan()
    onUnlock()
  }
}
