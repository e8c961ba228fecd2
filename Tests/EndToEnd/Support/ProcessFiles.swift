import Platform
import TestSupport
import Testing

/// Files below `/proc`.
enum ProcessFiles {
  /// The content of a process's file; nil if missing or unreadable.
  static func text(_ name: String, of process: Int32) -> String? {
    guard let file = try? FileDescriptor(opening: "/proc/\(process)/\(name)", for: .reading) else { return nil }
    return (try? file.readToEnd(limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The IDs of the processes whose arguments contain a text.
  static func processes(naming text: String) throws -> [Int32] {
    let listing = try ProcessRunner.shell("cd /proc && echo [0-9]*").outputText
    return listing.split(whereSeparator: { " \n".contains($0) }).compactMap { Int32($0) }.filter { process in
      Self.text("cmdline", of: process)?.contains(text) ?? false
    }
  }

  /// After a stop signal, threads run until they are next scheduled.
  static func awaitStop(of process: Int32) throws {
    let deadline = Instant.now.advanced(by: .testLimit)
    while try !#require(text("status", of: process)).contains("\nState:\tT") {
      try #require(Instant.now < deadline, "it does not stop")
      Threads.sleep(for: .milliseconds(1))
    }
  }
}
