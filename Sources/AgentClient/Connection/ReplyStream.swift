internal import AgentSocket
internal import Platform
internal import Wire

/// The lines of the answer to one long request, over a connection of its own. When it is released the connection is closed,
/// which ends the request.
final class ReplyStream: Sendable {
  private enum State: ~Copyable, Sendable {
    case idle(DaemonConnection)
    /// A task waits for the next line.
    case busy
    case ended
  }

  private let state: Monitor<State>
  private let deadline: Instant
  /// Made again where it lacked variables; nil once there was another line.
  private let repeatable: Monitor<RequestEnvelope?>

  /// - Parameters:
  ///   - request: The request.
  ///   - connection: The one that it was sent over.
  ///   - deadline: The longest wait for all lines.
  init(
    of request: RequestEnvelope, over connection: consuming DaemonConnection, before deadline: Instant = .distantFuture
  ) {
    state = Monitor(.idle(connection))
    repeatable = Monitor(request)
    self.deadline = deadline
  }

  /// The next line; nil after the last one. After an error there are no more lines.
  ///
  /// - Parameter work: Done first, unless the answer has ended.
  func next(
    after work: (borrowing DaemonConnection) throws(Failure) -> Void = { _ in }
  ) async throws(AgentError) -> Reply? {
    guard var connection = try take() else { return nil }
    do throws(Failure) {
      try work(connection)
      var reply = try await connection.nextLine(before: deadline) { (line) throws(Failure) in try Reply(parsing: line) }
      if let request = repeatable.withLock({ $0.take() }), case .failure(let failure) = reply,
        let variables = try CallerVariables(lackedBy: failure, over: connection)
      {
        try await connection.handOver(variables, before: deadline)
        try connection.sendWhole(request)
        reply = try await connection.nextLine(before: deadline) { (line) throws(Failure) in try Reply(parsing: line) }
      }
      if case .event = reply { put(.idle(connection)) } else { put(.ended) }
      return reply
    } catch {
      put(.ended)
      throw AgentError(error)
    }
  }

  /// Closes the connection, which ends the request, unless a task waits for a line.
  func close() {
    state.withLock { state in
      var old = State.busy
      swap(&state, &old)
      switch consume old {
      case .busy: state = .busy
      default: state = .ended
      }
    }
  }

  private func take() throws(AgentError) -> DaemonConnection? {
    try state.withLock { (state) throws(AgentError) -> DaemonConnection? in
      var taken = State.busy
      swap(&state, &taken)
      switch consume taken {
      case .idle(let connection): return connection
      case .busy:
        throw AgentError(Failure(.invalidRequest, verbatim: "another task reads this answer already"))
      case .ended:
        state = .ended
        return nil
      }
    }
  }

  private func put(_ new: consuming State) {
    var new = Optional(new)
    state.withLock { state in
      if let new = new.take() { state = new }
    }
  }
}
