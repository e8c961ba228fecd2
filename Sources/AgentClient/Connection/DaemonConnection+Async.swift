internal import Platform
internal import Wire

extension DaemonConnection {
  /// Waits for the next line, and passes it to `body` without its newline.
  ///
  /// - Throws: `timeout` after the deadline; `cancelled` if the task is cancelled; `daemon_unavailable` if the daemon
  ///   disconnects; the errors of `body`. After other errors than those of `body`, the connection is unusable.
  mutating func nextLine<Result: ~Copyable>(
    before deadline: Instant, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    while true {
      if let result = try takeLine(body) { return result }
      try await SocketWaits.wait(for: descriptor, before: deadline)
      try readMore()
    }
  }

  /// Passes the next line to `body` if it has arrived; otherwise returns nil. Never blocks.
  private mutating func takeLine<Result: ~Copyable>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    var result: Result?
    _ = try passLine { (line) throws(Failure) in result = try body(line) }
    return result
  }

  /// Sends environment variables of this process to the daemon.
  ///
  /// - Throws: The errors of ``nextLine(before:_:)``.
  mutating func sendVariables(_ variables: CallerVariables, before deadline: Instant) async throws(Failure) {
    try send(RequestEnvelope(variables.request), passing: variables.values)
    try await nextLine(before: deadline) { (line) throws(Failure) in
      if case .failure(let failure) = try Reply(parsing: line) { throw failure }
    }
  }

  /// The maximum length of a line in bytes. A socket accepts that much at once, so sending never blocks.
  private static let maximumSentBytes = 100 << 10

  /// Sends a request.
  ///
  /// - Throws: `invalid_request` if the request is too long.
  func sendWhole(_ request: RequestEnvelope) throws(Failure) {
    guard request.serialized().count <= Self.maximumSentBytes else {
      throw Failure(.invalidRequest, verbatim: "the request is longer than \(Self.maximumSentBytes) bytes")
    }
    try send(request)
  }
}
