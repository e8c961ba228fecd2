internal import DesktopBus
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// Decides whether tokens may be served, and when the vault locks automatically.
final class VaultLock: DaemonPart, TokenLock {
  /// The accounts being locked, with their levels. Nil unless a lock is in progress.
  private var refusedAccounts: [AccountName: Protection]?
  /// Whether a lock also wipes the device key, because only a passphrase can restore it.
  private var isDeviceKeyFromPassphrase = false
  private var idle = IdleLock()
  /// Locks the vault when the idle time has passed.
  private lazy var alarm: Alarm = Alarm(loop) { [unowned self] in
    context.files.poll()
    lockIfIdle()
    alarm.set(at: due)
  }
  private lazy var screenLockListener: DesktopLockListener = {
    let onSignal = jobs.messageSender { [unowned self] (_: Void) in context.observer?.lock(.session) }
    return DesktopLockListener(userID: Machine.userID) { onSignal(()) }
  }()

  // MARK: Tokens

  func refusalAfterIdleCheck(for account: AccountName) -> SessionError? {
    // The idle time may have passed during suspend, before the timer fires.
    lockIfIdle()
    return refusedAccounts?[account].map { .vault(VaultError(.locked($0))) }
  }

  /// Restarts the idle time after serving a token at this level.
  func recordUse(_ level: Protection) {
    if level != .device || isDeviceKeyFromPassphrase { idle.recordUse(loop.now, services.time.clockOffset) }
  }

  func handleVaultFileChange() {
    // Another process may also have changed the key slots.
    if !isDeviceKeyFromPassphrase { updateDeviceKeySource() }
  }

  // MARK: Locking

  var isLocking: Bool { refusedAccounts != nil }

  /// Begins a lock and stops measuring the idle time.
  func beginLock() {
    refusedAccounts = [:]
    idle.end()
  }

  /// Refuses an account's tokens until ``endLock()``.
  func refuseTokens(of account: AccountName, at level: Protection) { refusedAccounts?[account] = level }

  /// Completes the lock in progress after the keys were wiped. The vault stays locked.
  func endLock() {
    isDeviceKeyFromPassphrase = services.vault.levelsToLock.contains(.device)
    refusedAccounts = nil
  }

  // MARK: Unlocking

  /// After an unlock, starts the idle time and listens for screen locks.
  func startAutomaticLocking() {
    isDeviceKeyFromPassphrase = services.vault.levelsToLock.contains(.device)
    screenLockListener.listen()
    startIdleTime((try? settings().lockAfterSeconds) ?? Settings.defaultLockAfterSeconds)
  }

  /// Updates ``isDeviceKeyFromPassphrase`` after a change of the key slots.
  func updateDeviceKeySource() {
    if services.vault.levelsToLock.contains(.device) {
      startAutomaticLocking()
    } else {
      isDeviceKeyFromPassphrase = false
    }
  }

  /// Restarts the idle time if the settings have changed it.
  func applyIdleTime(_ settings: Settings) {
    if idle.isCounting, idle.idleTime != Self.idleTime(settings.lockAfterSeconds) {
      startIdleTime(settings.lockAfterSeconds)
    }
  }

  /// Starts the idle time. 0 seconds disables automatic locking.
  private func startIdleTime(_ seconds: Int) {
    idle.begin(Self.idleTime(seconds), loop.now, services.time.clockOffset)
    alarm.set(at: due)
  }

  /// Nil disables automatic locking.
  private static func idleTime(_ seconds: Int) -> Duration? { seconds == 0 ? nil : .seconds(seconds) }

  /// When to lock automatically.
  private var due: Instant { idle.lockTime(services.time.clockOffset) }

  /// Locks if the idle time has passed, including suspend.
  func lockIfIdle() {
    if due <= loop.now { context.observer?.lock(.idle) }
  }
}

/// Computes when to lock automatically. Idle time includes suspend and jumps of the machine's clock (invariant: times
/// are true).
struct IdleLock {
  /// The last use of an unlocked token, and ``TimeSource/clockOffset`` then. Nil while nothing is unlocked.
  private var lastUse: (time: Instant, clockOffset: Int)?
  /// Nil without automatic locking.
  private(set) var idleTime: Duration?
  /// Whether idle time is measured, because something is unlocked.
  private(set) var isCounting = false

  /// Starts the idle time. Nil disables automatic locking.
  mutating func begin(_ idleTime: Duration?, _ now: Instant, _ clockOffset: Int) {
    self.idleTime = idleTime
    isCounting = true
    recordUse(now, clockOffset)
  }

  mutating func recordUse(_ now: Instant, _ clockOffset: Int) {
    if isCounting { lastUse = (now, clockOffset) }
  }

  /// When to lock, or the distant future. `clockOffset` is the current ``TimeSource/clockOffset``.
  func lockTime(_ clockOffset: Int) -> Instant {
    guard let lastUse, let idleTime else { return .distantFuture }
    let jump = clockOffset - lastUse.clockOffset
    return lastUse.time.advanced(by: idleTime - .seconds(jump > AccessGrant.clockTolerance ? jump : 0))
  }

  mutating func end() { self = IdleLock() }
}
