internal import Crypto
internal import Platform
internal import Sessions
internal import Wire

/// The loop's interface for request handlers: answers, time, timers and listeners.
protocol ReplySink: AnyObject {
  /// Time at which the loop last woke up.
  var now: Instant { get }
  /// Sends an event or the last line; ignored when the request is no longer there.
  func send(_ reply: Reply, to ticket: Ticket)
  /// Sends the last line, which contains a secret.
  func send(_ line: SharedSecret, to ticket: Ticket)
  func schedule(_ event: TimerEvent, at due: Instant)
  /// Starts or stops reporting network changes to ``Dispatcher/networkChanged()``.
  func watchNetwork(_ isWanted: Bool)
  /// Sets the time at which an unanswered request times out.
  func setDeadline(_ deadline: Instant, of ticket: Ticket)
  /// Awaits the answer of a sign-in at a loopback address; it comes to ``Dispatcher/redirectCame(_:query:)``.
  func listen(_ listener: RedirectListener, for login: UInt64) throws(SystemError)
  /// Stops listening for a sign-in's answer; does nothing if there is no listener.
  func stopListening(for login: UInt64)
  /// Closes idle HTTP connections, frees unused memory and writes pending records.
  func tidyUp()
  /// Ends the daemon; the request is answered when all work is done.
  func stop(_ ticket: Ticket)
}
