internal import AgentSocket
internal import Platform
internal import Wire

extension DaemonConnection {
  /// Waits for the next line and passes it, without its line feed, to `body`.
  ///
  /// - Parameter wait: Called if no line was received; it may print something meanwhile.
  /// - Throws: `timeout` after the deadline; `daemon_unavailable` if the daemon closes the connection; the error of
  ///   `body`.
  mutating func nextLine<Result: ~Copyable>(
    before deadline: Instant, waiting wait: Wait = waitSilently, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var result: Result?
    try passLine(before: deadline, waiting: wait) { (line) throws(Failure) in result = try body(line) }
    guard let result = result.take() else { preconditionFailure("a line was passed") }
    return result
  }

  /// Passes the next line to `body` if it was received already; nil otherwise. Never waits.
  mutating func takeLine<Result: ~Copyable>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result?
  {
    var result: Result?
    _ = try passLine { (line) throws(Failure) in result = try body(line) }
    return result
  }
}
