internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// The answer of a resource: its head, and its body as parts that are read as they come.
///
/// ```swift
/// let response = try await agent.request(ResourceRequest("https://api.example.org/items"))
/// for try await part in response { … }
/// ```
///
/// The agent reads no more from the server than is read here. Releasing the value, or cancelling the task that reads, ends the
/// request. One task reads the body.
public final class ResourceResponse: AsyncSequence, Sendable {
  /// The status code (RFC 9110, section 15).
  public let status: Int

  /// The fields of the head, in the server's order.
  public let headers: [HTTPField]

  private let replies: ReplyStream
  private let unsent: UnsentBody
  private let end = Monitor<AgentError?>(nil)

  init(headOf replies: ReplyStream, sending unsent: UnsentBody) async throws(AgentError) {
    while true {
      switch try await replies.next(after: unsent.send) {
      case .event(.response(let head)):
        status = head.status
        headers = head.headers.map { HTTPField($0.name, $0.value) }
        self.replies = replies
        self.unsent = unsent
        return
      case .event(.bodyWanted): unsent.isWanted()
      case .event: continue
      case .failure(let failure): throw AgentError(failure)
      case .result, nil: throw AgentError(Reply.unreadable)
      }
    }
  }

  /// The value of the first field of this name.
  public func field(_ name: String) -> String? {
    headers.first { $0.name.lowercased().utf8.elementsEqual(name.lowercased().utf8) }?.value
  }

  /// Why the answer is no success, with what helps: that the resource refuses the account's tokens, new ones too, or that it
  /// wants another sign-in. Known once the body was read to its end; nil for a success.
  public var problem: AgentError? { end.withLock { $0 } }

  /// The body to its end.
  ///
  /// - Parameter limit: The largest body, in bytes.
  /// - Throws: ``AgentError/Remedy/fixProgram`` with the code `body_too_large` for a larger one, whose request is ended; as the
  ///   iterator.
  public func bytes(upTo limit: Int = 16 << 20) async throws(AgentError) -> [UInt8] {
    var bytes: [UInt8] = []
    while let part = try await next() {
      guard bytes.count + part.count <= limit else {
        replies.close()
        throw AgentError(.fixProgram, code: "body_too_large", message: "the answer has more than \(limit) bytes")
      }
      bytes += part
    }
    return bytes
  }

  /// The iterator of the body's parts.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    fileprivate let response: ResourceResponse

    /// Waits for the next part of the body, at most 48 KiB; nil at its end.
    ///
    /// - Throws: ``AgentError/Remedy/tryLater`` if the rest does not come.
    public func next() async throws(AgentError) -> [UInt8]? { try await response.next() }

    /// The same for code of an actor.
    public func next(isolation actor: isolated (any Actor)?) async throws(AgentError) -> [UInt8]? {
      try await response.next()
    }
  }

  /// The parts of the body that no iterator has returned yet.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(response: self) }

  private func next() async throws(AgentError) -> [UInt8]? {
    while true {
      switch try await replies.next(after: unsent.send) {
      case .event(.body(let bytes)): return bytes
      case .event(.bodyWanted): unsent.isWanted()
      case .event: continue
      case .failure(let failure): throw AgentError(failure)
      case .result(let result):
        let problem = result["problem"].flatMap { Wire.Failure(json: $0) }.map { AgentError($0) }
        end.withLock { $0 = problem }
        return nil
      case nil: return nil
      }
    }
  }
}

/// The parts of a body that the agent has yet to ask for.
final class UnsentBody: Sendable {
  private struct State: Sendable {
    /// The next one at the end.
    var parts: [ResourceBodyRequest]
    var isWanted = false
  }

  private let state: Monitor<State>

  init(_ parts: [ResourceBodyRequest]) { state = Monitor(State(parts: parts.reversed())) }

  /// The agent asks for the next part.
  func isWanted() { state.withLock { $0.isWanted = true } }

  /// Sends the next part, if the agent asked for it.
  func send(over connection: borrowing DaemonConnection) throws(Failure) {
    let part = state.withLock { state -> ResourceBodyRequest? in
      guard state.isWanted else { return nil }
      state.isWanted = false
      return state.parts.popLast()
    }
    if let part { try connection.sendWhole(RequestEnvelope(.resourceBody(part))) }
  }
}
