internal import Platform
internal import Vault
internal import Vocabulary
internal import Wire

/// State of a lock of the vault.
struct LockState {
  /// A lock is in progress; the keys are not wiped yet.
  var isLocking = false
  /// The accounts that the lock in progress covers, as far as known.
  var shut: [AccountName: Protection] = [:]
  /// The requests that asked for the lock.
  var tickets: [Ticket] = []
  /// Actions that run after the lock in progress.
  var afterwards: [() -> Void] = []
  var idle = IdleLock()
  /// Whether a lock also wipes the device's key, which then needs a passphrase to return.
  var isDeviceKeyLent = false

  /// Whether a lock would remove tokens at this level.
  func keepsOpen(_ level: Protection) -> Bool { level != .device || isDeviceKeyLent }
}

/// The automatic lock after idle time, by a clock that continues during suspend.
struct IdleLock {
  /// Time of the automatic lock; the distant future while nothing is unlocked or automatic locking is off.
  private(set) var due = Instant.distantFuture
  private(set) var patience: Duration?
  /// Time of the scheduled timer; nil if none is set.
  var timer: Instant?

  /// Starts the idle time after an unlock; nil turns automatic locking off.
  mutating func begin(_ patience: Duration?, _ now: Instant) {
    self.patience = patience
    isCounting = true
    used(now)
  }

  /// Restarts the idle time, because a command used an unlocked token.
  mutating func used(_ now: Instant) {
    due = patience.map { now.advanced(by: $0) } ?? .distantFuture
  }

  /// Whether something is unlocked.
  private(set) var isCounting = false

  mutating func end() {
    isCounting = false
    patience = nil
    due = .distantFuture
  }
}
