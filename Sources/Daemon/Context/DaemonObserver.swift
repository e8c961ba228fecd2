internal import Sessions
internal import Wire

/// Reacts to changes in the daemon's parts.
protocol DaemonObserver: AnyObject {
  func didLog(_ entry: LogEntry)
  func didPublish(_ entry: SessionEntry)
  func didPublish(_ entry: LeaseEntry)
  /// The settings were read. The active account may be ephemeral.
  func didReadSettings(_ file: Settings, active: AccountName?)
  /// The account needs a new token because its settings or the clock changed.
  func didOutdateToken(of account: AccountName)
  /// The network changed. Spreads retries over `spread`. Returns whether there is anything to retry.
  func didChangeNetwork(spread: Duration) -> Bool
  /// Starts to lock the vault.
  func lock(_ cause: LogEvent.LockCause)
}
