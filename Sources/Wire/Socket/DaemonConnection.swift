package import Platform

/// A connection to this user's daemon, or to that of another given user.
package struct DaemonConnection: ~Copyable, Sendable {
  private let socket: FileDescriptor
  private let privateDaemon: DaemonProcess?
  /// Whether the daemon is another user's, who must not get this user's secrets.
  package let isOfOtherUser: Bool
  /// Whether the daemon ended without reading the latest request.
  package private(set) var hasUnreadRequest = false
  private var lines = LineBuffer()

  /// Wraps a connected socket.
  ///
  /// - Parameters:
  ///   - otherUser: Another user whose daemon is accepted.
  ///   - privateDaemon: The `agentd` that serves only this connection.
  /// - Throws: `daemon_unavailable` if the socket belongs to another user.
  package init(
    over socket: consuming FileDescriptor, servedBy otherUser: UInt32? = nil, privateDaemon: DaemonProcess? = nil
  ) throws(Failure) {
    guard let user = try? UnixSocket.peerUserID(socket), user == Machine.userID || user == otherUser else {
      throw Failure(.daemonUnavailable, "another user's process serves the socket, so nothing was sent to it")
    }
    self.socket = socket
    self.privateDaemon = privateDaemon
    isOfOtherUser = user != Machine.userID
  }

  /// Ends and awaits a private daemon.
  deinit {
    guard let privateDaemon else { return }
    try? UnixSocket.shutDown(socket)
    privateDaemon.reap()
  }

  /// Valid while this value exists.
  package var descriptor: Int32 { socket.raw }

  /// Whether the daemon serves only this connection.
  package var isPrivate: Bool { privateDaemon != nil }

  package var processID: Int32? { (try? UnixSocket.peer(socket).process).flatMap { $0 > 0 ? $0 : nil } }

  /// Sends a request. Does not raise `SIGPIPE`.
  package borrowing func send(_ request: RequestEnvelope) throws(Failure) {
    do {
      try UnixSocket.sendAll(request.serialized().span, over: socket)
    } catch {
      throw sendFailure(error)
    }
  }

  /// Sends a request with descriptors, in order.
  package borrowing func send(_ request: RequestEnvelope, passing passed: [SharedDescriptor]) throws(Failure) {
    let line = request.serialized()
    do {
      // Each message carries one descriptor: each but the last goes with one byte.
      var sent = 0
      for (index, shared) in passed.enumerated() {
        let end = index < passed.count - 1 ? sent + 1 : line.count
        sent += try UnixSocket.send(line.span.extracting(sent..<end), passing: shared.descriptor.raw, over: socket)
      }
      try UnixSocket.sendAll(line.span.extracting(sent...), over: socket)
    } catch {
      throw sendFailure(error)
    }
  }

  /// Waits for input until the deadline. Returns whether there is any.
  package typealias Wait = (_ socket: borrowing FileDescriptor, _ deadline: Instant) throws(SystemError) -> Bool

  /// A ``Wait`` that prints nothing.
  package static func waitSilently(
    for socket: borrowing FileDescriptor, before deadline: Instant
  ) throws(SystemError) -> Bool {
    try socket.waitUntilReadable(timeout: Instant.now.duration(to: deadline))
  }

  /// Waits for the next line and passes it to `body` without its newline. Not generic in the result, which would be
  /// slower.
  ///
  /// - Parameter wait: Called if no line is available yet; may print.
  /// - Throws: `timeout` after the deadline; `daemon_unavailable` if the daemon disconnects; the errors of `body`.
  package mutating func passLine(
    before deadline: Instant, waiting wait: Wait, _ body: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    while true {
      if try lines.passLine(body) { return }
      try waitForInput(before: deadline, wait)
      try readMore()
    }
  }

  /// Passes the next line to `body`, if received, and returns whether it was. Never blocks.
  package mutating func passLine(_ body: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) -> Bool {
    try lines.passLine(body)
  }

  /// The next line, if received. Not for secrets. Never blocks.
  package mutating func takeReply() throws(Failure) -> Reply? {
    var reply: Reply?
    _ = try passLine { (line) throws(Failure) in reply = try Reply(parsing: line) }
    return reply
  }

  /// Blocks if nothing is available.
  package mutating func readMore() throws(Failure) {
    let count: Int
    do {
      count = try lines.fill(from: socket)
    } catch .system(let error) {
      // If the peer has read everything, this is no error but the end (unix(7)).
      hasUnreadRequest = error.isReset
      throw endFailure(error)
    } catch {
      throw Failure(.internalError, "the daemon's answer is longer than the protocol allows")
    }
    if count == 0 { throw endFailure(nil) }
  }

  private borrowing func waitForInput(before deadline: Instant, _ wait: Wait) throws(Failure) {
    let isReadable: Bool
    do {
      isReadable = try wait(socket, deadline)
    } catch {
      throw endFailure(error)
    }
    if !isReadable { throw .noAnswerInTime }
  }

  /// The failure that the daemon sent before disconnecting, or else one for `error`.
  private borrowing func sendFailure(_ error: SystemError) -> Failure {
    guard error.isDisconnected else { return endFailure(error) }
    var (last, lines) = (Failure?.none, LineBuffer())
    do {
      // Does not block: the other end is closed.
      while last == nil, try lines.fill(from: socket) > 0 {
        _ = try lines.passLine { (line) throws(Failure) in
          if case .failure(let failure) = try Reply(parsing: line) { last = failure }
        }
      }
    } catch { return endFailure(error as? SystemError) }
    return last ?? endFailure(error)
  }

  /// The failure for a broken connection. Without `error`, the daemon has disconnected.
  private borrowing func endFailure(_ error: SystemError?) -> Failure {
    if let process = privateDaemon, let line = process.lastErrorLine() {
      return Failure(.daemonUnavailable, "\(process.name) ended before it answered: \(line)")
    }
    // The daemon read nothing within the timeout.
    if let error, error.wouldBlock { return .noAnswerInTime }
    if let error, !error.isDisconnected {
      return Failure(
        .daemonUnavailable, Phrase("the connection to the daemon failed: \(Phrase(stringLiteral: error.message))"))
    }
    return Failure(.daemonUnavailable, "the daemon ended before it answered")
  }
}
