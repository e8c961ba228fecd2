internal import Encoding
internal import Peers
internal import Platform
internal import Vault
internal import Vocabulary
internal import Wire

/// Recent events, in memory only, in two lists: the daemon's log, and the events of sessions and accounts. Used on the
/// loop only.
///
/// An entry consists of an event without text and of validated account names, so it cannot contain text from a server,
/// a file or a peer.
final class EventLog {
  static let capacity = 500
  static let sessionCapacity = 200

  private let time: any TimeSource
  private let mirror: LogMirror?
  private(set) var entries = Ring<LogEntry>(capacity: capacity)
  private var sessionEntries = Ring<SessionEntry>(capacity: sessionCapacity)

  /// Receives each new entry.
  weak var audience: (any Audience)?

  /// - Parameter mirror: Writes each new entry of the log.
  init(time: any TimeSource, mirror: LogMirror? = nil) {
    self.time = time
    self.mirror = mirror
  }

  func note(_ event: LogEvent, _ account: AccountName? = nil) {
    let entry = LogEntry(time: time.wallSeconds(), account: account?.text, event: event)
    entries.append(entry)
    mirror?.write(entry)
    audience?.logged(entry)
  }

  func publish(_ event: SessionEvent, _ account: AccountName? = nil) {
    let entry = SessionEntry(time: time.wallSeconds(), account: account?.text, event: event)
    sessionEntries.append(entry)
    audience?.published(entry)
  }

  /// The log, oldest entry first, and the number of dropped entries.
  var json: JSONObject {
    JSONObject([
      ("events", .array(entries.elements.map { .object($0.line.json) })), ("dropped", .int(entries.dropped)),
    ])
  }

  /// The events of sessions and accounts, oldest first, and the number of dropped ones.
  ///
  /// - Parameter account: Limits the events to this account; nil for all.
  func sessionJSON(of account: AccountName?) -> JSONObject {
    let entries = sessionEntries.elements.filter { entry in account.map { entry.concerns($0.text) } ?? true }
    return JSONObject([
      ("events", .array(entries.map { .object($0.json) })), ("dropped", .int(sessionEntries.dropped)),
    ])
  }
}
