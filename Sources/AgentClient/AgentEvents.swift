internal import Wire

/// The events of sessions and accounts, from ``Agent/events(of:)``.
///
/// ```swift
/// for try await event in try await agent.events() { print(event.account ?? "-", event.kind) }
/// ```
///
/// The sequence ends with the agent. Releasing it, or cancelling the task that waits for an event, closes its
/// connection. The agent closes the connection after about ten thousand unread events. Use it from one task.
public struct AgentEvents: AsyncSequence, Sendable {
  private let replies: ReplyStream

  init(beginningOf replies: ReplyStream) async throws(AgentError) {
    while true {
      switch try await replies.next() {
      case .event(.following):
        self.replies = replies
        return
      case .event: continue
      case .failure(let failure): throw AgentError(failure)
      case .result, nil: throw AgentError(Reply.unreadable)
      }
    }
  }

  /// The iterator of the events.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    fileprivate let replies: ReplyStream
    /// The failures of an agent that is ending or has ended.
    private static let endings: [FailureCode] = [.daemonUnavailable, .daemonStopped]

    /// Waits for the next event; nil if the agent has ended.
    public func next() async throws(AgentError) -> AgentEvent? {
      while true {
        let reply: Reply?
        do throws(AgentError) { reply = try await replies.next() } catch {
          if Self.endings.contains(where: { $0.rawValue == error.code }) { return nil }
          throw error
        }
        switch reply {
        case .event(.session(let entry?)): return AgentEvent(entry)
        // Unknown events of a newer agent.
        case .event: continue
        case .failure(let failure) where Self.endings.contains(failure.code): return nil
        case .failure(let failure): throw AgentError(failure)
        case .result, nil: return nil
        }
      }
    }

    /// Waits for the next event, in the context of an actor.
    public func next(isolation actor: isolated (any Actor)?) async throws(AgentError) -> AgentEvent? {
      try await next()
    }
  }

  /// Returns an iterator over the remaining events.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(replies: replies) }
}
