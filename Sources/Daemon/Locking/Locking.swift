internal import DesktopBus
internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// Locks and unlocks the vault. A lock wipes keys and tokens from memory; accounts that only this device protects stay usable.
final class Locking: DaemonPart, TokenLock {
  let context: DaemonContext
  // Set once, when all parts are there.
  var broker: TokenBroker!
  var signIns: SignIns!
  var resources: ResourceRequests!
  private var locks = LockState()
  /// Listened to once something was unlocked.
  private lazy var wishes: LockWishes = {
    let wish = jobs.messages { [unowned self] (_: Void) in lock(.session) }
    return LockWishes(userID: Machine.userID) { wish(()) }
  }()

  init(_ context: DaemonContext) { self.context = context }

  // MARK: Tokens

  func refusal(for account: AccountName) -> SessionError? {
    // Time may have passed in suspend, of which the timer has not told yet.
    if locks.idle.due <= loop.now { lock(.idle) }
    guard locks.isLocking, let level = locks.shut[account] else { return nil }
    return .vault(VaultError(.locked(level)))
  }

  func used(_ level: Protection) {
    if locks.keepsOpen(level) { locks.idle.used(loop.now) }
  }

  func vaultFileChanged() {
    // Another process may have changed what opens the vault, too.
    if !locks.isDeviceKeyLent { lookForLentKey() }
  }

  // MARK: Locking

  /// Locks. Nothing behind a lock is handed out from now on; the keys stay until the refreshes under way have
  /// written what they got.
  func lock(_ cause: LogEvent.LockCause, for ticket: Ticket? = nil) {
    // Behind a lock that is under way something may wait to unlock; that must not have the last word.
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

  /// What a lock has closed.
  private struct Wiped: Sendable {
    /// The levels that are locked now.
    let levels: [Protection]
    /// Those of them that were open.
    let closed: Set<Protection>
    /// The accounts at them; nil when not even that can be known.
    let accounts: [(account: AccountName, protection: Protection)]?
  }

  private static func wipe(_ services: SessionServices) -> Wiped {
    let vault = services.vault
    let closing = vault.levelsToLock
    let open = closing.filter { vault.isUnlocked($0) }
    // What could not be written before cannot be written afterwards either.
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
    let result = JSONObject([("locked", .array(wiped.levels.map { .string($0.word) }))])
    for ticket in locks.tickets { loop.send(.result(result), to: ticket) }
    locks.tickets = []
    let afterwards = locks.afterwards
    locks.afterwards = []
    for act in afterwards { act() }
  }

  /// Lets go of all that memory holds of an account, and of those who wait for it. A refresh under way is not
  /// given up, since the token that it spent is gone.
  private func shut(_ account: LiveAccount, _ level: Protection) {
    let error = SessionError.vault(VaultError(.locked(level)))
    let failure = Failure(error, account: account.name.text)
    resources.endTransfers(of: account.name, failure)
    account.cancelQuestions()
    account.session.forgetToken()
    broker.failWaiters(account, error, cancelling: false)
  }

  // MARK: Unlocking

  /// Does what must not come between the two halves of a lock.
  func whenNotLocking(_ act: @escaping () -> Void) {
    if locks.isLocking { locks.afterwards.append(act) } else { act() }
  }

  /// A level is open from now on, and these accounts with it.
  func unlocked(_ event: LogEvent, _ accounts: [AccountName]) {
    log.note(event)
    expectLock()
    for account in accounts { log.tell(.unlocked, account) }
    // Those that are always kept fresh could not be while they were locked.
    broker.backgroundScanRevision = nil
    broker.keepFresh()
  }

  /// Something is open that a lock takes away.
  private func expectLock() {
    locks.isDeviceKeyLent = services.vault.levelsToLock.contains(.device)
    wishes.listen()
    awaitIdleness()
  }

  /// The vault may have become one that only a passphrase opens, without anybody having unlocked it.
  func lookForLentKey() {
    if services.vault.levelsToLock.contains(.device) { expectLock() } else { locks.isDeviceKeyLent = false }
  }

  /// The settings have another time after which the vault locks by itself.
  func idleTimeChanged() {
    if locks.idle.isCounting { awaitIdleness() }
  }

  /// Begins to count anew, by the settings as they are now.
  func awaitIdleness() {
    let seconds = (try? settings().lockAfterSeconds) ?? Settings.defaultLockAfterSeconds
    locks.idle.begin(Self.patience(seconds), loop.now)
    scheduleIdleLock()
  }

  /// The settings may name another time.
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
