import Platform
import TestSupport
import Testing

@testable import Wire

@Suite struct `A peer's connection` {
  private static func make(mayIdle: Bool = false) throws -> (Connection, Far) {
    let pair = try SocketPair()
    try pair.first.setNonBlocking(true)
    return (Connection(id: 7, descriptor: pair.first, mayIdle: mayIdle, now: start), Far(pair.second))
  }

  /// The peer's end.
  private final class Far: Sendable {
    let socket: FileDescriptor
    init(_ socket: consuming FileDescriptor) { self.socket = socket }
    func send(_ text: String) throws { try socket.writeAll(Array(text.utf8).span) }
    func receive() throws -> String {
      var bytes: [UInt8] = []
      _ = try socket.read(into: &bytes, upTo: 1 << 20)
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  private static let start = Instant(nanoseconds: 1_000_000_000_000)

  private static func takeLine(_ connection: Connection) -> String? {
    connection.takeLine { line in
      var bytes: [UInt8] = []
      for index in line.indices { bytes.append(line[index]) }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  private static func lines(_ connection: Connection) -> [String] {
    var lines: [String] = []
    while let line = takeLine(connection) { lines.append(line) }
    return lines
  }

  @Test(arguments: 0...12) func `lines are put together from pieces of any size`(cut: Int) throws {
    let (connection, peer) = try Self.make()
    let text = "first\n\nlast\n"
    try peer.send(String(text.prefix(cut)))
    if cut > 0 { #expect(connection.read() == .bytes) }
    var lines = Self.lines(connection)
    try peer.send(String(text.dropFirst(cut)))
    if cut < text.count { #expect(connection.read() == .bytes) }
    lines += Self.lines(connection)
    #expect(lines == ["first", "", "last"])
    #expect(!connection.hasUnconsumedInput)
    #expect(connection.read() == .nothing)
  }

  @Test func `nothing is kept of lines that were taken`() throws {
    let (connection, peer) = try Self.make()
    for text in ["first\nhalf a", " line\n"] {
      try peer.send(text)
      #expect(connection.read() == .bytes)
      _ = Self.lines(connection)
      #expect(connection.inbound.count == (text.hasSuffix("\n") ? 0 : 6))
    }
  }

  @Test func `a line longer than the protocol allows is noticed`() throws {
    let (connection, peer) = try Self.make()
    let piece = String(repeating: "x", count: 64 << 10)
    for _ in 0..<16 {
      try peer.send(piece)
      #expect(connection.read() == .bytes)
    }
    try peer.send("x")
    #expect(connection.read() == .tooLong)
  }

  @Test func `the end of the peer is seen`() throws {
    let (connection, peer) = try Self.make()
    try peer.send("half")
    #expect(connection.read() == .bytes)
    _ = consume peer
    try connection.descriptor.awaitClosingOfOtherEnd()
    #expect(connection.read() == .end)
    #expect(Self.takeLine(connection) == nil)
  }

  @Test func `answers go out in order, as fast as they are read`() throws {
    let (connection, peer) = try Self.make()
    let piece = [UInt8](repeating: UInt8(ascii: "y"), count: 300 << 10)
    for _ in 0..<4 { #expect(connection.enqueue(.plain(piece))) }
    #expect(connection.flush())
    #expect(connection.hasOutput, "the kernel does not take it all")
    var count = 0
    while count < 4 * piece.count {
      count += try peer.receive().utf8.count
      #expect(connection.flush())
    }
    #expect(!connection.hasOutput)
  }

  @Test func `a peer that reads nothing is given up`() throws {
    let (connection, _) = try Self.make()
    let piece = [UInt8](repeating: 0, count: 1 << 20)
    var taken = 0
    while connection.enqueue(.plain(piece)), taken < 100 { taken += 1 }
    #expect(taken == Connection.maximumUnreadBytes >> 20)
  }

  @Test func `deadlines: to ask, to finish asking, to be answered, to read`() throws {
    let (connection, peer) = try Self.make()
    #expect(connection.deadline == Self.start.advanced(by: .seconds(60)))
    try peer.send("half a li")
    #expect(connection.read() == .bytes)
    #expect(connection.deadline == Self.start.advanced(by: .seconds(5)))
    let ticket = connection.nextTicket()
    #expect(connection.deadline == nil, "it is the daemon's turn")
    let deadline = Self.start.advanced(by: .seconds(9))
    connection.setDeadline(deadline, of: Ticket(connection: 7, serial: ticket.serial + 1), now: Self.start)
    #expect(connection.deadline == nil, "that was another request's")
    connection.setDeadline(deadline, of: ticket, now: Self.start)
    #expect(connection.deadline == deadline && connection.secondsWaited(until: deadline) == 9)
    // A later deadline belongs to the same request.
    connection.setDeadline(deadline, of: ticket, now: Self.start.advanced(by: .seconds(4)))
    #expect(connection.secondsWaited(until: deadline) == 9)
    _ = connection.enqueue(.plain([1]))
    #expect(connection.deadline == Self.start.advanced(by: .seconds(20)))
  }

  @Test func `a peer that the daemon lives for has time to ask`() throws {
    let (connection, peer) = try Self.make(mayIdle: true)
    #expect(connection.deadline == nil)
    try peer.send("half a li")
    #expect(connection.read() == .bytes)
    #expect(connection.deadline == Self.start.advanced(by: .seconds(5)), "but not to finish asking")
  }

  @Test func `a ticket is good for one request`() throws {
    let (connection, _) = try Self.make()
    let first = connection.nextTicket()
    #expect(connection.current == first)
    connection.finishRequest()
    #expect(connection.current == nil)
    #expect(connection.nextTicket() != first)
  }
}
