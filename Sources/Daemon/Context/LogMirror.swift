internal import Encoding
internal import Peers
internal import Platform
internal import Wire

/// Writes the log to standard error while the daemon runs in the foreground.
///
/// Drops lines that cannot be written at once, because the loop must not wait for the reader.
final class LogMirror {
  private let output: FileDescriptor
  private let hasLevels: Bool

  /// Priorities of syslog(3), as sd-daemon(3) expects them before a line.
  private static let warning = "<4>"
  private static let information = "<6>"

  /// - Parameters:
  ///   - output: The destination of the lines.
  ///   - hasLevels: Whether to prefix each line with its priority, for systemd's journal.
  init(_ output: consuming FileDescriptor, hasLevels: Bool) {
    self.output = output
    self.hasLevels = hasLevels
  }

  /// The journal sets `JOURNAL_STREAM` for the services whose output it reads (systemd.exec(5)).
  static func standardError(journalStream: String?) -> LogMirror? {
    let standard = FileDescriptor(owning: Output.Stream.standardError.rawValue)
    let copy = try? standard.duplicate()
    _ = standard.release()
    guard let copy else { return nil }
    return LogMirror(copy, hasLevels: journalStream?.isEmpty == false)
  }

  func write(_ entry: LogEntry) {
    let level = hasLevels ? (entry.event.row.isFailure ? Self.warning : Self.information) : ""
    // If a pipe is writable, a line of this length is written atomically (pipe(7)).
    guard (try? output.waitUntilWritable(timeout: .zero)) == true else { return }
    _ = try? output.write(Array("\(level)\(entry.line.text { Timestamp.rfc3339($0) })\n".utf8).span)
  }
}
