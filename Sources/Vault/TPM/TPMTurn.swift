internal import Platform

/// Lets one thread at a time use the TPM, and limits every wait for it.
///
/// A call runs on a thread of its own. A call that takes too long is abandoned, but not ended: until it returns, every
/// other call fails at once with `noAnswer`.
final class TPMTurn: Sendable {
  /// The one of this process.
  static let shared = TPMTurn()

  private enum State {
    case free
    case taken
    case stuck
  }

  private let state = Monitor(State.free)
  /// The TPM libraries use more than the default of ``Threads``.
  private static let stackBytes = 2 << 20

  /// Runs `body` in its turn.
  ///
  /// - Parameter wait: The longest wait for the turn, and again for the answer.
  /// - Throws: `tpmUnavailable(.noAnswer)`, or what `body` throws.
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
