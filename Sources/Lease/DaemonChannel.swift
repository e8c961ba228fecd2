internal import Platform
internal import Wire

/// The connection of `agent-lease` to the daemon, passed by the lease's owner. The daemon accepts only
/// ``LeasePeerRequest``s.
final class DaemonChannel {
  private let connection: Connection
  private unowned let loop: EventLoop
  private var loopKey: UInt64 = 0
  private let onEnd: (Failure?) -> Void
  /// `end` is the daemon's end of a new connection, or nil for a refusal.
  private var queue: [(line: [UInt8], end: SharedDescriptor?)] = []
  private var awaitsReply = false

  /// - Parameter onEnd: Called once, with the daemon's reason, if any.
  init(_ socket: SharedDescriptor, _ loop: EventLoop, onEnd: @escaping (Failure?) -> Void) throws(SystemError) {
    let descriptor = try socket.descriptor.duplicate()
    try descriptor.setNonBlocking(true)
    connection = Connection(id: 0, descriptor: descriptor, mayIdle: true, now: loop.now)
    self.loop = loop
    self.onEnd = onEnd
    loopKey = try loop.watch(connection.descriptor.raw) { [unowned self] _ in read() }
  }

  deinit { loop.unwatch(loopKey) }

  /// Passes the daemon its `end` of a peer's new connection.
  func connect(_ peer: LeasePeerRequest, _ end: SharedDescriptor) { enqueue(peer, passing: end) }

  /// Reports a refused peer, unless too many requests are waiting.
  func report(_ refusal: LeasePeerRequest) { if queue.count < Self.maximumQueued { enqueue(refusal, passing: nil) } }

  private func enqueue(_ request: LeasePeerRequest, passing end: SharedDescriptor?) {
    queue.append((RequestEnvelope(.leasePeer(request)).serialized(), end))
    sendNext()
  }

  /// At this many waiting requests, refusals are not reported.
  private static let maximumQueued = 64

  /// Sends a request only after the previous one's reply, so that the daemon matches descriptors to lines.
  private func sendNext() {
    guard !awaitsReply, !queue.isEmpty else { return }
    let (line, end) = queue.removeFirst()
    awaitsReply = true
    var sent = 0
    if let end {
      // An idle connection's buffer has room for the line.
      sent = (try? UnixSocket.send(line.span, passing: end.descriptor.raw, over: connection.descriptor)) ?? 0
      if sent == 0 { return endChannel(nil) }
    }
    if sent < line.count { _ = connection.enqueue(.plain(Array(line[sent...]))) }
    flush()
  }

  private func flush() {
    guard connection.flush() else { return }
    loop.setInterest(connection.hasOutput ? .both : .read, of: loopKey)
  }

  private func read() {
    if connection.hasOutput { flush() }
    var failure: Failure?
    let result = connection.read()
    while let last = connection.takeLine({ line in try? Reply(parsing: line) }) {
      if case .failure(let reason)? = last { failure = reason } else { awaitsReply = false }
    }
    // The daemon accepts all requests of this process: a failure ends the lease.
    guard failure == nil, result != .end, result != .tooLong else { return endChannel(failure) }
    sendNext()
  }

  private func endChannel(_ failure: Failure?) {
    loop.unwatch(loopKey)
    queue = []
    onEnd(failure)
  }
}
