import Platform

/// Files below `/proc`.
enum ProcessFiles {
  /// What a file says of a process; nil when there is none, or it may not be read.
  static func text(_ name: String, of process: Int32) -> String? {
    guard let file = try? FileDescriptor(opening: "/proc/\(process)/\(name)", for: .reading) else { return nil }
    return (try? file.readToEnd(limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
  }
}
