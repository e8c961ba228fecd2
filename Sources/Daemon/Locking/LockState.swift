internal import Platform
internal import Vault
internal import Wire

/// Where the locking of the vault stands.
struct LockState {
  /// The keys are about to be wiped.
  var isLocking = false
  /// The accounts that are known to be behind them.
  var shut: [AccountName: Protection] = [:]
  /// Who asked for that.
  var tickets: [Ticket] = []
  /// What came meanwhile and is done afterwards.
  var afterwards: [() -> Void] = []
  var idle = IdleLock()
  /// A lock takes the device's key too, since it does not come back by itself.
  var isDeviceKeyLent = false

  /// Whether the use of a token at this level is one of what a lock would take away.
  func keepsOpen(_ level: Protection) -> Bool { level != .device || isDeviceKeyLent }
}

/// When the vault locks by itself, on a clock that goes on in suspend.
struct IdleLock {
  /// A time that never comes, while nothing is unlocked or it never locks by itself.
  private(set) var due = Instant.distantFuture
  private(set) var patience: Duration?
  /// When a timer will go off; nil when none is set.
  var timer: Instant?

  /// Something is unlocked from now on; nil never locks by itself.
  mutating func begin(_ patience: Duration?, _ now: Instant) {
    self.patience = patience
    isCounting = true
    used(now)
  }

  /// A command used what a lock would take away.
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
