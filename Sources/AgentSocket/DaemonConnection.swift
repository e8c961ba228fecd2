package import Platform
package import Wire

/// A connection to a daemon of this user, or of another user that this one specified.
package struct DaemonConnection: ~Copyable, Sendable {
  private let socket: FileDescriptor
  private let privateDaemon: DaemonProcess?
  /// Whether the peer process belongs to another user, and must not learn what only this user's processes may know.
  package let isOfOtherUser: Bool
  /// Whether the daemon ended without reading everything. It then did not process any part of the last request.
  package private(set) var hasUnread = false
  private var lines = LineBuffer()

  /// Wraps a connected socket.
  ///
  /// - Parameters:
  ///   - otherUser: Another user whose process is accepted as peer.
  ///   - privateDaemon: The `agentd` that serves only this connection, if any.
  /// - Throws: `daemon_unavailable` if the peer process belongs to any other user.
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

  /// The socket's number, for polling; valid during the lifetime of this value.
  package var descriptor: Int32 { socket.raw }

  /// Whether the peer is an `agentd` started for this connection only.
  package var isPrivate: Bool { privateDaemon != nil }

  /// The process that listens at the socket, if known.
  package var process: Int32? { (try? UnixSocket.peer(socket).process).flatMap { $0 > 0 ? $0 : nil } }

  /// Sends a request. A program that uses the library need not ignore `SIGPIPE`.
  package borrowing func send(_ request: RequestEnvelope) throws(Failure) {
    do {
      try UnixSocket.sendAll(request.serialized().span, over: socket)
    } catch {
      throw refused(error)
    }
  }

  /// Sends a request with any number of descriptors, which arrive in this order.
  package borrowing func send(_ request: RequestEnvelope, passing passed: [SharedDescriptor]) throws(Failure) {
    let line = request.serialized()
    do {
      // A message carries one descriptor, so the line is sent in several messages: one byte with each descriptor except
      // the last.
      var sent = 0
      for (index, shared) in passed.enumerated() {
        let end = index < passed.count - 1 ? sent + 1 : line.count
        sent += try UnixSocket.send(line.span.extracting(sent..<end), passing: shared.descriptor.raw, over: socket)
      }
      try UnixSocket.sendAll(line.span.extracting(sent...), over: socket)
    } catch {
      throw refused(error)
    }
  }

  /// Waits until a socket is readable or the deadline; returns whether it is readable.
  package typealias Wait = (_ socket: borrowing FileDescriptor, _ deadline: Instant) throws(SystemError) -> Bool

  /// A wait without output.
  package static func waitSilently(
    for socket: borrowing FileDescriptor, before deadline: Instant
  ) throws(SystemError) -> Bool {
    try socket.waitUntilReadable(timeout: Instant.now.duration(to: deadline))
  }

  /// Waits for the next line and passes it once to `body`, without its newline.
  ///
  /// Each module that uses this has its own variant with a result: a generic function of another module would not be
  /// specialized, and creating its types at run time is too slow in a program that starts for each token.
  ///
  /// - Parameter wait: Called if no line was received; may print something meanwhile.
  /// - Throws: `timeout` after the deadline; `daemon_unavailable` if the daemon closes the connection; or the error of
  ///   `body`.
  package mutating func passLine(
    before deadline: Instant, waiting wait: Wait, _ body: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    while true {
      if try lines.passLine(body) { return }
      try waitForInput(before: deadline, wait)
      try readMore()
    }
  }

  /// Passes the next line to `body` if it was already received, and returns whether it was. Never blocks.
  package mutating func passLine(_ body: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) -> Bool {
    try lines.passLine(body)
  }

  /// The next line, without secrets, if it has arrived; nil otherwise. Never waits.
  package mutating func takeReply() throws(Failure) -> Reply? {
    var reply: Reply?
    _ = try passLine { (line) throws(Failure) in reply = try Reply(parsing: line) }
    return reply
  }

  /// Reads once, waiting if there is nothing to read.
  package mutating func readMore() throws(Failure) {
    let count: Int
    do {
      count = try lines.fill(from: socket)
    } catch .system(let error) {
      // unix(7): if the peer has read everything, closing is not an error.
      hasUnread = error.isReset
      throw ended(error)
    } catch {
      throw Failure(.internalError, "the daemon's answer is longer than the protocol allows")
    }
    if count == 0 { throw ended(nil) }
  }

  /// Closes the connection. A private daemon has ended when this returns.
  package consuming func finish() {
    let daemon = privateDaemon
    try? socket.close()
    daemon?.reap()
  }

  private borrowing func waitForInput(before deadline: Instant, _ wait: Wait) throws(Failure) {
    let isReadable: Bool
    do {
      isReadable = try wait(socket, deadline)
    } catch {
      throw ended(error)
    }
    if !isReadable { throw .noAnswerInTime }
  }

  /// The failure for a request that could not be sent: the daemon's own if it sent one before closing the connection.
  private borrowing func refused(_ error: SystemError) -> Failure {
    guard error.isDisconnected else { return ended(error) }
    var (last, lines) = (Failure?.none, LineBuffer())
    do {
      // The other end is closed, so this does not wait.
      while last == nil, try lines.fill(from: socket) > 0 {
        _ = try lines.passLine { (line) throws(Failure) in
          if case .failure(let failure) = try Reply(parsing: line) { last = failure }
        }
      }
    } catch { return ended(error as? SystemError) }
    return last ?? ended(error)
  }

  private borrowing func ended(_ error: SystemError?) -> Failure {
    if let process = privateDaemon, let line = process.lastWords() {
      return Failure(.daemonUnavailable, "\(process.name) ended before it answered: \(line)")
    }
    // The daemon reads nothing within the write timeout.
    if let error, error.isAgain { return .noAnswerInTime }
    if let error, !error.isDisconnected {
      return Failure(
        .daemonUnavailable, Phrase("the connection to the daemon failed: \(Phrase(stringLiteral: error.message))"))
    }
    return Failure(.daemonUnavailable, "the daemon ended before it answered")
  }
}
