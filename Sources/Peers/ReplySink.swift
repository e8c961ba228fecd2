package import Platform
package import Wire

/// The loop's interface for request handlers: answers, time, timers and descriptors.
package protocol ReplySink: AnyObject {
  /// Time at which the loop last woke up.
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
  /// Adds a connection under these terms, and returns its number.
  ///
  /// - Parameter mayIdle: It may be idle without a limit.
  func admit(
    _ descriptor: consuming FileDescriptor, under admission: any Admission, mayIdle: Bool
  ) throws(SystemError) -> UInt64
  /// Serves a request that its terms have held.
  func goOn(with envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor])
  /// Sends a failure to the connections under these terms, as the answer to their requests, and closes them when all was
  /// sent.
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

/// The last line of an answer that contains a secret. It is never copied to memory that others may read.
package protocol SecretLine: AnyObject {
  var count: Int { get }
  /// Writes the bytes from `start` on, as many as possible now, and returns the number of bytes written.
  func write(from start: Int, to descriptor: borrowing FileDescriptor) throws(SystemError) -> Int
}

/// Names one request on one connection, so that a late answer never reaches another request.
package struct Ticket: Sendable, Hashable {
  package let connection: UInt64
  package let serial: UInt64

  package init(connection: UInt64, serial: UInt64) {
    self.connection = connection
    self.serial = serial
  }

  /// Ticket of work without a request.
  package static let nobody = Ticket(connection: 0, serial: 0)
}
