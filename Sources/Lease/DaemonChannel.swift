internal import Encoding
internal import Peers
internal import Platform
internal import Wire

/// The connection to the daemon that the owner of the lease has opened. It can do nothing but add connections for peers.
final class DaemonChannel {
  private let connection: Connection
  private unowned let loop: EventLoop
  private var key: UInt64 = 0
  private let left: (Failure?) -> Void

  /// - Parameter left: Called once when the connection ends, with the reason if the daemon gave one.
  init(_ socket: SharedDescriptor, _ loop: EventLoop, left: @escaping (Failure?) -> Void) throws(SystemError) {
    let descriptor = try socket.descriptor.duplicate()
    try descriptor.setNonBlocking(true)
    connection = Connection(id: 0, descriptor: descriptor, mayIdle: true, now: loop.now)
    self.loop = loop
    self.left = left
    key = try loop.watch(connection.descriptor.raw) { [unowned self] _ in read() }
  }

  deinit { loop.unwatch(key) }

  /// Adds a connection for a peer.
  ///
  /// - Parameter end: The daemon's end of it.
  /// - Throws: `EAGAIN` if the daemon reads nothing.
  func connect(_ peer: LeasePeerRequest, _ end: SharedDescriptor) throws(SystemError) {
    let line = RequestEnvelope(.leasePeer(peer)).serialized()
    let sent = try UnixSocket.send(line.span, passing: end.descriptor.raw, over: connection.descriptor)
    if sent < line.count { write(Array(line[sent...])) }
  }

  /// Tells of a peer that was refused, if the daemon reads.
  func tell(_ refusal: LeasePeerRequest) {
    guard !connection.hasOutput else { return }
    write(RequestEnvelope(.leasePeer(refusal)).serialized())
  }

  private func write(_ bytes: [UInt8]) {
    _ = connection.enqueue(.plain(bytes))
    flush()
  }

  private func flush() {
    guard connection.flush() else { return }
    loop.setInterest(connection.hasOutput ? .both : .read, of: key)
  }

  private func read() {
    if connection.hasOutput { flush() }
    var failure: Failure?
    let result = connection.read()
    while let last = connection.takeLine({ line in try? Reply(parsing: line) }) {
      if case .failure(let reason)? = last { failure = reason }
    }
    // The daemon refuses nothing that this process sends, so that a failure is the end of the lease.
    guard failure != nil || result == .end || result == .tooLong else { return }
    loop.unwatch(key)
    left(failure)
  }
}
