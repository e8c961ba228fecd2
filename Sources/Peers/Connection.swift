package import Platform
internal import Wire

/// One peer: bytes in, bytes out, and the request that is being answered. Used on the loop only.
package final class Connection {
  let id: UInt64
  package let descriptor: FileDescriptor
  private(set) var inbound: [UInt8] = []
  /// Bytes of ``inbound`` that were taken already.
  private var taken = 0
  /// The output that the kernel has not taken whole, its size in bytes, and how many bytes of its first part are sent.
  private var outbound: (parts: [Outgoing], bytes: Int, sent: Int) = ([], 0, 0)

  /// The request being answered: when it times out, and when it got its first deadline.
  private var answering: (ticket: Ticket, deadline: Instant?, waitingSince: Instant?)?
  private var lastSerial: UInt64 = 0

  /// The request being answered; the next line waits until it is.
  var current: Ticket? { answering?.ticket }

  /// Descriptors that came with the bytes, in order, for the next request that says it sends some.
  var passed: [SharedDescriptor] = []

  /// Whether a request has come.
  var hasAsked: Bool { lastSerial > 0 }

  /// Time of the last input, or since when output is pending. Deadlines count from it.
  var lastProgress: Instant
  var closesWhenSent = false
  /// Called when all was read of an answer that may be long; each part that is read then counts as progress.
  var whenRead: (() -> Void)?
  var wantsWriting = false
  /// Lines are being served further up the stack.
  var isServing = false
  /// The loop has closed the connection.
  var isDropped = false
  /// The connection does not give way to others while it is idle.
  var isKept = false

  /// Bytes to send: secret ones stay on the secure heap until the kernel has them.
  package enum Outgoing {
    case plain([UInt8])
    case secret(any SecretLine)

    var count: Int {
      switch self {
      case .plain(let bytes): bytes.count
      case .secret(let line): line.count
      }
    }
  }

  /// Time after which an idle connection is closed.
  private static let idleTime = Duration.seconds(60)
  /// Time after which a connection with unread output is closed.
  private static let sendTime = Duration.seconds(20)

  /// Limit in bytes of unread output.
  static let mostOutboundBytes = 4 << 20

  /// How much is read at once.
  private static let readSize = 16 << 10

  /// No request sends more descriptors; the earliest of more go.
  static let mostPassed = VaultRequest.maximumSlots

  /// The connection may be idle without a limit.
  private let mayIdle: Bool
  /// The terms of the socket that it came by; nil for the daemon's own.
  let admission: (any Admission)?

  package init(
    id: UInt64, descriptor: consuming FileDescriptor, mayIdle: Bool, under admission: (any Admission)? = nil,
    now: Instant
  ) {
    self.id = id
    self.admission = admission
    self.mayIdle = mayIdle
    self.descriptor = descriptor
    lastProgress = now
  }

  func nextTicket() -> Ticket {
    lastSerial += 1
    let ticket = Ticket(connection: id, serial: lastSerial)
    answering = (ticket, nil, nil)
    return ticket
  }

  func setDeadline(_ deadline: Instant, of ticket: Ticket, now: Instant) {
    guard current == ticket else { return }
    answering = (ticket, deadline, answering?.waitingSince ?? now)
  }

  /// Seconds since the current request got its first deadline, rounded.
  func secondsWaited(until now: Instant) -> Int {
    let waited = answering?.waitingSince?.duration(to: now) ?? .zero
    return Int((waited + .milliseconds(500)).components.seconds)
  }

  func finishRequest() {
    answering = nil
    whenRead = nil
  }

  /// The output that the peer has not read, in bytes.
  var unreadBytes: Int { outbound.bytes - outbound.sent }

  /// When this peer is out of time, unless something happens before; nil while it is our turn.
  var deadline: Instant? {
    if hasOutput { return lastProgress.advanced(by: Self.sendTime) }
    if let answering { return answering.deadline }
    if hasPartialLine { return lastProgress.advanced(by: .seconds(WireProtocol.requestLineSeconds)) }
    return mayIdle ? nil : lastProgress.advanced(by: Self.idleTime)
  }

  /// Result of one read.
  package enum ReadResult { case nothing, bytes, end, tooLong }

  /// Reads the available bytes, at most the limit of a line.
  package func read() -> ReadResult {
    var found = ReadResult.nothing
    while true {
      do {
        var came: SharedDescriptor?
        let count = try UnixSocket.receive(descriptor, into: &inbound, upTo: Self.readSize, waits: false, passed: &came)
        if let came { passed = passed.suffix(Self.mostPassed - 1) + [came] }
        if count == 0 { return .end }
        found = .bytes
        if inbound.count - taken > WireProtocol.maximumLineBytes { return .tooLong }
        if count < Self.readSize { return found }
      } catch {
        return error.isAgain ? found : .end
      }
    }
  }

  /// Takes the first whole line and lends it, without its line feed, to `body`; nil when there is none.
  package func takeLine<Result, Problem: Error>(
    _ body: (Span<UInt8>) throws(Problem) -> Result
  ) throws(Problem) -> Result? {
    guard let end = endOfLine() else {
      dropTaken()
      return nil
    }
    let start = taken
    taken = end + 1
    let bytes = inbound
    return try body(bytes.span.extracting(start..<end))
  }

  /// Lends the first whole line, which stays where it is, to `body`, and takes it if that is true.
  ///
  /// - Returns: Whether a line was taken.
  func takeLine(if body: (Span<UInt8>) -> Bool) -> Bool {
    guard let end = endOfLine() else { return false }
    let bytes = inbound
    guard body(bytes.span.extracting(taken..<end)) else { return false }
    taken = end + 1
    return true
  }

  private func endOfLine() -> Int? {
    let bytes = inbound
    let span = bytes.span
    return span.firstIndex(of: UInt8(ascii: "\n"), from: taken)
  }

  private func dropTaken() {
    if taken == inbound.count {
      inbound.removeAll(keepingCapacity: inbound.capacity <= Self.readSize * 2)
    } else {
      inbound.removeSubrange(..<taken)
    }
    taken = 0
  }

  var hasPartialLine: Bool { inbound.count > taken }
  package var hasOutput: Bool { !outbound.parts.isEmpty }

  /// Returns false if the unread output exceeds the limit.
  package func enqueue(_ outgoing: Outgoing) -> Bool {
    outbound.bytes += outgoing.count
    outbound.parts.append(outgoing)
    return outbound.bytes <= Self.mostOutboundBytes
  }

  /// Writes what the kernel takes; false when the connection is broken.
  package func flush() -> Bool {
    while let first = outbound.parts.first {
      do {
        let written: Int
        switch first {
        case .plain(let bytes): written = try descriptor.writeNow(bytes.span.extracting(outbound.sent...))
        case .secret(let line): written = try line.write(from: outbound.sent, to: descriptor)
        }
        outbound.sent += written
        if outbound.sent == first.count {
          outbound.bytes -= outbound.sent
          outbound.parts.removeFirst()
          outbound.sent = 0
        }
      } catch {
        return error.isAgain
      }
    }
    return true
  }
}
