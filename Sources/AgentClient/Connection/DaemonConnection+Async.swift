internal import Platform
internal import Wire

extension DaemonConnection {
  /// Waits for the next line, and passes it to `body` without its newline.
  ///
  /// - Throws: `timeout`, `cancelled`, `daemon_unavailable` if the daemon disconnects, or the errors of `body`. The
  ///   connection stays usable only after errors of `body`.
  mutating func nextLine<Result: ~Copyable>(
    before deadline: Instant, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    while true {
      if let result = try takeLine(body) { return result }
      try await SocketWaits.wait(for: descriptor, before: deadline)
      try readMore()
    }
  }

  /// Passes the next line to `body`; nil if none has arrived. Never blocks.
  private mutating func takeLine<Result: ~Copyable>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    var result: Result?
    _ = try passLine { (line) throws(Failure) in result = try body(line) }
    return result
  }

  /// Sends environment variables of this process to the daemon. Throws like ``nextLine(before:_:)``.
  mutating func sendVariables(_ variables: CallerVariables, before deadline: Instant) async throws(Failure) {
    try send(RequestEnvelope(variables.request), passing: variables.values)
    try await nextLine(before: deadline) { (line) throws(Failure) in
      if case .failure(let failure) = try Reply(parsing: line) { throw failure }
    }
  }

  /// The maximum line length. A socket accepts that much at once, so sending never blocks.
  private static let maximumSentBytes = 100 << 10

  /// Sends a request; throws `invalid_request` if it is too long.
  func sendWhole(_ request: RequestEnvelope) throws(Failure) {
    guard request.serialized().count <= Self.maximumSentBytes else {
      throw Failure(.invalidRequest, verbatim: "the request is longer than \(Self.maximumSentBytes) bytes")
    }
    try send(request)
  }
}
