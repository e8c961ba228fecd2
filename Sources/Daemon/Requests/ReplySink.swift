internal import Crypto
internal import Platform
internal import Sessions
internal import Wire

/// Where answers go and time is told: what the loop offers to the request handlers.
protocol ReplySink: AnyObject {
  /// When the loop woke up for what is being done.
  var now: Instant { get }
  /// Sends an event or the last line; ignored when the request is no longer there.
  func send(_ reply: Reply, to ticket: Ticket)
  /// Sends the last line, which is secret.
  func send(_ line: SharedSecret, to ticket: Ticket)
  func schedule(_ event: TimerEvent, at due: Instant)
  /// Tells of changes of the network from now on, by ``Dispatcher/networkChanged()``, or no more.
  func watchNetwork(_ isWanted: Bool)
  /// When the request gives up, unless it is answered before.
  func setDeadline(_ deadline: Instant, of ticket: Ticket)
  /// Awaits the answer of a sign-in at a loopback address; it comes to ``Dispatcher/redirectCame(_:query:)``.
  func listen(_ listener: RedirectListener, for login: UInt64) throws(SystemError)
  /// Ends that; nothing happens where it is not awaited.
  func stopListening(for login: UInt64)
  /// Gives back what only waits for its next use.
  func tidyUp()
  /// Ends the daemon; the request is answered when all work is done.
  func stop(_ ticket: Ticket)
}
