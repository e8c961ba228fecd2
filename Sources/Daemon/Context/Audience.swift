internal import Platform
internal import Sessions
internal import Vault
internal import Vocabulary
internal import Wire

/// Receives notifications from parts of the daemon for the parts that depend on them. ``DaemonParts`` forwards each.
protocol Audience: AnyObject {
  func logged(_ entry: LogEntry)
  func published(_ entry: SessionEntry)
  func published(_ entry: LeaseEntry)
  /// Receives the settings each time they are read.
  ///
  /// - Parameter active: The active account, which may be ephemeral.
  func settingsRead(_ file: Settings, active: AccountName?)
  /// Requests a new token, because the account's settings or the machine's clock changed.
  func tokenOutdated(of account: AccountName)
  /// Retries after a network change, spread over this time.
  ///
  /// - Returns: Whether any retry is needed.
  func networkChanged(spread: Duration) -> Bool
  func lock(_ cause: LogEvent.LockCause)
}
