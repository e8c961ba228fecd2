import Platform

/// The text of `/proc/PID/status` (`proc(5)`).
struct StatusFile {
  let text: String

  static func ofThisThread() throws(SystemError) -> StatusFile {
    let file = try FileDescriptor(opening: "/proc/thread-self/status", for: .reading)
    return StatusFile(text: String(decoding: try file.readToEnd(limit: 65_536), as: UTF8.self))
  }

  /// Empty if the line is missing.
  subscript(name: String) -> String {
    for line in text.split(separator: "\n") where line.hasPrefix("\(name):\t") {
      return String(line.dropFirst(name.count + 2))
    }
    return ""
  }

  /// The signals in a mask such as `SigBlk`, without 32 and 33, which the C library reserves and ignores in every
  /// child; nil if the line is missing.
  func signals(_ name: String) -> Set<Int32>? {
    guard let mask = UInt64(self[name], radix: 16) else { return nil }
    return Set((1...64).filter { mask & (1 << UInt64($0 - 1)) != 0 }).subtracting([32, 33])
  }
}
