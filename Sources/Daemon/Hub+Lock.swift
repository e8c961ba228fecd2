internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// Locking and unlocking. Keys and tokens go from memory; accounts that only this device protects go on.
extension Hub {
  /// Locks. Nothing behind a lock is handed out from now on; the keys stay until the refreshes under way have
  /// written what they got.
  func lock(_ cause: LogEvent.LockCause, for ticket: Ticket? = nil) {
    if let ticket { locks.tickets.append(ticket) }
    guard !locks.isLocking else { return }
    locks.isLocking = true
    locks.idle.end()
    for account in accounts.values {
      let levels = account.all.compactMap(\.session.grant?.protection)
      guard let level = levels.first(where: { $0 != .device }) else { continue }
      locks.shut[account.name] = level
      shut(account, level)
    }
    endLogins(at: services.vault.levelsToLock)
    let names = Array(accounts.keys)
    submit { [services] in
      let (levels, shut) = Self.wipe(services, names)
      return .then { hub in hub.locked(cause, levels, shut) }
    }
  }

  /// Wipes the keys, and tells what is locked now: the levels, and these accounts with theirs.
  private static func wipe(
    _ services: SessionServices, _ names: [AccountName]
  ) -> ([Protection], [(account: AccountName, protection: Protection)]) {
    let vault = services.vault
    let closing = vault.levelsToLock
    services.gate.close(closing) { vault.lock() }
    let levels = Protection.allCases.filter { closing.contains($0) && ((try? vault.hasSlots(for: $0)) ?? false) }
    do throws(VaultError) {
      let names = Set(names)
      return (levels, try vault.protections().filter { names.contains($0.account) && levels.contains($0.protection) })
    } catch {
      return (levels, error.code == .locked(.device) ? names.map { ($0, .device) } : [])
    }
  }

  private func locked(
    _ cause: LogEvent.LockCause, _ levels: [Protection], _ names: [(account: AccountName, protection: Protection)]
  ) {
    locks.isLocking = false
    locks.shut = [:]
    endLogins(at: Set(levels))
    for (name, level) in names { if let account = accounts[name] { shut(account, level) } }
    if !levels.isEmpty || cause == .asked { log.note(.locked(cause)) }
    if !levels.isEmpty { log.tell(.locked) }
    loop.tidyUp()
    let result = JSONObject([("locked", .array(levels.map { .string($0.word) }))])
    for ticket in locks.tickets { loop.send(.result(result), to: ticket) }
    locks.tickets = []
    let afterwards = locks.afterwards
    locks.afterwards = []
    for act in afterwards { act(self) }
  }

  /// Lets go of all that memory holds of an account, and of those who wait for it. A refresh under way is not
  /// given up, since the token that it spent is gone.
  private func shut(_ account: Account, _ level: Protection) {
    let error = SessionError.vault(VaultError(.locked(level)))
    let failure = Failure(error, account: account.name.text)
    endTransfers(of: account.name, failure)
    account.session.forgetToken()
    failWaiters(account, error, cancelling: false)
  }

  /// What nobody has approved yet could not be kept.
  private func endLogins(at levels: Set<Protection>) {
    for login in logins.values where !login.isFinishing {
      if let level = login.prepared?.level, levels.contains(level) { fail(login, .vault(VaultError(.locked(level)))) }
    }
  }

  // MARK: Unlocking

  /// Does what must not come between the two halves of a lock.
  func whenNotLocking(_ act: @escaping (Hub) -> Void) {
    if locks.isLocking { locks.afterwards.append(act) } else { act(self) }
  }

  /// A level is open from now on.
  func unlocked(_ event: LogEvent) {
    log.note(event)
    log.tell(.unlocked)
    awaitIdleness()
  }

  /// Begins to count anew, by the settings as they are now.
  func awaitIdleness() {
    let seconds = (try? settings().lockAfterSeconds) ?? Settings.defaultLockAfterSeconds
    locks.idle.begin(seconds == 0 ? nil : .seconds(seconds), loop.now)
    scheduleIdleLock()
  }

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
