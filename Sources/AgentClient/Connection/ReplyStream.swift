internal import Platform
internal import Wire

/// The response lines of a long request, on its own connection. Releasing the stream closes it, which ends the request.
final class ReplyStream: Sendable {
  private enum State: ~Copyable, Sendable {
    case idle(DaemonConnection)
    /// A task is reading from the connection.
    case busy
    case ended
  }

  private let state: Monitor<State>
  private let deadline: Instant
  /// The request, until the first line arrives. Repeated if the daemon then asks for environment variables.
  private let repeatableRequest: Monitor<RequestEnvelope?>

  /// `deadline` applies to all lines together.
  init(
    of request: RequestEnvelope, over connection: consuming DaemonConnection, before deadline: Instant = .distantFuture
  ) {
    state = Monitor(.idle(connection))
    repeatableRequest = Monitor(request)
    self.deadline = deadline
  }

  /// Waits for the next line; nil after the final line or an error. Calls `work` before waiting, unless the response
  /// has ended.
  func next(
    after work: (borrowing DaemonConnection) throws(Failure) -> Void = { _ in }
  ) async throws(AgentError) -> Reply? {
    guard var connection = try takeConnection() else { return nil }
    do throws(Failure) {
      try work(connection)
      var reply = try await connection.nextLine(before: deadline) { (line) throws(Failure) in try Reply(parsing: line) }
      if let request = repeatableRequest.withLock({ $0.take() }), case .failure(let failure) = reply,
        let variables = try CallerVariables(neededAfter: failure, over: connection)
      {
        try await connection.sendVariables(variables, before: deadline)
        try connection.sendWhole(request)
        reply = try await connection.nextLine(before: deadline) { (line) throws(Failure) in try Reply(parsing: line) }
      }
      if case .event = reply { putBack(.idle(connection)) } else { putBack(.ended) }
      return reply
    } catch {
      putBack(.ended)
      throw AgentError(error)
    }
  }

  /// Closes the connection, which ends the request. Does nothing while a task waits for a line.
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

  /// Takes the connection for one call of ``next(after:)``; nil after the end.
  private func takeConnection() throws(AgentError) -> DaemonConnection? {
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

  private func putBack(_ new: consuming State) {
    var new = Optional(new)
    state.withLock { state in
      if let new = new.take() { state = new }
    }
  }
}
