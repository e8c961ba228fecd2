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
    // After suspend, the timer may be late.
    lockIfIdle()
    return refusedAccounts?[account].map { .vault(VaultError(.locked($0))) }
  }

  /// Restarts the idle time after serving a token.
  func recordUse(_ level: Protection) {
    if level != .device || isDeviceKeyFromPassphrase { idle.recordUse(loop.now, services.time.clockOffset) }
  }

  func handleVaultFileChange() {
    // Another process may also have changed the key slots.
    if !isDeviceKeyFromPassphrase { updateDeviceKeySource() }
  }

  // MARK: Locking

  var isLocking: Bool { refusedAccounts != nil }

  func beginLock() {
    refusedAccounts = [:]
    idle.end()
  }

  /// Refuses an account's tokens until ``endLock()``.
  func refuseTokens(of account: AccountName, at level: Protection) { refusedAccounts?[account] = level }

  /// Call after the keys are wiped. The vault stays locked.
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

  func updateDeviceKeySource() {
    if services.vault.levelsToLock.contains(.device) {
      startAutomaticLocking()
    } else {
      isDeviceKeyFromPassphrase = false
    }
  }

  /// Restarts the idle time if the settings changed it.
  func applyIdleTime(_ settings: Settings) {
    if idle.isCounting, idle.idleTime != Self.idleTime(settings.lockAfterSeconds) {
      startIdleTime(settings.lockAfterSeconds)
    }
  }

  /// 0 seconds disables automatic locking.
  private func startIdleTime(_ seconds: Int) {
    idle.begin(Self.idleTime(seconds), loop.now, services.time.clockOffset)
    alarm.set(at: due)
  }

  /// Nil disables automatic locking.
  private static func idleTime(_ seconds: Int) -> Duration? { seconds == 0 ? nil : .seconds(seconds) }

  /// When to lock automatically.
  private var due: Instant { idle.lockTime(services.time.clockOffset) }

  /// Idle time includes suspend.
  func lockIfIdle() {
    if due <= loop.now { context.observer?.lock(.idle) }
  }
}

/// Computes when to lock automatically. Idle time includes suspend and clock jumps (invariant: times are true).
struct IdleLock {
  /// The latest use of an unlocked token, and ``TimeSource/clockOffset`` then. Nil while nothing is unlocked.
  private var lastUse: (time: Instant, clockOffset: Int)?
  /// Nil without automatic locking.
  private(set) var idleTime: Duration?
  /// Whether idle time is measured.
  private(set) var isCounting = false

  /// Nil disables automatic locking.
  mutating func begin(_ idleTime: Duration?, _ now: Instant, _ clockOffset: Int) {
    self.idleTime = idleTime
    isCounting = true
    recordUse(now, clockOffset)
  }

  mutating func recordUse(_ now: Instant, _ clockOffset: Int) {
    if isCounting { lastUse = (now, clockOffset) }
  }

  /// When to lock, or the distant future.
  func lockTime(_ clockOffset: Int) -> Instant {
    guard let lastUse, let idleTime else { return .distantFuture }
    let jump = clockOffset - lastUse.clockOffset
    return lastUse.time.advanced(by: idleTime - .seconds(jump > AccessGrant.clockTolerance ? jump : 0))
  }

  mutating func end() { self = IdleLock() }
}
