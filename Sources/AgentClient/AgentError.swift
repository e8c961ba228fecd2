internal import Wire

/// Why the agent did not do what it was asked.
///
/// It holds no token and no byte of one.
public struct AgentError: Error, Sendable, Hashable {
  /// What helps. Programs decide by this alone.
  public enum Remedy: Sendable, Hashable, CaseIterable {
    /// There is no session, or it has ended: a person must sign in, as ``AgentError/hint`` says. Trying again does not help.
    case signIn
    /// The network, the server, or the agent itself does not answer at the moment. The session goes on.
    case tryLater
    /// The sessions are locked: a person must unlock them.
    case unlock
    /// Something is set up wrongly, here or at the server, and must be put right.
    case fixConfiguration
    /// A person or the server said no.
    case none
    /// The request makes no sense to the agent: the calling program is at fault.
    case fixProgram
  }

  /// What helps.
  public let remedy: Remedy

  /// The word that agentd(8) lists under ERROR CODES, such as `session_expired`. A later agent may know more of them.
  public let code: String

  /// What happened: one sentence in English, lower case, without a full stop, safe for a terminal.
  public let message: String

  /// What helps, mostly a command, where there is something.
  public let hint: String?

  init(_ failure: Failure) {
    remedy = Remedy(failure.code)
    code = failure.code.rawValue
    message = failure.message
    hint = failure.hint
  }

  /// An error for a ``SessionContainer`` of your own, and for tests.
  ///
  /// - Parameter code: A word of agentd(8), or one of your own.
  public init(_ remedy: Remedy, code: String, message: String, hint: String? = nil) {
    self.remedy = remedy
    self.code = code
    self.message = message
    self.hint = hint
  }
}

extension AgentError.Remedy {
  init(_ code: FailureCode) {
    self =
      switch code.exitStatus {
      case .signInNeeded: .signIn
      case .tryLater: .tryLater
      case .locked: .unlock
      case .usage: .fixProgram
      case .denied: .none
      case .done, .failed, .tokenNotValid: Self.furtherRemedy(code)
      }
  }

  /// What helps where the exit status says no more than that it failed.
  private static func furtherRemedy(_ code: FailureCode) -> AgentError.Remedy {
    switch code {
    case .cancelled, .internalError, .serverMisbehaved, .tokenRejected, .malformedToken: .none
    default: .fixConfiguration
    }
  }
}
