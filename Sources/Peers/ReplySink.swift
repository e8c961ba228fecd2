package import Platform
package import Wire

/// The loop's interface for request handlers: responses, time, timers and descriptors.
package protocol ReplySink: AnyObject {
  /// When the loop last woke up.
  var now: Instant { get }
  /// Sends an event or the last line. Ignored if the request has ended.
  func send(_ reply: Reply, to ticket: Ticket)
  /// Sends the last line, which contains a secret.
  func send(_ line: any SecretLine, to ticket: Ticket)
  /// Calls `act` at this time, or soon if it has passed.
  func schedule(at due: Instant, _ act: @escaping () -> Void)
  /// Calls `serve` each time the descriptor is readable or writable, until ``unwatch(_:)`` with the returned key.
  func watch(_ descriptor: Int32, for interest: Poller.Interest, _ serve: @escaping () -> Void) throws(SystemError)
    -> UInt64
  func unwatch(_ key: UInt64)
  /// Streams the response to a request: calls `act` each time all output has been read.
  func stream(to ticket: Ticket, _ act: @escaping () -> Void)
  /// The number of bytes of output that the sender of a request has not read.
  func unread(by ticket: Ticket) -> Int
  /// Adds a connection with these access rules, and returns its number.
  ///
  /// - Parameter mayIdle: Whether it may be idle without limit.
  func admit(
    _ descriptor: consuming FileDescriptor, under admission: any Admission, mayIdle: Bool
  ) throws(SystemError) -> UInt64
  /// Resumes a request that its access rules have suspended.
  func goOn(with envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor])
  /// Sends a failure to all connections with these access rules, as the response to their requests, and closes them
  /// once it was sent.
  func dropPeers(of admission: any Admission, saying failure: Failure)
  /// Limit of simultaneous requests that wait for one server, so that others can be served too; nil while there are few
  /// peers.
  var mostAtOneServer: Int? { get }
  /// Sets the time at which an unanswered request times out.
  func setDeadline(_ deadline: Instant, of ticket: Ticket)
}

extension ReplySink {
  package func watch(_ descriptor: Int32, _ serve: @escaping () -> Void) throws(SystemError) -> UInt64 {
    try watch(descriptor, for: .read, serve)
  }
}

/// The last line of a response that contains a secret. It is never copied to memory that others may read.
package protocol SecretLine: AnyObject {
  var count: Int { get }
  /// Writes the bytes from `start` on, as many as possible now, and returns the number of bytes written.
  func write(from start: Int, to descriptor: borrowing FileDescriptor) throws(SystemError) -> Int
}

/// Identifies one request on one connection, so that a late response never reaches another request.
package struct Ticket: Sendable, Hashable {
  package let connection: UInt64
  package let serial: UInt64

  package init(connection: UInt64, serial: UInt64) {
    self.connection = connection
    self.serial = serial
  }

  /// Whether no connection has it.
  package var isInternal: Bool { connection == 0 }

  /// The ticket of work without a request.
  package static let nobody = Ticket(connection: 0, serial: 0)
}
