internal import Encoding
internal import Platform
internal import Vault
internal import Wire

/// The daemon's last events, in memory only. Used on the loop alone.
///
/// An entry is made of an event, which holds no text, and an account's checked name: nothing that a
/// server, a file or a peer sends can get in.
final class EventLog {
  static let capacity = 500

  private let time: any TimeSource
  private let mirror: LogMirror?
  /// A ring once it is full; the oldest is then at ``next``.
  private var entries: [LogEntry] = []
  private var next = 0
  private var total = 0

  /// Is told each entry as it comes.
  var listener: ((LogEntry) -> Void)?

  /// - Parameter mirror: Writes each entry as it comes.
  init(time: any TimeSource, mirror: LogMirror? = nil) {
    self.time = time
    self.mirror = mirror
  }

  func note(_ event: LogEvent, _ account: AccountName? = nil) {
    let entry = LogEntry(time: time.wallSeconds(), account: account?.text, event: event)
    total += 1
    if entries.count < Self.capacity {
      entries.append(entry)
    } else {
      entries[next] = entry
      next = (next + 1) % Self.capacity
    }
    mirror?.write(entry)
    listener?(entry)
  }

  /// The oldest first, and how many were pushed out.
  var json: JSONObject {
    let ordered = entries[next...] + entries[..<next]
    return JSONObject([
      ("events", .array(ordered.map { .object($0.json) })), ("dropped", .int(total - entries.count)),
    ])
  }
}
