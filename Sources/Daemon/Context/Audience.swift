internal import Platform
internal import Sessions
internal import Vault
internal import Vocabulary
internal import Wire

/// Hears what a part of the daemon tells those that come after it, which it does not know. ``DaemonParts`` passes each on.
protocol Audience: AnyObject {
  /// A new entry of the log.
  func logged(_ entry: LogEntry)
  /// A new event of a session or an account.
  func published(_ entry: SessionEntry)
  /// A new event of a lease.
  func published(_ entry: LeaseEntry)
  /// The settings, each time that they were read.
  ///
  /// - Parameter active: The active account, which may be in no file.
  func settingsRead(_ file: Settings, active: AccountName?)
  /// Settings of the account or the machine's clock changed, so that its token is requested again.
  func tokenOutdated(of account: AccountName)
  /// The network changed, and retries are spread over this time.
  ///
  /// - Returns: Whether any retry is needed.
  func networkChanged(spread: Duration) -> Bool
  /// The vault must be locked.
  func lock(_ cause: LogEvent.LockCause)
}
