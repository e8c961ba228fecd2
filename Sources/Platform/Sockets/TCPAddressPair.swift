internal import CPlatform

/// Both addresses of an accepted TCP connection, to find the peer's user.
package struct TCPAddressPair: Sendable, Hashable {
  /// The user of the process at the other end.
  package enum Owner: Sendable, Hashable {
    case user(UInt32)
    /// No process has the other end.
    case gone
    /// Not found: the tables are unreadable or of another network namespace.
    case unknown
  }

  /// The peer's address, in each format of the tables.
  private let peer: [String]
  /// This end's address, in each format.
  private let own: [String]

  /// This network namespace's TCP tables (`proc_net(5)`).
  package static let tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"]
  private static let maximumLineBytes = 4096

  /// Throws `ENOTCONN` if the connection was reset.
  package init(_ socket: borrowing FileDescriptor) throws(SystemError) {
    peer = try Self.texts(of: socket, isPeer: true)
    own = try Self.texts(of: socket, isPeer: false)
  }

  /// The address in each format of the tables, since an IPv4 client may have an IPv6 socket.
  private static func texts(of socket: borrowing FileDescriptor, isPeer: Bool) throws(SystemError) -> [String] {
    var words: [UInt32] = [0, 0, 0, 0]
    var count: Int32 = 0
    let number = socket.raw
    let port = try SystemCall.checked(
      unsafe agent_tcp_end(number, isPeer ? 1 : 0, &words, &count), isPeer ? "getpeername" : "getsockname")
    let address = Array(words.prefix(Int(count)))
    let mapped = [0, 0, UInt32(0xFFFF).bigEndian] + address
    return (address.count == 1 ? [address, mapped] : [address]).map { words in
      words.map { hexadecimal($0, digits: 8) }.joined() + ":" + hexadecimal(UInt32(port), digits: 4)
    }
  }

  private static func hexadecimal(_ number: UInt32, digits: Int) -> String {
    let text = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }

  /// False if the system hides the tables. Blocking.
  package static var canFindOwners: Bool { (try? FileDescriptor(opening: tables[0], for: .reading)) != nil }

  /// Looks up the owners of the other ends. Blocking.
  package static func owners(of ends: [TCPAddressPair], in tables: [String] = tables) -> [TCPAddressPair: Owner] {
    var wanted: [String: TCPAddressPair] = [:]
    for end in ends {
      for (peer, own) in zip(end.peer, end.own) { wanted["\(peer) \(own)"] = end }
    }
    var owners: [TCPAddressPair: Owner] = [:]
    for table in tables {
      guard let file = try? FileDescriptor(opening: table, for: .reading) else { continue }
      var lines = LineBlocks(limit: maximumLineBytes)
      while let block = try? lines.next(from: file) {
        for range in block.lines.compactMap(\.range) {
          guard let row = Row(block.bytes[range]), let end = wanted[row.ends] else { continue }
          owners[end] = row.owner
        }
      }
    }
    return ends.reduce(into: [:]) { $0[$1] = owners[$1] ?? .unknown }
  }

  private struct Row {
    /// The local and remote address, separated by a space.
    let ends: String
    let owner: Owner

    init?(_ line: ArraySlice<UInt8>) {
      let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 10).map { String(decoding: $0, as: UTF8.self) }
      guard fields.count >= 10, let user = UInt32(fields[7]), let inode = UInt64(fields[9]) else { return nil }
      ends = "\(fields[1]) \(fields[2])"
      // User 0 without a process.
      owner = inode == 0 ? .gone : Machine.isWSL && user == 0 ? .unknown : .user(user)
    }
  }
}
