internal import Sessions
internal import Wire

/// Reacts to changes in any part of the daemon. ``DaemonParts`` forwards each call.
protocol DaemonObserver: AnyObject {
  func didLog(_ entry: LogEntry)
  func didPublish(_ entry: SessionEntry)
  func didPublish(_ entry: LeaseEntry)
  /// Called after each read of the settings. The active account may be ephemeral.
  func didReadSettings(_ file: Settings, active: AccountName?)
  /// Called when an account needs a new token because its settings or the clock changed.
  func didOutdateToken(of account: AccountName)
  /// Called after a network change. Spreads retries over `spread`. Returns whether there is anything to retry.
  func didChangeNetwork(spread: Duration) -> Bool
  /// Starts to lock the vault.
  func lock(_ cause: LogEvent.LockCause)
}
