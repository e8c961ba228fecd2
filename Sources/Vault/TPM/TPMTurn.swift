internal import Platform

/// Lets one thread at a time ask the TPM, and nobody wait for it without end.
///
/// A question runs on a thread of its own. One that takes too long is given up, but not ended: as long as it runs,
/// everybody else is told at once that the TPM does not answer.
final class TPMTurn: Sendable {
  /// The one of this process.
  static let shared = TPMTurn()

  private enum State {
    case free
    case taken
    case stuck
  }

  private let state = Monitor(State.free)
  /// The libraries below use more than the usual.
  private static let stackBytes = 2 << 20

  /// Runs `body` in its turn.
  ///
  /// - Parameter wait: How long at most for the turn, and again for the answer.
  /// - Throws: `tpmUnavailable(.noAnswer)`, or what `body` throws.
  func run<Answer: Sendable>(
    wait: Duration, _ body: @escaping @Sendable () throws(VaultError.Code) -> Answer
  ) throws(VaultError.Code) -> Answer {
    let isMine = state.wait(wait) { state -> Bool? in
      switch state {
      case .free:
        state = .taken
        return true
      case .stuck: return false
      case .taken: return nil
      }
    }
    guard isMine == true else { throw .tpmUnavailable(.noAnswer) }
    let outcome = Monitor<Result<Answer, VaultError.Code>?>(nil)
    do {
      try Threads.start(name: "agentd-tpm", stackBytes: Self.stackBytes) { [state] in
        let result = Result { () throws(VaultError.Code) in try body() }
        outcome.update { $0 = result }
        state.update { $0 = .free }
      }
    } catch {
      state.update { $0 = .free }
      throw VaultError.Code(error)
    }
    if let result = outcome.wait(wait, for: { $0 }) { return try result.get() }
    state.update { if $0 == .taken { $0 = .stuck } }
    throw .tpmUnavailable(.noAnswer)
  }
}
