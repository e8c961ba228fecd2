package import Platform

/// A peer's connection: input, output and current request. Used on the loop only.
package final class Connection {
  let id: UInt64
  package let descriptor: FileDescriptor
  private(set) var inbound: [UInt8] = []
  /// How much of ``inbound`` was consumed.
  private var consumed = 0
  /// Pending output; `sent` bytes of the first part are sent.
  private var outbound: (parts: [Outgoing], bytes: Int, sent: Int) = ([], 0, 0)

  /// The current request, its deadline, and when it first got a deadline.
  private var answering: (ticket: Ticket, deadline: Instant?, waitingSince: Instant?)?
  private var lastSerial: UInt64 = 0

  /// The current request. The next line waits until it ends.
  var current: Ticket? { answering?.ticket }

  /// Received descriptors, for the request that announces them.
  var passed: [SharedDescriptor] = []

  var hasReceivedRequest: Bool { lastSerial > 0 }

  /// When input last arrived or output became pending. Idle and send timeouts begin then.
  var lastProgress: Instant
  var closesWhenSent = false
  /// Called when the peer has read all output.
  var whenRead: (() -> Void)?
  var wantsWriting = false
  /// Whether lines are being served; a nested call must not serve more.
  var isServing = false
  var isDropped = false
  /// Whether to keep the connection if others need its descriptor.
  var isKept = false

  /// Bytes to send. Secrets stay on the secure heap until the kernel accepts them.
  package enum Outgoing {
    case plain([UInt8])
    case secret(any SecretLine)

    /// In bytes.
    var count: Int {
      switch self {
      case .plain(let bytes): bytes.count
      case .secret(let line): line.count
      }
    }
  }

  private static let idleTime = Duration.seconds(60)
  /// The peer's time to read output.
  private static let sendTime = Duration.seconds(20)

  static let maximumUnreadBytes = 4 << 20

  private static let readSize = 16 << 10

  /// Per request; later descriptors replace the earliest.
  static let maximumPassedDescriptors = VaultRequest.maximumSlots

  private let mayIdle: Bool
  /// The access rules; nil at the daemon's own socket.
  let rules: (any ConnectionRules)?

  /// `mayIdle` permits unlimited idling.
  package init(
    id: UInt64, descriptor: consuming FileDescriptor, mayIdle: Bool, under rules: (any ConnectionRules)? = nil,
    now: Instant
  ) {
    self.id = id
    self.rules = rules
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

  /// The seconds since the current request first got a deadline, rounded.
  func secondsWaited(until now: Instant) -> Int {
    let waited = answering?.waitingSince?.duration(to: now) ?? .zero
    return Int((waited + .milliseconds(500)).components.seconds)
  }

  func finishRequest() {
    answering = nil
    whenRead = nil
  }

  /// Output bytes that the kernel has not accepted.
  var unreadBytes: Int { outbound.bytes - outbound.sent }

  var deadline: Instant? {
    if hasOutput { return lastProgress.advanced(by: Self.sendTime) }
    if let answering { return answering.deadline }
    if hasUnconsumedInput { return lastProgress.advanced(by: .seconds(WireProtocol.requestLineSeconds)) }
    return mayIdle ? nil : lastProgress.advanced(by: Self.idleTime)
  }

  package enum ReadResult { case nothing, bytes, end, tooLong }

  /// Reads all available bytes. Returns `tooLong` if more than ``WireProtocol/maximumLineBytes`` are unprocessed.
  package func read() -> ReadResult {
    var found = ReadResult.nothing
    while true {
      do {
        var came: SharedDescriptor?
        let count = try UnixSocket.receive(descriptor, into: &inbound, upTo: Self.readSize, waits: false, passed: &came)
        if let came { passed = passed.suffix(Self.maximumPassedDescriptors - 1) + [came] }
        if count == 0 { return .end }
        found = .bytes
        if inbound.count - consumed > WireProtocol.maximumLineBytes { return .tooLong }
        if count < Self.readSize { return found }
      } catch {
        return error.wouldBlock ? found : .end
      }
    }
  }

  /// Consumes the next complete line, if any, with `body`.
  package func takeLine<Result, Problem: Error>(
    _ body: (Span<UInt8>) throws(Problem) -> Result
  ) throws(Problem) -> Result? {
    guard let end = endOfLine() else {
      dropConsumed()
      return nil
    }
    let start = consumed
    consumed = end + 1
    let bytes = inbound
    return try body(bytes.span.extracting(start..<end))
  }

  /// Like ``takeLine(_:)``, but keeps the line if `body` returns false. Returns whether it was consumed.
  func takeLine(if body: (Span<UInt8>) -> Bool) -> Bool {
    guard let end = endOfLine() else { return false }
    let bytes = inbound
    guard body(bytes.span.extracting(consumed..<end)) else { return false }
    consumed = end + 1
    return true
  }

  private func endOfLine() -> Int? {
    let bytes = inbound
    let span = bytes.span
    return span.firstIndex(of: UInt8(ascii: "\n"), from: consumed)
  }

  private func dropConsumed() {
    if consumed == inbound.count {
      inbound.removeAll(keepingCapacity: inbound.capacity <= Self.readSize * 2)
    } else {
      inbound.removeSubrange(..<consumed)
    }
    consumed = 0
  }

  var hasUnconsumedInput: Bool { inbound.count > consumed }
  package var hasOutput: Bool { !outbound.parts.isEmpty }

  /// Queues output. Returns false if the peer left too much unread.
  package func enqueue(_ outgoing: Outgoing) -> Bool {
    outbound.bytes += outgoing.count
    outbound.parts.append(outgoing)
    return outbound.bytes <= Self.maximumUnreadBytes
  }

  /// Writes what the kernel accepts. Returns false if the connection is broken.
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
        return error.wouldBlock
      }
    }
    return true
  }
}
