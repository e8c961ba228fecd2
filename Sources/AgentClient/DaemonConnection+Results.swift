internal import AgentSocket
internal import Platform
internal import Wire

extension DaemonConnection {
  /// Waits for the next line and gives it, without its line feed, to `body`.
  ///
  /// - Parameter wait: Called when nothing is here; it may tell a person something meanwhile.
  /// - Throws: `timeout` past the deadline; `daemon_unavailable` when the daemon hangs up; what
  ///   `body` throws.
  mutating func nextLine<Result: ~Copyable>(
    before deadline: Instant, waiting wait: Wait = waitSilently, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var result: Result?
    try passLine(before: deadline, waiting: wait) { (line) throws(Failure) in result = try body(line) }
    guard let result = result.take() else { preconditionFailure("a line was passed") }
    return result
  }

  /// Gives the next line to `body` if it is here already; nil otherwise. Never waits.
  mutating func takeLine<Result: ~Copyable>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result?
  {
    var result: Result?
    _ = try passLine { (line) throws(Failure) in result = try body(line) }
    return result
  }
}
