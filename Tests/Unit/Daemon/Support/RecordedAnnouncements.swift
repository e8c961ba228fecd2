import WireSupport
import Sessions
import Vocabulary
import Wire

@testable import Daemon

/// Records the notifications from one part, instead of the parts that depend on it.
final class RecordedAnnouncements: DaemonObserver {
  var steps: [LogStep] = []
  /// The accounts whose token was reported as outdated.
  private(set) var outdated: [String] = []
  private let hear: (SessionEntry) -> Void

  /// - Parameter hear: Called with each event of a session or an account.
  init(_ hear: @escaping (SessionEntry) -> Void = { _ in }) { self.hear = hear }

  func didLog(_ entry: LogEntry) { if case .step(let step) = entry.event { steps.append(step) } }
  func didPublish(_ entry: SessionEntry) { hear(entry) }
  func didPublish(_ entry: LeaseEntry) {}
  func didReadSettings(_ file: Settings, active: AccountName?) {}
  func didOutdateToken(of account: AccountName) { outdated.append(account.text) }
  func didChangeNetwork(spread: Duration) -> Bool { false }
  func lock(_ cause: LogEvent.LockCause) {}
}
