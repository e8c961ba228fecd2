internal import Encoding
internal import Platform
internal import Wire

/// The response of a resource: its head, and its body in parts as they arrive.
///
/// ```swift
/// let response = try await agent.request(ResourceRequest("https://api.example.org/items"))
/// for try await part in response { write(part) }
/// ```
///
/// The agent reads from the server only as fast as you read. To end the request, release the response or cancel the
/// reading task. Read from one task.
public final class ResourceResponse: AsyncSequence, Sendable {
  /// The status code (RFC 9110, section 15).
  public let status: Int

  /// The header fields, in the server's order.
  public let headers: [HTTPField]

  private let replies: ReplyStream
  private let unsent: UnsentBody
  private let endProblem = Monitor<AgentError?>(nil)

  init(headOf replies: ReplyStream, sending unsent: UnsentBody) async throws(AgentError) {
    while true {
      switch try await replies.next(after: unsent.send) {
      case .event(.response(let head)):
        status = head.status
        headers = head.headers.map { HTTPField($0.name, $0.value) }
        self.replies = replies
        self.unsent = unsent
        return
      case .event(.bodyWanted): unsent.recordRequest()
      case .event: continue
      case .failure(let failure): throw AgentError(failure)
      case .result, nil: throw AgentError(Reply.unreadable)
      }
    }
  }

  /// Returns the value of the first header field with this name, if any.
  public func field(_ name: String) -> String? {
    headers.first { $0.name.lowercased().hasSameBytes(as: name.lowercased()) }?.value
  }

  /// Why the request failed: the resource rejects even new tokens, or requires another sign-in. Set at the end of the
  /// body; nil on success.
  public var problem: AgentError? { endProblem.withLock { $0 } }

  /// Reads the rest of the body, at most `limit` bytes.
  ///
  /// - Throws: ``AgentError/Remedy/fixProgram`` with the code `body_too_large` if the rest is longer. This ends the
  ///   request.
  public func bytes(upTo limit: Int = 16 << 20) async throws(AgentError) -> [UInt8] {
    var bytes: [UInt8] = []
    while let part = try await next() {
      guard bytes.count + part.count <= limit else {
        replies.close()
        throw AgentError(.bodyTooLarge, "the answer has more than \(limit) bytes")
      }
      bytes += part
    }
    return bytes
  }

  /// Returns an iterator over the remaining parts of the body, each at most 48 KiB. It throws
  /// ``AgentError/Remedy/tryLater`` if the body ends early.
  public func makeAsyncIterator() -> AgentIterator<[UInt8]> { AgentIterator(advance: next) }

  private func next() async throws(AgentError) -> [UInt8]? {
    while true {
      switch try await replies.next(after: unsent.send) {
      case .event(.body(let bytes)): return bytes
      case .event(.bodyWanted): unsent.recordRequest()
      case .event: continue
      case .failure(let failure): throw AgentError(failure)
      case .result(let result):
        let problem = result["problem"].flatMap { Wire.Failure(json: $0) }.map { AgentError($0) }
        endProblem.withLock { $0 = problem }
        return nil
      case nil: return nil
      }
    }
  }
}

final class UnsentBody: Sendable {
  private struct State: Sendable {
    /// The parts in reverse order, so that `popLast()` returns the next one.
    var parts: [ResourceBodyRequest]
    var isPartRequested = false
  }

  private let state: Monitor<State>

  init(_ parts: [ResourceBodyRequest]) { state = Monitor(State(parts: parts.reversed())) }

  /// Records that the agent requested the next part.
  func recordRequest() { state.withLock { $0.isPartRequested = true } }

  /// Sends the next part, if requested.
  func send(over connection: borrowing DaemonConnection) throws(Failure) {
    let part = state.withLock { state -> ResourceBodyRequest? in
      guard state.isPartRequested else { return nil }
      state.isPartRequested = false
      return state.parts.popLast()
    }
    if let part { try connection.sendWhole(RequestEnvelope(.resourceBody(part))) }
  }
}
