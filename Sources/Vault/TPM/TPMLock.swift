internal import Platform

/// Lets one thread at a time use the TPM, with a timeout. Until an abandoned call returns, others fail with `noAnswer`.
final class TPMLock: Sendable {
  static let shared = TPMLock()

  private enum State {
    case free
    case taken
    /// An abandoned call is still running.
    case stuck
  }

  private let state = Monitor(State.free)
  /// Above the default: the TPM libraries need more.
  private static let stackBytes = 2 << 20

  /// Runs `body` exclusively, on its own thread.
  ///
  /// - Parameter wait: The maximum wait for the TPM and, again, for the result.
  /// - Throws: `tpmUnavailable(.noAnswer)` after the wait, or the error of `body`.
  func run<Answer: Sendable>(
    wait: Duration, _ body: @escaping @Sendable () throws(VaultError) -> Answer
  ) throws(VaultError) -> Answer {
    let isMine = state.wait(wait) { state -> Bool? in
      switch state {
      case .free:
        state = .taken
        return true
      case .stuck: return false
      case .taken: return nil
      }
    }
    guard isMine == true else { throw VaultError(.tpmUnavailable(.noAnswer)) }
    let outcome = Monitor<Result<Answer, VaultError>?>(nil)
    do {
      try Threads.start(name: "agentd-tpm", stackBytes: Self.stackBytes) { [state] in
        let result = Result { () throws(VaultError) in try body() }
        outcome.update { $0 = result }
        state.update { $0 = .free }
      }
    } catch {
      state.update { $0 = .free }
      throw VaultError(error)
    }
    if let result = outcome.wait(wait, for: { $0 }) { return try result.get() }
    state.update { if $0 == .taken { $0 = .stuck } }
    throw VaultError(.tpmUnavailable(.noAnswer))
  }
}
