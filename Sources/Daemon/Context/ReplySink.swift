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
  /// Calls `serve` each time that the descriptor can be read, until ``unwatch(_:)`` with the returned key.
  func watch(_ descriptor: Int32, _ serve: @escaping () -> Void) throws(SystemError) -> UInt64
  func unwatch(_ key: UInt64)
  /// Sets the time at which an unanswered request times out.
  func setDeadline(_ deadline: Instant, of ticket: Ticket)
}
