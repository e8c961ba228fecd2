package import Platform
package import Wire

/// A connection to a daemon of this user, or of another one that this user has named.
package struct DaemonConnection: ~Copyable, Sendable {
  private let socket: FileDescriptor
  private let privateDaemon: DaemonProcess?
  /// Whether a process of another user is at the other end, which may not learn what only this user's processes can.
  package let isOfOtherUser: Bool
  /// Whether the daemon ended with something of what was sent unread: it then has acted on no part of the last request.
  package private(set) var hasUnread = false
  private var lines = LineBuffer()

  /// Takes over a connected socket.
  ///
  /// - Parameters:
  ///   - otherUser: The user whose process may be at the other end, besides this one's.
  ///   - privateDaemon: The `agentd` that serves only this connection, if there is one.
  /// - Throws: `daemon_unavailable` if the peer process belongs to any other user.
  package init(
    over socket: consuming FileDescriptor, servedBy otherUser: UInt32? = nil, privateDaemon: DaemonProcess? = nil
  ) throws(Failure) {
    guard let user = try? UnixSocket.peerUserID(socket), user == Machine.userID || user == otherUser else {
      throw Failure(.daemonUnavailable, "the socket is served by another user's process, so nothing was sent to it")
    }
    self.socket = socket
    self.privateDaemon = privateDaemon
    isOfOtherUser = user != Machine.userID
  }

  /// The socket's number, for waiting on several things; valid as long as this value lives.
  package var descriptor: Int32 { socket.raw }

  /// Whether an `agentd` that was started for it alone is at the other end.
  package var isPrivate: Bool { privateDaemon != nil }

  /// The process that listens at the socket; nil where the system does not tell.
  package var process: Int32? { (try? UnixSocket.peer(socket).process).flatMap { $0 > 0 ? $0 : nil } }

  /// Sends a request. A program that uses the library need not ignore `SIGPIPE`.
  package borrowing func send(_ request: RequestEnvelope) throws(Failure) {
    do {
      try UnixSocket.sendAll(request.serialized().span, over: socket)
    } catch {
      throw refused(error)
    }
  }

  /// Sends a request and any number of descriptors with it, which arrive in this order.
  package borrowing func send(_ request: RequestEnvelope, passing passed: [SharedDescriptor]) throws(Failure) {
    let line = request.serialized()
    do {
      // A message carries one descriptor, so the line goes out as several: a byte with each but the last.
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

  /// Waits until a socket is readable, at most until a moment; returns whether it is.
  package typealias Wait = (_ socket: borrowing FileDescriptor, _ deadline: Instant) throws(SystemError) -> Bool

  /// A wait without any output.
  package static func waitSilently(
    for socket: borrowing FileDescriptor, before deadline: Instant
  ) throws(SystemError) -> Bool {
    try socket.waitUntilReadable(timeout: Instant.now.duration(to: deadline))
  }

  /// Waits for the next line and passes it, without its line feed, to `body`, which is called once.
  ///
  /// Each module that uses it has its own variant with a result: a generic function of another module would not be
  /// specialized, and its types would be made at run time, which takes too long in a program that starts for each
  /// token.
  ///
  /// - Parameter wait: Called if no line was received; it may print something meanwhile.
  /// - Throws: `timeout` after the deadline; `daemon_unavailable` if the daemon closes the connection; the error of
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

  /// Passes the next line to `body` if it was received already, and returns whether. Never waits.
  package mutating func passLine(_ body: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) -> Bool {
    try lines.passLine(body)
  }

  /// Reads once; waits if there is nothing to read.
  package mutating func readMore() throws(Failure) {
    let count: Int
    do {
      count = try lines.fill(from: socket)
    } catch .system(let error) {
      // unix(7): an end of the peer that has read all is no error.
      hasUnread = error.isReset
      throw ended(error)
    } catch {
      throw Failure(.internalError, "the daemon's answer is longer than the protocol allows")
    }
    if count == 0 { throw ended(nil) }
  }

  /// Closes the connection; a private daemon has ended too when this returns.
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

  /// The failure of a request that could not be sent: the one that the daemon sent before it closed the connection, if any.
  private borrowing func refused(_ error: SystemError) -> Failure {
    guard error.isDisconnected else { return ended(error) }
    var (last, lines) = (Failure?.none, LineBuffer())
    do {
      // The other end is closed, so nothing is waited for.
      while last == nil, try lines.fill(from: socket) > 0 {
        _ = try lines.passLine { (line) throws(Failure) in
          if case .failure(let failure) = try Reply(parsing: line) { last = failure }
        }
      }
    } catch { return ended(error as? SystemError) }
    return last ?? ended(error)
  }

  private borrowing func ended(_ error: SystemError?) -> Failure {
    if let line = privateDaemon?.lastWords() {
      return Failure(.daemonUnavailable, "agentd ended before it answered: \(line)")
    }
    // The daemon reads nothing for as long as a write may take.
    if let error, error.isAgain { return .noAnswerInTime }
    if let error, !error.isDisconnected {
      return Failure(
        .daemonUnavailable, Phrase("the connection to the daemon failed: \(Phrase(stringLiteral: error.message))"))
    }
    return Failure(.daemonUnavailable, "the daemon ended before it answered")
  }
}
