internal import Encoding
internal import Platform
internal import Vault
internal import Wire

/// What happened lately, in memory only, in two lists: what the daemon did, which is its log, and what became of
/// sessions and accounts, which is for those who use them. Used on the loop alone.
///
/// An entry is made of an event, which holds no text, and of accounts' checked names: nothing that a
/// server, a file or a peer sends can get in.
final class EventLog {
  static let capacity = 500
  static let sessionCapacity = 200

  private let time: any TimeSource
  private let mirror: LogMirror?
  private var entries = Ring<LogEntry>(capacity: capacity)
  private var sessionEntries = Ring<SessionEntry>(capacity: sessionCapacity)

  /// Is told each entry of the log as it comes.
  var listener: ((LogEntry) -> Void)?
  /// Is told what happens to sessions and accounts.
  var sessionListener: ((SessionEntry) -> Void)?

  /// - Parameter mirror: Writes each entry of the log as it comes.
  init(time: any TimeSource, mirror: LogMirror? = nil) {
    self.time = time
    self.mirror = mirror
  }

  /// The daemon did something.
  func note(_ event: LogEvent, _ account: AccountName? = nil) {
    let entry = LogEntry(time: time.wallSeconds(), account: account?.text, event: event)
    entries.append(entry)
    mirror?.write(entry)
    listener?(entry)
  }

  /// Something happened to a session or an account.
  func tell(_ event: SessionEvent, _ account: AccountName? = nil) {
    let entry = SessionEntry(time: time.wallSeconds(), account: account?.text, event: event)
    sessionEntries.append(entry)
    sessionListener?(entry)
  }

  /// The log: the oldest first, and how many were pushed out.
  var json: JSONObject {
    JSONObject([
      ("events", .array(entries.elements.map { .object($0.json) })), ("dropped", .int(entries.dropped)),
    ])
  }

  /// What happened to sessions and accounts, likewise.
  ///
  /// - Parameter account: Only what concerns this one; nil for all.
  func sessionJSON(of account: AccountName?) -> JSONObject {
    let told = sessionEntries.elements.filter { entry in account.map { entry.concerns($0.text) } ?? true }
    return JSONObject([
      ("events", .array(told.map { .object($0.json) })), ("dropped", .int(sessionEntries.dropped)),
    ])
  }
}
