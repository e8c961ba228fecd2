import Platform
import TestSupport
import Testing

@Suite struct `The owner of a connection` {
  /// A client, and the accepted connection.
  private struct Pair {
    var client: SharedDescriptor?
    let ends: TCPAddressPair
    let server: SharedDescriptor
    let listener: SharedDescriptor
    let ports: (client: UInt16, server: UInt16)

    init(ipv6: Bool = false) throws {
      listener = SharedDescriptor(try UnixSocket.listenLoopback(port: 0, ipv6: ipv6))
      let port = try UnixSocket.localPort(listener.descriptor)
      let client = SharedDescriptor(try UnixSocket.connectLoopback(port: port, ipv6: ipv6))
      server = SharedDescriptor(try UnixSocket.accept(listener.descriptor))
      ends = try TCPAddressPair(server.descriptor)
      ports = (try UnixSocket.localPort(client.descriptor), port)
      self.client = client
    }
  }

  @Test(arguments: [false, true]) func `is this user, by either protocol`(ipv6: Bool) throws {
    let pair = try Pair(ipv6: ipv6)
    let other = try Pair(ipv6: ipv6)
    #expect(TCPAddressPair.canFindOwners)
    #expect(
      TCPAddressPair.owners(of: [pair.ends, other.ends]) == [
        pair.ends: .user(Machine.userID), other.ends: .user(Machine.userID),
      ])
    _ = (pair.client, other.client)
  }

  @Test func `is nobody once the client has closed it`() throws {
    var pair = try Pair()
    pair.client = nil
    // A program that another test is starting may have a copy of the socket until its exec.
    let deadline = Instant.now.advanced(by: .testLimit)
    while TCPAddressPair.owners(of: [pair.ends])[pair.ends] != .gone, Instant.now < deadline {}
    #expect(TCPAddressPair.owners(of: [pair.ends])[pair.ends] == .gone)
  }

  private func hexadecimal(_ port: UInt16) -> String {
    let text = String(port, radix: 16, uppercase: true)
    return String(repeating: "0", count: 4 - text.utf8.count) + text
  }

  @Test func `is who stands in the row of the client's end, whatever else the table holds`() throws {
    let pair = try Pair()
    let (client, server) = (hexadecimal(pair.ports.client), hexadecimal(pair.ports.server))
    let directory = try TemporaryDirectory()
    func owner(_ rows: String...) throws -> TCPAddressPair.Owner? {
      try directory.write("tcp", "  sl  local_address rem_address   st\n" + rows.joined(separator: "\n") + "\n")
      return TCPAddressPair.owners(of: [pair.ends], in: [directory.path + "/tcp", directory.path + "/none"])[pair.ends]
    }
    func row(_ local: String, _ remote: String, user: String, inode: String = "77") -> String {
      "   1: \(local) \(remote) 01 00000000:00000000 00:00000000 00000000  \(user)        0 \(inode) 1 0 20 4 30 10 -1"
    }
    let (loopback, mapped) = ("0100007F", "0000000000000000FFFF00000100007F")
    let ours = row("\(loopback):\(server)", "\(loopback):\(client)", user: "1")
    #expect(try owner(ours, row("\(loopback):\(client)", "\(loopback):\(server)", user: "65534")) == .user(65534))
    #expect(try owner(row("\(mapped):\(client)", "\(mapped):\(server)", user: "1000")) == .user(1000))
    #expect(try owner(row("\(loopback):\(client)", "\(loopback):\(server)", user: "0", inode: "0")) == .gone)
    // Its own row, another port, another address, and an invalid row.
    #expect(
      try owner(
        ours, row("\(loopback):\(client)", "\(loopback):0001", user: "1"),
        row("0200007F:\(client)", "\(loopback):\(server)", user: "1"), "nonsense",
        row("\(loopback):\(client)", "\(loopback):\(server)", user: "-1"), String(repeating: "x ", count: 9000))
        == .unknown)
    #expect(TCPAddressPair.owners(of: [pair.ends], in: ["/nowhere"])[pair.ends] == .unknown)
  }
}
