internal import AgentSocket
internal import Platform
internal import Wire

extension DaemonConnection {
  /// Waits for the next line and passes it, without its line feed, to `body`.
  ///
  /// - Throws: `timeout` after the deadline; `cancelled` when the task is cancelled; `daemon_unavailable` if the daemon
  ///   closes the connection; the error of `body`. Only after one of `body` is the connection good for another request.
  mutating func nextLine<Result: ~Copyable>(
    before deadline: Instant, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    while true {
      if let result = try takeLine(body) { return result }
      try await SocketWaits.wait(for: descriptor, before: deadline)
      try readMore()
    }
  }

  /// Passes the next line to `body` if it was received already; nil otherwise. Never waits.
  private mutating func takeLine<Result: ~Copyable>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    var result: Result?
    _ = try passLine { (line) throws(Failure) in result = try body(line) }
    return result
  }

  /// Hands over variables of this process.
  ///
  /// - Throws: As ``nextLine(before:_:)``.
  mutating func handOver(_ variables: CallerVariables, before deadline: Instant) async throws(Failure) {
    try send(RequestEnvelope(variables.request), passing: variables.values)
    try await nextLine(before: deadline) { (line) throws(Failure) in
      if case .failure(let failure) = try Reply(parsing: line) { throw failure }
    }
  }

  /// The longest line that is sent, in bytes: a socket takes it whole, so that sending blocks no thread of Swift's pool.
  private static let maximumSentBytes = 100 << 10

  /// Sends a request.
  ///
  /// - Throws: `invalid_request` for one that is too long.
  func sendWhole(_ request: RequestEnvelope) throws(Failure) {
    guard request.serialized().count <= Self.maximumSentBytes else {
      throw Failure(.invalidRequest, verbatim: "the request is longer than \(Self.maximumSentBytes) bytes")
    }
    try send(request)
  }
}
