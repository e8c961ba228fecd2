internal import Encoding
internal import Platform
internal import Wire

/// Writes the log to standard error while the daemon runs in the foreground. Drops lines that would block.
final class LogMirror {
  private let output: FileDescriptor
  private let hasLevels: Bool

  /// The journal's line prefix for failures (sd-daemon(3)).
  private static let warning = "<4>"
  /// The prefix for other entries.
  private static let information = "<6>"

  /// - Parameter hasLevels: Whether lines begin with their priority, for systemd's journal.
  init(_ output: consuming FileDescriptor, hasLevels: Bool) {
    self.output = output
    self.hasLevels = hasLevels
  }

  /// Writes to a duplicate of standard error. Nil on failure. `journalStream` is `JOURNAL_STREAM`, set if systemd's
  /// journal reads the output (systemd.exec(5)).
  static func standardError(journalStream: String?) -> LogMirror? {
    let standard = FileDescriptor(owning: Output.Stream.standardError.rawValue)
    let copy = try? standard.duplicate()
    _ = standard.release()
    guard let copy else { return nil }
    return LogMirror(copy, hasLevels: journalStream?.isEmpty == false)
  }

  func write(_ entry: LogEntry) {
    let level = hasLevels ? (entry.event.properties.isFailure ? Self.warning : Self.information) : ""
    // A line of this length is written atomically to a writable pipe (pipe(7)).
    guard (try? output.waitUntilWritable(timeout: .zero)) == true else { return }
    _ = try? output.write(Array("\(level)\(entry.line.text { Timestamp.rfc3339($0) })\n".utf8).span)
  }
}
