/// The program that listens on a port of this machine.
package struct PortHolder: Sendable, Hashable {
  package let user: UInt32
  /// Nil if passwd(5) does not contain the user.
  package let userName: String?
  /// Nil if the process is another user's, so that it cannot be seen.
  package let process: Int32?
  /// The name of the process (proc_pid_comm(5)), at most 15 bytes.
  package let program: String?

  package init(user: UInt32, named userName: String? = nil, process: Int32? = nil, program: String? = nil) {
    (self.user, self.userName, self.process, self.program) = (user, userName, process, program)
  }

  /// The largest table and the most processes that are read.
  private static let maxBytes = 8 << 20
  private static let maxNames = 65_536

  /// Finds the program in the tables of this network namespace. Blocking.
  ///
  /// - Returns: Nil if it is not found, as in another network namespace.
  package static func of(port: UInt16) -> PortHolder? {
    for table in TCPEnds.tables {
      guard let file = try? FileDescriptor(opening: table, for: .reading),
        let bytes = try? file.readToEnd(limit: maxBytes), let found = listener(at: port, in: bytes)
      else { continue }
      let userName = UserEntry.of(found.user)?.name
      guard let process = process(with: "socket:[\(found.inode)]") else {
        return PortHolder(user: found.user, named: userName)
      }
      let name = text("/proc/\(process)/comm").map { String($0.prefix { $0 != "\n" }) }
      return PortHolder(user: found.user, named: userName, process: process, program: name)
    }
    return nil
  }

  /// `sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode …` (proc_net(5)).
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

  private static func process(with link: String) -> Int32? {
    names("/proc").compactMap { Int32($0) }.first { process in
      let place = "/proc/\(process)/fd"
      return names(place).contains { LinkWalk.target(of: "\(place)/\($0)") == link }
    }
  }

  private static func names(_ path: String) -> [String] {
    guard let directory = try? FileDescriptor(opening: path, for: .reading) else { return [] }
    return (try? DirectoryListing.names(in: directory.raw, limit: maxNames)) ?? []
  }

  private static func text(_ path: String) -> String? {
    guard let file = try? FileDescriptor(opening: path, for: .reading), let bytes = try? file.readToEnd(limit: 4096)
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
