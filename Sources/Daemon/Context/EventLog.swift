internal import Encoding
internal import Crypto
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// Recent events in memory: the daemon's log, and the events of sessions and accounts.
///
/// Entries contain only event codes and valid account names, never text from a server, file or peer.
final class EventLog {
  static let capacity = 500
  /// The maximum number of session and account events.
  static let sessionCapacity = 200

  private let time: any TimeSource
  private let mirror: LogMirror?
  private(set) var entries = Ring<LogEntry>(capacity: capacity)
  private var sessionEntries = Ring<SessionEntry>(capacity: sessionCapacity)

  weak var observer: (any DaemonObserver)?

  /// - Parameter mirror: Receives a copy of each log entry.
  init(time: any TimeSource, mirror: LogMirror? = nil) {
    self.time = time
    self.mirror = mirror
  }

  /// Adds an event to the log.
  func note(_ event: LogEvent, _ account: AccountName? = nil) {
    let entry = LogEntry(time: time.wallSeconds(), account: account?.text, event: event)
    entries.append(entry)
    mirror?.write(entry)
    observer?.didLog(entry)
  }

  func publish(_ event: SessionEvent, _ account: AccountName? = nil) {
    let entry = SessionEntry(time: time.wallSeconds(), account: account?.text, event: event)
    sessionEntries.append(entry)
    observer?.didPublish(entry)
  }

  /// The log, oldest entry first, and how many entries were dropped.
  var json: JSONObject {
    JSONObject([
      ("events", .array(entries.elements.map { .object($0.line.json) })), ("dropped", .int(entries.dropped)),
    ])
  }

  /// The events of sessions and accounts, oldest first, and how many were dropped.
  ///
  /// - Parameter account: The account whose events to return. Nil for all.
  func sessionJSON(of account: AccountName?) -> JSONObject {
    let entries = sessionEntries.elements.filter { entry in account.map { entry.concerns($0.text) } ?? true }
    return JSONObject([
      ("events", .array(entries.map { .object($0.json) })), ("dropped", .int(sessionEntries.dropped)),
    ])
  }
}

extension LogEvent {
  /// The event to log for an observation by a session operation.
  init(_ observation: SessionObservation) {
    self =
      switch observation {
      case .step(let step): .step(.session(step))
      case .unanswered(let line, let failure, let time):
        .step(.unanswered(line, OAuthError.Code(failure).row().failure, failure.problem, milliseconds: time))
      case .keySetWarned(.privateKey): .keySetWarning(.privateKey)
      case .keySetWarned(.symmetricKey): .keySetWarning(.symmetricKey)
      case .keysUnusable: .keySetWarning(.unusableKey)
      case .authenticationTimeChanged: .authenticationTimeChanged
      case .endpointMoved: .endpointMoved
      }
  }
}
