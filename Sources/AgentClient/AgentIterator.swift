/// The iterator of ``AgentEvents``, ``ResourceResponse`` and ``SignIn``. Use it from one task.
public struct AgentIterator<Element: Sendable>: AsyncIteratorProtocol, Sendable {
  let advance: @Sendable () async throws(AgentError) -> Element?

  /// Waits for the next element; nil at the end.
  public func next() async throws(AgentError) -> Element? { try await advance() }

  /// Waits for the next element, isolated to an actor.
  public func next(isolation actor: isolated (any Actor)?) async throws(AgentError) -> Element? {
    try await advance()
  }
}
