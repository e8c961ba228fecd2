internal import Encoding
internal import Crypto
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// Recent events in memory: the daemon's log, and the events of sessions and accounts. Contains only event codes and
/// valid account names, no text from servers, files or peers.
final class EventLog {
  static let capacity = 500
  /// The limit for session and account events.
  static let sessionCapacity = 200

  private let time: any TimeSource
  private let mirror: LogMirror?
  private(set) var entries = Ring<LogEntry>(capacity: capacity)
  private var sessionEntries = Ring<SessionEntry>(capacity: sessionCapacity)

  weak var observer: (any DaemonObserver)?

  init(time: any TimeSource, mirror: LogMirror? = nil) {
    self.time = time
    self.mirror = mirror
  }

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

  /// The log, oldest entry first, and the number of dropped entries.
  var json: JSONObject {
    JSONObject([
      ("events", .array(entries.elements.map { .object($0.line.json) })), ("dropped", .int(entries.dropped)),
    ])
  }

  /// The events of one account, or all if nil.
  func sessionJSON(of account: AccountName?) -> JSONObject {
    let entries = sessionEntries.elements.filter { entry in account.map { entry.concerns($0.text) } ?? true }
    return JSONObject([
      ("events", .array(entries.map { .object($0.json) })), ("dropped", .int(sessionEntries.dropped)),
    ])
  }
}

extension LogEvent {
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
