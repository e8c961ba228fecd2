internal import DesktopBus
internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Vocabulary
internal import Wire

/// Locks and unlocks the vault. A lock wipes keys and tokens from memory; accounts that only this device protects stay usable.
final class Locking: DaemonPart, TokenLock {
  let context: DaemonContext
  // Set once, when all parts are there.
  var broker: TokenBroker!
  var signIns: SignIns!
  var resources: ResourceRequests!
  private var locks = LockState()
  /// Receives lock requests of the desktop and the login manager, after the first unlock.
  private lazy var wishes: LockWishes = {
    let wish = jobs.messages { [unowned self] (_: Void) in lock(.session) }
    return LockWishes(userID: Machine.userID) { wish(()) }
  }()

  init(_ context: DaemonContext) { self.context = context }

  // MARK: Tokens

  func refusal(for account: AccountName) -> SessionError? {
    // After suspend the idle time may be over before the timer fires.
    if locks.idle.due <= loop.now { lock(.idle) }
    guard locks.isLocking, let level = locks.shut[account] else { return nil }
    return .vault(VaultError(.locked(level)))
  }

  func used(_ level: Protection) {
    if locks.keepsOpen(level) { locks.idle.used(loop.now) }
  }

  func vaultFileChanged() {
    // Another process may also have changed the key slots.
    if !locks.isDeviceKeyLent { lookForLentKey() }
  }

  // MARK: Locking

  /// Locks the vault. Locked tokens are no longer served; the keys remain until the refreshes in flight have written
  /// their results.
  func lock(_ cause: LogEvent.LockCause, for ticket: Ticket? = nil) {
    // An unlock may wait for the lock in progress. This lock must run after it, or the vault would stay unlocked.
    if locks.isLocking, !locks.afterwards.isEmpty {
      return locks.afterwards.append { [self] in lock(cause, for: ticket) }
    }
    if let ticket { locks.tickets.append(ticket) }
    guard !locks.isLocking else { return }
    locks.isLocking = true
    locks.idle.end()
    for account in broker.accounts.values {
      let levels = account.all.compactMap(\.session.grant?.protection)
      guard let level = levels.first(where: { $0 != .device }) else { continue }
      locks.shut[account.name] = level
      shut(account, level)
      log.tell(.locked, account.name)
    }
    signIns.endUnapproved(at: services.vault.levelsToLock)
    jobs.run({ [services] in Self.wipe(services) }) { [self] wiped in locked(cause, wiped.get()) }
  }

  /// Result of a lock.
  private struct Wiped: Sendable {
    /// The levels that are locked now.
    let levels: [Protection]
    /// The levels among them that were unlocked before.
    let closed: Set<Protection>
    /// The accounts at these levels; nil if they cannot be read.
    let accounts: [(account: AccountName, protection: Protection)]?
  }

  private static func wipe(_ services: SessionServices) -> Wiped {
    let vault = services.vault
    let closing = vault.levelsToLock
    let open = closing.filter { vault.isUnlocked($0) }
    // Writes pending records now, because they cannot be written after the lock.
    if services.isUnsettled { services.settleAll() }
    services.gate.close(closing) { vault.lock() }
    let levels = Protection.allCases.filter { closing.contains($0) && ((try? vault.hasSlots(for: $0)) ?? false) }
    do throws(VaultError) {
      let found = try vault.protections().filter { levels.contains($0.protection) }
      return Wiped(levels: levels, closed: open, accounts: found)
    } catch {
      return Wiped(levels: levels, closed: open, accounts: error.code == .locked(.device) ? nil : [])
    }
  }

  private func locked(_ cause: LogEvent.LockCause, _ wiped: Wiped) {
    let told = locks.shut
    locks.isLocking = false
    locks.isDeviceKeyLent = services.vault.levelsToLock.contains(.device)
    locks.shut = [:]
    signIns.endUnapproved(at: Set(wiped.levels))
    for (name, level) in wiped.accounts ?? broker.accounts.keys.map({ ($0, .device) }) {
      if let account = broker.accounts[name] { shut(account, level) }
      if wiped.closed.contains(level), told[name] == nil { log.tell(.locked, name) }
    }
    if !wiped.closed.isEmpty || cause == .asked { log.note(.locked(cause)) }
    loop.tidyUp()
    let result = JSONObject([("locked", .array(wiped.levels.map { .string($0.rawValue) }))])
    for ticket in locks.tickets { loop.send(.result(result), to: ticket) }
    locks.tickets = []
    let afterwards = locks.afterwards
    locks.afterwards = []
    for act in afterwards { act() }
  }

  /// Removes an account's tokens from memory and fails its waiting requests. A refresh in flight is not cancelled,
  /// because the server may have invalidated the refresh token that it sent.
  private func shut(_ account: LiveAccount, _ level: Protection) {
    let error = SessionError.vault(VaultError(.locked(level)))
    let failure = Failure(error, account: account.name.text)
    resources.endTransfers(of: account.name, failure)
    account.cancelQuestions()
    account.session.forgetToken()
    broker.failWaiters(account, error, cancelling: false)
  }

  // MARK: Unlocking

  /// Runs `act` now, or after the lock in progress.
  func whenNotLocking(_ act: @escaping () -> Void) {
    if locks.isLocking { locks.afterwards.append(act) } else { act() }
  }

  /// Publishes that a level and these accounts are unlocked.
  func unlocked(_ event: LogEvent, _ accounts: [AccountName]) {
    log.note(event)
    expectLock()
    for account in accounts { log.tell(.unlocked, account) }
    // Accounts with the background policy were not renewed while they were locked.
    broker.backgroundScanRevision = nil
    broker.keepFresh()
  }

  /// Starts the idle timer and listens for lock requests, because a lockable level is unlocked.
  private func expectLock() {
    locks.isDeviceKeyLent = services.vault.levelsToLock.contains(.device)
    wishes.listen()
    awaitIdleness()
  }

  /// Checks whether a lock now includes the device's key: only a passphrase may open the vault after a change.
  func lookForLentKey() {
    if services.vault.levelsToLock.contains(.device) { expectLock() } else { locks.isDeviceKeyLent = false }
  }

  /// Restarts the idle timer after a change of the idle time.
  func idleTimeChanged() {
    if locks.idle.isCounting { awaitIdleness() }
  }

  /// Restarts the idle timer with the current settings.
  func awaitIdleness() {
    let seconds = (try? settings().lockAfterSeconds) ?? Settings.defaultLockAfterSeconds
    locks.idle.begin(Self.patience(seconds), loop.now)
    scheduleIdleLock()
  }

  /// Restarts the idle timer if the idle time in the settings changed.
  func lookAtIdleTime(_ settings: Settings) {
    let patience = Self.patience(settings.lockAfterSeconds)
    if locks.idle.isCounting, locks.idle.patience != patience {
      locks.idle.begin(patience, loop.now)
      scheduleIdleLock()
    }
  }

  /// Zero never locks.
  private static func patience(_ seconds: Int) -> Duration? { seconds == 0 ? nil : .seconds(seconds) }

  private func scheduleIdleLock() {
    let due = locks.idle.due
    guard due != .distantFuture, locks.idle.timer.map({ due < $0 }) ?? true else { return }
    locks.idle.timer = due
    loop.schedule(.idleLock, at: due)
  }

  func idleLockDue() {
    locks.idle.timer = nil
    if locks.idle.due <= loop.now { lock(.idle) } else { scheduleIdleLock() }
  }
}
