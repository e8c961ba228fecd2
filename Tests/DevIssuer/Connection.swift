import Platform

/// One connection: reads requests and writes answers, in turn, until one side ends it.
///
/// Runs on a thread of its own, so whatever a client does or a switch makes it wait for holds up
/// nobody else.
struct Connection: ~Copyable {
  /// What came in next.
  private enum Incoming {
    case request(Request)
    case unreadable(RequestError)
    case end
  }

  private static let socketKey: UInt64 = 1
  private static let stopKey: UInt64 = 2
  private static let chunkSize = 4096
  /// More than one whole request and the head of the next is never held.
  private static let heldLimit = RequestReader.headLimit + RequestReader.bodyLimit + chunkSize

  private let socket: FileDescriptor
  private let poller: Poller
  private let issuer: AuthorizationServer
  private let limits: ConnectionLimits
  private let log: RequestLog?
  private var reader = RequestReader()

  private init(
    _ socket: consuming FileDescriptor, _ poller: consuming Poller, issuer: AuthorizationServer,
    limits: ConnectionLimits, log: RequestLog?
  ) {
    self.socket = socket
    self.poller = poller
    self.issuer = issuer
    self.limits = limits
    self.log = log
  }

  /// - Parameter stop: Becomes readable when all connections are to end.
  static func over(
    _ socket: consuming FileDescriptor, stop: Int32, issuer: AuthorizationServer, limits: ConnectionLimits,
    log: RequestLog?
  ) throws(SystemError) -> Connection {
    let poller = try Poller()
    try poller.add(socket.raw, interest: .read, key: socketKey)
    try poller.add(stop, interest: .read, key: stopKey)
    return Connection(socket, poller, issuer: issuer, limits: limits, log: log)
  }

  /// Serves until the connection ends. An error of the socket just ends it.
  mutating func serve() {
    while let keepsGoing = try? serveOne(), keepsGoing {}
  }

  /// True when another request may follow.
  private mutating func serveOne() throws(SystemError) -> Bool {
    switch try receive() {
    case .end:
      return false
    case .unreadable(let error):
      try send(.text("This request cannot be read.", status: error.status), keepsAlive: false)
      return false
    case .request(let request):
      let start = Instant.now
      let response = issuer.answer(request, pause: { self.pause($0) })
      let keepsAlive = request.head.keepsAlive && response.delivery == .whole
      // Before the answer goes out, so that whoever has the answer finds the line.
      log?.note(request, response, took: start.duration(to: .now), at: issuer.wallSeconds())
      try send(response, keepsAlive: keepsAlive)
      return keepsAlive
    }
  }

  private mutating func receive() throws(SystemError) -> Incoming {
    var deadline = Instant.now.advanced(by: reader.isIdle ? limits.idle : limits.request)
    while true {
      do throws(RequestError) {
        if let request = try reader.next() { return .request(request) }
      } catch {
        return .unreadable(error)
      }
      if reader.takeContinue() { try write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
      let wasIdle = reader.isIdle
      guard try wait(until: deadline), try readChunk() else { return .end }
      if wasIdle { deadline = Instant.now.advanced(by: limits.request) }
    }
  }

  /// Waits for bytes; false when the time is over or all is to end.
  private borrowing func wait(until deadline: Instant) throws(SystemError) -> Bool {
    let events = try poller.wait(until: deadline)
    return !events.isEmpty && !events.contains { $0.key == Self.stopKey }
  }

  /// False at the end of the stream.
  private mutating func readChunk() throws(SystemError) -> Bool {
    var chunk: [UInt8] = []
    do throws(SystemError) {
      guard try socket.read(into: &chunk, upTo: Self.chunkSize) > 0 else { return false }
    } catch {
      guard error.isAgain else { throw error }
    }
    reader.append(chunk)
    return true
  }

  /// Lets time pass; false when the client went away, sends too much ahead, or all is to end.
  private mutating func pause(_ duration: Duration) -> Bool {
    let end = Instant.now.advanced(by: duration)
    while Instant.now < end {
      guard let events = try? poller.wait(until: end), !events.contains(where: { $0.key == Self.stopKey }) else {
        return false
      }
      if events.isEmpty { continue }
      guard reader.heldCount < Self.heldLimit, (try? readChunk()) == true else { return false }
    }
    return true
  }

  private borrowing func send(_ response: Response, keepsAlive: Bool) throws(SystemError) {
    try write(response.serialized(date: issuer.wallSeconds(), keepsAlive: keepsAlive))
    guard response.delivery == .endless else { return }
    // Ends with the client, by an error.
    let deadline = Instant.now.advanced(by: limits.answer)
    while Instant.now < deadline { try write(Response.endlessChunk) }
  }

  private borrowing func write(_ bytes: [UInt8]) throws(SystemError) {
    let deadline = Instant.now.advanced(by: limits.answer)
    var sent = 0
    while sent < bytes.count {
      do throws(SystemError) {
        sent += try socket.write(bytes.span.extracting(sent..<bytes.count))
      } catch {
        guard error.isAgain else { throw error }
        try waitForRoom(until: deadline, otherwise: error)
      }
    }
  }

  private borrowing func waitForRoom(until deadline: Instant, otherwise error: SystemError) throws(SystemError) {
    try poller.modify(socket.raw, interest: .write, key: Self.socketKey)
    let hasRoom = try wait(until: deadline)
    try poller.modify(socket.raw, interest: .read, key: Self.socketKey)
    guard hasRoom else { throw error }
  }
}
