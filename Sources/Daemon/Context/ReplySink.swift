internal import Crypto
internal import Platform
internal import Sessions
internal import Wire

/// The loop's interface for request handlers: answers, time, timers and descriptors.
protocol ReplySink: AnyObject {
  /// Time at which the loop last woke up.
  var now: Instant { get }
  /// Sends an event or the last line; ignored when the request is no longer there.
  func send(_ reply: Reply, to ticket: Ticket)
  /// Sends the last line, which contains a secret.
  func send(_ line: SharedSecret, to ticket: Ticket)
  /// Calls `act` at this time, or soon if it has passed.
  func schedule(at due: Instant, _ act: @escaping () -> Void)
  /// Calls `serve` each time that the descriptor can be read, or written to, until ``unwatch(_:)`` with the returned key.
  func watch(_ descriptor: Int32, for interest: Poller.Interest, _ serve: @escaping () -> Void) throws(SystemError)
    -> UInt64
  func unwatch(_ key: UInt64)
  /// The answer to a request goes on for as long as it is read. `act` is called each time that all was read.
  func stream(to ticket: Ticket, _ act: @escaping () -> Void)
  /// How many bytes of output the sender of a request has not read.
  func unread(by ticket: Ticket) -> Int
  /// Adds a peer that came by a lent socket, and returns the number of its connection.
  func admit(_ descriptor: consuming FileDescriptor, under admission: any Admission) throws(SystemError) -> UInt64
  /// Serves a request that its terms have held.
  func goOn(with envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor])
  /// Ends the requests of the connections under these terms with a failure, and closes them when all was sent.
  func dropPeers(of admission: any Admission, saying failure: Failure)
  /// Limit of requests that wait for one server at a time, which leaves places to those that wait for others; nil while
  /// there are not so many peers.
  var mostAtOneServer: Int? { get }
  /// Sets the time at which an unanswered request times out.
  func setDeadline(_ deadline: Instant, of ticket: Ticket)
}

extension ReplySink {
  func watch(_ descriptor: Int32, _ serve: @escaping () -> Void) throws(SystemError) -> UInt64 {
    try watch(descriptor, for: .read, serve)
  }
}

/// Names one request on one connection, so that a late answer never reaches another request.
struct Ticket: Sendable, Hashable {
  let connection: UInt64
  let serial: UInt64

  /// Ticket of work without a request.
  static let nobody = Ticket(connection: 0, serial: 0)
}
