/// The program that listens on a local port.
package struct PortListener: Sendable, Hashable {
  /// The socket's user.
  package let user: UInt32
  /// Nil if not in passwd(5).
  package let userName: String?
  /// Nil for another user's process.
  package let process: Int32?
  /// The process's name (proc_pid_comm(5)), at most 15 bytes.
  package let program: String?

  package init(user: UInt32, named userName: String? = nil, process: Int32? = nil, program: String? = nil) {
    (self.user, self.userName, self.process, self.program) = (user, userName, process, program)
  }

  /// Larger tables are skipped.
  private static let maximumBytes = 8 << 20
  private static let maximumNames = 65_536

  /// Searches this network namespace. Nil if no listener is found. Blocking.
  package static func of(port: UInt16) -> PortListener? {
    for table in TCPAddressPair.tables {
      guard let bytes = try? FileDescriptor.content(of: table, limit: maximumBytes),
        let found = listener(at: port, in: bytes)
      else { continue }
      let userName = UserEntry.of(found.user)?.name
      guard let process = process(with: "socket:[\(found.inode)]") ?? hiddenProcess(of: found.user) else {
        return PortListener(user: found.user, named: userName)
      }
      return PortListener(user: found.user, named: userName, process: process, program: name(of: process))
    }
    return nil
  }

  /// Whether the listener is another process of this program.
  package var isThisProgram: Bool {
    program.map { Self.name(of: Machine.processID)?.utf8.elementsEqual($0.utf8) ?? false } ?? false
  }

  /// The probable listener if the kernel hides its descriptors: the only other process of this user and program, if
  /// any.
  private static func hiddenProcess(of user: UInt32) -> Int32? {
    guard user == Machine.userID, let own = name(of: Machine.processID) else { return nil }
    let others = names("/proc").compactMap { Int32($0) }.filter { process in
      process != Machine.processID && name(of: process)?.utf8.elementsEqual(own.utf8) ?? false
        && self.user(of: process) == user
    }
    return others.count == 1 ? others.first : nil
  }

  private static func name(of process: Int32) -> String? {
    text("/proc/\(process)/comm").map { String($0.prefix { $0 != "\n" }) }
  }

  /// The real user ID (proc_pid_status(5)), since root owns the directory of an undumpable process.
  private static func user(of process: Int32) -> UInt32? {
    let lines = text("/proc/\(process)/status")?.split(separator: "\n") ?? []
    let line = lines.first { $0.utf8.starts(with: "Uid:".utf8) }
    return line.flatMap { $0.split { $0 == "\t" || $0 == " " }.dropFirst().first }.flatMap { UInt32($0) }
  }

  static func listener(at port: UInt16, in table: [UInt8]) -> (user: UInt32, inode: UInt64)? {
    let digits = String(port, radix: 16, uppercase: true)
    let ending = Array((":" + String(repeating: "0", count: 4 - digits.utf8.count) + digits).utf8)
    for line in table.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 10)
      guard fields.count >= 10, fields[1].suffix(ending.count).elementsEqual(ending),
        fields[3].elementsEqual("0A".utf8),
        let user = UInt32(String(decoding: fields[7], as: UTF8.self)),
        let inode = UInt64(String(decoding: fields[9], as: UTF8.self))
      else { continue }
      return (user, inode)
    }
    return nil
  }

  /// The process with this link in `/proc/PID/fd`.
  private static func process(with link: String) -> Int32? {
    names("/proc").compactMap { Int32($0) }.first { process in
      let place = "/proc/\(process)/fd"
      return names(place).contains { LinkWalk.target(of: "\(place)/\($0)") == link }
    }
  }

  private static func names(_ path: String) -> [String] {
    guard let directory = try? FileDescriptor(opening: path, for: .reading) else { return [] }
    return (try? DirectoryListing.names(in: directory.raw, limit: maximumNames)) ?? []
  }

  private static func text(_ path: String) -> String? {
    (try? FileDescriptor.content(of: path, limit: 4096)).map { String(decoding: $0, as: UTF8.self) }
  }
}
