internal import Wire

/// The events of sessions and accounts, from ``Agent/events(of:)``.
///
/// ```swift
/// for try await event in try await agent.events() { print(event.account ?? "-", event.kind) }
/// ```
///
/// Ends when the agent ends, or after about ten thousand unread events. To close it, release it or cancel the waiting
/// task. Use it from one task.
public struct AgentEvents: AsyncSequence, Sendable {
  private let replies: ReplyStream

  /// Waits until the agent has begun to send events.
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

  private static let endCodes: [FailureCode] = [.daemonUnavailable, .daemonStopped]

  /// Returns an iterator over the remaining events.
  public func makeAsyncIterator() -> AgentIterator<AgentEvent> { AgentIterator(advance: next) }

  private func next() async throws(AgentError) -> AgentEvent? {
    while true {
      let reply: Reply?
      do throws(AgentError) { reply = try await replies.next() } catch {
        if Self.endCodes.contains(where: { $0.rawValue == error.code }) { return nil }
        throw error
      }
      switch reply {
      case .event(.session(let entry?)): return AgentEvent(entry)
      // Unknown events of a newer agent.
      case .event: continue
      case .failure(let failure) where Self.endCodes.contains(failure.code): return nil
      case .failure(let failure): throw AgentError(failure)
      case .result, nil: return nil
      }
    }
  }
}
