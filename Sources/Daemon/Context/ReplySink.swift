internal import Crypto
internal import Platform
internal import Sessions
internal import Wire

/// The loop's interface for request handlers: responses, time, timers and descriptors.
protocol ReplySink: AnyObject {
  /// Time at which the loop last woke up.
  var now: Instant { get }
  /// Sends an event or the last line. Ignored if the request has ended.
  func send(_ reply: Reply, to ticket: Ticket)
  /// Sends the last line, which contains a secret.
  func send(_ line: SharedSecret, to ticket: Ticket)
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
  /// Adds a peer accepted at a lease's socket, and returns the number of its connection.
  func admit(_ descriptor: consuming FileDescriptor, under admission: any Admission) throws(SystemError) -> UInt64
  /// Serves a request that its access rules have deferred.
  func goOn(with envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor])
  /// Fails the requests on connections under these access rules, and closes the connections once all output is sent.
  func dropPeers(of admission: any Admission, saying failure: Failure)
  /// Limit of simultaneous requests that wait for one server, so that others can be served too; nil while there are few
  /// peers.
  var mostAtOneServer: Int? { get }
  /// Sets the time at which an unanswered request times out.
  func setDeadline(_ deadline: Instant, of ticket: Ticket)
}

extension ReplySink {
  func watch(_ descriptor: Int32, _ serve: @escaping () -> Void) throws(SystemError) -> UInt64 {
    try watch(descriptor, for: .read, serve)
  }
}

/// Identifies one request on one connection, so that a late response never reaches another request.
struct Ticket: Sendable, Hashable {
  let connection: UInt64
  let serial: UInt64

  /// Ticket of work without a request.
  static let nobody = Ticket(connection: 0, serial: 0)
}
