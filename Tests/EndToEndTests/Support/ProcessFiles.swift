import Platform
import TestSupport
import Testing

/// Files below `/proc`.
enum ProcessFiles {
  /// What a file says of a process; nil when there is none, or it may not be read.
  static func text(_ name: String, of process: Int32) -> String? {
    guard let file = try? FileDescriptor(opening: "/proc/\(process)/\(name)", for: .reading) else { return nil }
    return (try? file.readToEnd(limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Waits until a process has stopped to which the signal for it was sent: until it gets a processor again, its threads
  /// go on.
  static func awaitStop(of process: Int32) throws {
    let deadline = Instant.now.advanced(by: .testLimit)
    while try !#require(text("status", of: process)).contains("\nState:\tT") {
      try #require(Instant.now < deadline, "it does not stop")
      Threads.sleep(for: .milliseconds(1))
    }
  }
}
