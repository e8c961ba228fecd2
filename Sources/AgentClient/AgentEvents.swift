internal import Wire

/// The events of sessions and accounts, from ``Agent/events(of:)`` on.
///
/// ```swift
/// for try await event in try await agent.events() { … }
/// ```
///
/// It ends with the agent. Releasing it, or cancelling the task that waits for an event, closes its connection. Events that are
/// not yet read wait in the agent, some ten thousand of them at most; after that it closes the connection, too. One task reads
/// them.
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
    /// The failure of an agent that is ending, and the one reported for an agent that has ended.
    private static let endings: [FailureCode] = [.daemonUnavailable, .daemonStopped]

    /// Waits for the next event; nil if the agent has ended, which is the end of all events.
    public func next() async throws(AgentError) -> AgentEvent? {
      while true {
        let reply: Reply?
        do throws(AgentError) { reply = try await replies.next() } catch {
          if Self.endings.contains(where: { $0.rawValue == error.code }) { return nil }
          throw error
        }
        switch reply {
        case .event(.session(let entry?)): return AgentEvent(entry)
        // One that only a later agent sends.
        case .event: continue
        case .failure(let failure) where Self.endings.contains(failure.code): return nil
        case .failure(let failure): throw AgentError(failure)
        case .result, nil: return nil
        }
      }
    }

    /// The same for code of an actor.
    public func next(isolation actor: isolated (any Actor)?) async throws(AgentError) -> AgentEvent? {
      try await next()
    }
  }

  /// The events that no iterator has returned yet.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(replies: replies) }
}
