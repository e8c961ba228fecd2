import Encoding
import Platform
import TestSupport
import Testing
import Vocabulary
@testable import Wire

@Suite struct `The requests of connections` {
  private final class Line: SecretLine {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count }

    func write(from start: Int, to descriptor: borrowing FileDescriptor) throws(SystemError) -> Int {
      let bytes = bytes
      return try descriptor.write(bytes.span.extracting(start...))
    }
  }

  private final class Handler: RequestHandler {
    func didClose(_ connection: UInt64) {}
    func note(_ event: LogEvent) { noted.append(event) }

    var noted: [LogEvent] = []

    var handled: [(ticket: Ticket, descriptors: Int, timeout: Int?)] = []
    var act: (Ticket) -> Void = { _ in }
    /// The lines passed to a request in progress.
    var linesBeside = 0
    var abandoned: [Ticket] = []

    func handle(_ envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor]) {
      handled.append((ticket, passed.count, envelope.timeoutSeconds))
      act(ticket)
    }

    func awaitsMore(_ ticket: Ticket) -> Bool { true }

    func handleFollowUp(_ request: Request, _ ticket: Ticket) -> Bool {
      guard case .daemon(.log) = request else { return false }
      linesBeside += 1
      return true
    }

    func postpone(_ result: Reply, of ticket: Ticket) -> Bool { false }
    func didAnswer(_ ticket: Ticket) {}
    func abandon(_ ticket: Ticket) { abandoned.append(ticket) }
  }

  private let time = ManualTime()
  private let loop: EventLoop
  private let connections: Connections
  private let handler = Handler()

  init() throws {
    // As in the program.
    Signals.ignoreFailingWrites()
    loop = try EventLoop(time)
    connections = Connections(loop, mayIdle: true)
    connections.handler = handler
  }

  /// The other end of a new connection.
  private func connect() throws -> SharedDescriptor {
    let pair = try SocketPair()
    try pair.first.setNonBlocking(true)
    try connections.admit(pair.first)
    try UnixSocket.setTimeouts(pair.second, seconds: 600)
    return SharedDescriptor(pair.second)
  }

  private func ask(_ request: String, _ peer: SharedDescriptor) throws {
    try peer.descriptor.writeAll(Array("{\"v\":1,\"request\":\"\(request)\"}\n".utf8).span)
  }

  /// Serves until `count` requests have arrived.
  private func serve(_ count: Int) throws { try loop.run { handler.handled.count >= count } }

  /// Advances the time, and lets the loop notice.
  private func pass(seconds: Int) throws {
    time.advance(seconds: seconds)
    let isOver = Monitor(false)
    loop.inbox.post { isOver.withLock { $0 = true } }
    try loop.run { isOver.withLock { $0 } }
  }

  private func result(_ number: Int) -> Reply { .result(JSONObject([("number", .int(number))])) }

  /// The lines that a peer received, once its connection is closed.
  private func lines(_ peer: SharedDescriptor) throws -> [Int?] {
    var bytes: [UInt8] = []
    while let byte = try? peer.descriptor.read(into: &bytes, upTo: 4096), byte > 0, bytes.last != 0x0A {}
    return try bytes.split(separator: 0x0A).map { try JSON(parsing: Array($0))["result"]?["number"]?.int }
  }

  @Test func `get the descriptors that came with them, and none that came with a line of another`() throws {
    let peer = try connect()
    try ask("daemon_status", peer)
    try serve(1)
    let pipe = try Pipe()
    let line = Array("{\"v\":1,\"request\":\"daemon_log\"}\n".utf8)
    #expect(try UnixSocket.send(line.span, passing: pipe.writing.raw, over: peer.descriptor) == line.count)
    try loop.run { handler.linesBeside == 1 }
    connections.send(result(1), to: handler.handled[0].ticket)
    try ask("list", peer)
    try serve(2)
    #expect(handler.handled.map(\.descriptors) == [0, 0])
    connections.send(result(2), to: handler.handled[1].ticket)
    #expect(try UnixSocket.send(Array("{\"v\":1,".utf8).span, passing: pipe.writing.raw, over: peer.descriptor) == 7)
    try peer.descriptor.writeAll(Array("\"request\":\"list\"}\n".utf8).span)
    try serve(3)
    #expect(handler.handled.map(\.descriptors) == [0, 0, 1])
  }

  @Test func `end with a peer that does not read for 20 seconds, though more is sent to it meanwhile`() throws {
    let peer = try connect()
    try ask("list", peer)
    try serve(1)
    let ticket = handler.handled[0].ticket
    let notice = Reply.event(.notice(Phrase(stringLiteral: String(repeating: "x", count: 100_000))))
    for _ in 0..<10 { connections.send(notice, to: ticket) }
    try pass(seconds: 15)
    connections.send(notice, to: ticket)
    try pass(seconds: 4)
    #expect(handler.abandoned.isEmpty)
    try pass(seconds: 2)
    #expect(handler.abandoned == [ticket])
    #expect(handler.noted == [.peerDropped(.notReading)])
  }

  @Test func `get an answer that says so when their time is up`() throws {
    let peer = try connect()
    try ask("list", peer)
    try serve(1)
    connections.setDeadline(time.now().advanced(by: .seconds(3)), of: handler.handled[0].ticket)
    try pass(seconds: 3)
    #expect(handler.abandoned == [handler.handled[0].ticket])
    #expect(handler.noted == [.requestTimedOut])
    var bytes: [UInt8] = []
    #expect(try peer.descriptor.read(into: &bytes, upTo: 4096) > 0)
    #expect(try JSON(parsing: bytes)["error"]?["code"] == "timeout")
  }

  @Test func `tell who streams an answer to them once the peer has read all that there was`() throws {
    let peer = try connect()
    try ask("list", peer)
    try serve(1)
    let ticket = handler.handled[0].ticket
    final class Count { var calls = 0 }
    let count = Count()
    connections.whenRead(by: ticket) { count.calls += 1 }
    let part = Reply.event(.notice(Phrase(stringLiteral: String(repeating: "x", count: 100_000))))
    for _ in 0..<10 { connections.send(part, to: ticket) }
    #expect(connections.unreadBytes(by: ticket) > 0)
    while connections.unreadBytes(by: ticket) > 0 {
      #expect(count.calls == 0)
      var bytes: [UInt8] = []
      #expect(try peer.descriptor.read(into: &bytes, upTo: 1 << 16) > 0)
      try pass(seconds: 0)
    }
    #expect(count.calls == 1)
    // The same peer's next request is not mistaken for this one.
    connections.send(result(1), to: ticket)
    try ask("list", peer)
    try serve(2)
    connections.whenRead(by: ticket) { count.calls += 1 }
    for _ in 0..<10 { connections.send(part, to: handler.handled[1].ticket) }
    while connections.unreadBytes(by: handler.handled[1].ticket) > 0 {
      var bytes: [UInt8] = []
      #expect(try peer.descriptor.read(into: &bytes, upTo: 1 << 16) > 0)
      try pass(seconds: 0)
    }
    #expect(count.calls == 1)
  }

  @Test func `are answered once, also while that of another connection is served`() throws {
    let (first, second) = (try connect(), try connect())
    try ask("list", first)
    try serve(1)
    let waiting = handler.handled[0].ticket
    handler.act = { [connections] ticket in
      for (number, ticket) in [waiting, ticket, waiting, ticket].enumerated() {
        connections.send(.result(JSONObject([("number", .int(number))])), to: ticket)
      }
    }
    try ask("list", second)
    try serve(2)
    #expect(try lines(first) == [0])
    #expect(try lines(second) == [1])
  }

  @Test func `get no secret once they have had their answer, not even while the same peer asks again`() throws {
    let peer = try connect()
    try ask("list", peer)
    try serve(1)
    connections.send(result(1), to: handler.handled[0].ticket)
    try ask("list", peer)
    try serve(2)
    for (number, request) in handler.handled.enumerated() {
      let line = Array("{\"result\":{\"number\":\(number + 2)}}\n".utf8)
      connections.send(Line(line), to: request.ticket)
    }
    connections.closeAll(with: Failure(.daemonUnavailable, "the daemon is stopping"))
    #expect(try lines(peer) == [1, 3])
  }

  @Test func `under terms that ended fail with the reason, and no others do`() throws {
    let (terms, others) = (Terms(), Terms())
    func connect(_ admission: Terms) throws -> SharedDescriptor {
      let pair = try SocketPair()
      try pair.first.setNonBlocking(true)
      _ = try connections.admit(pair.first, under: admission, mayIdle: false)
      try UnixSocket.setTimeouts(pair.second, seconds: 600)
      return SharedDescriptor(pair.second)
    }
    let (waiting, idle, other) = (try connect(terms), try connect(terms), try connect(others))
    try ask("list", waiting)
    try ask("list", other)
    try serve(2)
    connections.dropPeers(of: terms, with: Failure(.leaseEnded, "the terms have ended"))
    #expect(handler.abandoned.count == 1)
    #expect(try failure(waiting) == "lease_ended")
    #expect(try failure(idle) == "lease_ended", "who has not asked yet is told, too")
    let kept = try #require(handler.handled.map(\.ticket).first { $0 != handler.abandoned[0] })
    connections.send(result(7), to: kept)
    #expect(try lines(other) == [7])
  }

  @Test func `under terms that ended get the reason whole, though they have not read what came before`() throws {
    let terms = Terms()
    let pair = try SocketPair()
    try pair.first.setNonBlocking(true)
    _ = try connections.admit(pair.first, under: terms, mayIdle: false)
    try UnixSocket.setTimeouts(pair.second, seconds: 600)
    let peer = SharedDescriptor(pair.second)
    try ask("list", peer)
    try serve(1)
    let notice = Reply.event(.notice(Phrase(stringLiteral: String(repeating: "x", count: 100_000))))
    for _ in 0..<10 { connections.send(notice, to: handler.handled[0].ticket) }
    #expect(connections.unreadBytes(by: handler.handled[0].ticket) > 0)
    connections.dropPeers(of: terms, with: Failure(.leaseEnded, "the terms have ended"))
    var bytes: [UInt8] = []
    while try peer.descriptor.read(into: &bytes, upTo: 1 << 16) > 0 { try pass(seconds: 0) }
    let lines = bytes.split(separator: 0x0A)
    #expect(lines.count == 11)
    #expect(try lines.last.map { try JSON(parsing: Array($0))["error"]?["code"] } == "lease_ended")
    #expect(connections.isEmpty)
  }

  // MARK: Limits

  /// How many requests are handled at a time, limited by this process's descriptors.
  private static let most = min(256, max(4, (ResourceLimit.descriptors.soft ?? .max) / 5))

  /// The other end of an accepted connection.
  private func accept() throws -> SharedDescriptor {
    let pair = try SocketPair()
    try pair.first.setNonBlocking(true)
    connections.accept(pair.first)
    try UnixSocket.setTimeouts(pair.second, seconds: 600)
    return SharedDescriptor(pair.second)
  }

  /// The next response that a peer receives.
  private func answer(_ peer: SharedDescriptor) throws -> JSON {
    var bytes: [UInt8] = []
    while bytes.last != 0x0A, try peer.descriptor.read(into: &bytes, upTo: 4096) > 0 {}
    return try JSON(parsing: bytes)
  }

  @Test func `are so many at a time, with places for sign-outs and for what needs no network`() throws {
    let most = Self.most
    var waiting = try (0..<most).map { _ in try accept() }
    for peer in waiting { try ask("list", peer) }
    try serve(most)
    let next = try accept()
    try ask("token", next)
    try pass(seconds: 0)
    #expect(try answer(next)["error"]?["code"] == "too_busy" && handler.handled.count == most)
    for count in 0..<most / 8 {
      waiting.append(try accept())
      try ask("logout", waiting[most + count])
      try serve(most + count + 1)
    }
    try ask("logout", next)
    try pass(seconds: 0)
    #expect(try answer(next)["error"]?["code"] == "too_busy" && handler.handled.count == most + most / 8)
    try ask("list", next)
    try serve(most + most / 8 + 1)
    // Until one has ended.
    for number in 0...most / 8 + 1 { connections.send(result(number), to: handler.handled[number].ticket) }
    try ask("token", waiting[0])
    try serve(most + most / 8 + 2)
  }

  @Test func `have no place beyond a quarter more, which is told`() throws {
    let count = Self.most + Self.most / 4
    var waiting: [SharedDescriptor] = []
    for number in 1...count {
      waiting.append(try accept())
      try ask("list", waiting[number - 1])
      try serve(number)
    }
    #expect(try failure(try accept()) == "too_busy")
    #expect(handler.noted == [.peerDropped(.crowded)])
    connections.send(result(1), to: handler.handled[0].ticket)
    let peer = try accept()
    #expect(
      handler.noted == [.peerDropped(.crowded), .peerDropped(.crowded)], "that which waits for nothing gives way")
    try ask("list", peer)
    try serve(count + 1)
    withExtendedLifetime(waiting) {}
  }

  @Test func `get the place of the connection that has been idle longest, which is told why if it never asked`() throws
  {
    let first = try accept()
    try ask("list", first)
    try serve(1)
    connections.send(result(7), to: handler.handled[0].ticket)
    #expect(try lines(first) == [7])
    time.advance(seconds: 1)
    try pass(seconds: 0)
    let second = try accept()
    try pass(seconds: 1)
    let others = try (2..<Self.most).map { _ in try accept() }
    #expect(handler.noted == [] && connections.count == Self.most)
    let more = try [accept(), accept()]
    #expect(try failure(first) == nil, "it has had an answer, and connects again")
    #expect(try failure(second) == "too_busy")
    #expect(connections.count == Self.most && handler.noted == [.peerDropped(.crowded), .peerDropped(.crowded)])
    withExtendedLifetime((others, more)) {}
  }

  @Test func `that are held have their deadline, and only the rest of it afterwards`() throws {
    let terms = Terms()
    terms.holds = true
    let pair = try SocketPair()
    try pair.first.setNonBlocking(true)
    _ = try connections.admit(pair.first, under: terms, mayIdle: false)
    try UnixSocket.setTimeouts(pair.second, seconds: 600)
    let peer = SharedDescriptor(pair.second)
    for (wait, isLate) in [(20, false), (30, true)] {
      try peer.descriptor.writeAll(Array(#"{"v":1,"request":"list","timeout":30}"#.utf8).span)
      try peer.descriptor.writeAll([0x0A].span)
      try pass(seconds: 0)
      let held = try #require(terms.held.last)
      try pass(seconds: wait)
      if isLate { break }
      connections.resume(with: held.envelope, held.ticket, passed: [])
      #expect(handler.handled.last?.timeout == 10)
      connections.send(result(1), to: held.ticket)
    }
    var bytes: [UInt8] = []
    while bytes.count(where: { $0 == 0x0A }) < 2 { _ = try peer.descriptor.read(into: &bytes, upTo: 4096) }
    let last = try #require(bytes.split(separator: 0x0A).last)
    #expect(try JSON(parsing: Array(last))["error"]?["code"] == "timeout")
  }

  @Test func `of a lent socket give way before all others`() throws {
    let own = try accept()
    try pass(seconds: 1)
    let pair = try SocketPair()
    try pair.first.setNonBlocking(true)
    _ = try connections.admit(pair.first, under: Terms(), mayIdle: false)
    try UnixSocket.setTimeouts(pair.second, seconds: 600)
    #expect(connections.dropLongestIdle())
    #expect(try failure(SharedDescriptor(pair.second)) == "too_busy")
    #expect(connections.dropLongestIdle() && !connections.dropLongestIdle() && connections.isEmpty)
    #expect(try failure(own) == "too_busy")
  }

  @Test func `are lines of a mebibyte at most, and one that is longer ends with a reason`() throws {
    let peer = try connect()
    try peer.descriptor.setNonBlocking(true)
    let piece = [UInt8](repeating: 0x20, count: 1 << 16)
    var written = 0
    while written <= 1 << 20 {
      written += (try? peer.descriptor.write(piece.span)) ?? 0
      try pass(seconds: 0)
    }
    try loop.run { connections.isEmpty }
    var bytes: [UInt8] = []
    while let count = try? peer.descriptor.read(into: &bytes, upTo: 4096), count > 0 {}
    #expect(try JSON(parsing: bytes)["error"]?["message"] == "the request is longer than 1 MiB")
    #expect(handler.noted == [.peerDropped(.lineTooLong)] && handler.handled.isEmpty)
  }

  @Test func `come within a minute, and else their connection is closed`() throws {
    let connections = Connections(loop, mayIdle: false)
    connections.handler = handler
    let pair = try SocketPair()
    try pair.first.setNonBlocking(true)
    try connections.admit(pair.first)
    try pass(seconds: 59)
    #expect(!connections.isEmpty)
    try pass(seconds: 1)
    #expect(connections.isEmpty && handler.noted == [.peerDropped(.silent)])
    try pair.second.close()
  }

  /// The code of the failure that a peer received before its connection was closed.
  private func failure(_ peer: SharedDescriptor) throws -> String? {
    var bytes: [UInt8] = []
    while try peer.descriptor.read(into: &bytes, upTo: 4096) > 0 {}
    return bytes.isEmpty ? nil : try JSON(parsing: bytes)["error"]?["code"]?.string
  }
}

/// Access rules that permit everything.
private final class Terms: ConnectionRules {
  /// Whether requests are deferred.
  var holds = false
  private(set) var held: [(envelope: RequestEnvelope, ticket: Ticket)] = []

  func read(_ line: Span<UInt8>) throws(Failure) -> RequestEnvelope { try RequestEnvelope(parsing: line) }
  func admit(
    _ envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor]
  ) throws(Failure) -> RequestEnvelope? {
    guard holds else { return envelope }
    held.append((envelope, ticket))
    return nil
  }
  func lendsToken(to ticket: Ticket) -> Bool { false }
  func filtering(_ reply: Reply, of ticket: Ticket) -> Reply { reply }
  func didDisconnect(_ connection: UInt64) {}
}
