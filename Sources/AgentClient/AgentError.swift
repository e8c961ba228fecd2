internal import Wire

/// The reason why a request to the agent failed.
///
/// Contains no part of a token.
public struct AgentError: Error, Sendable, Hashable {
  /// What helps. Programs should only branch on this.
  public enum Remedy: Sendable, Hashable, CaseIterable {
    /// There is no session, or it has ended. The user must sign in, as shown by ``AgentError/hint``. Retrying does not
    /// help.
    case signIn
    /// The network, the server or the agent is temporarily unavailable. The session is still valid.
    case tryLater
    /// The sessions are locked. The user must unlock them.
    case unlock
    /// The configuration is wrong, here or at the server.
    case fixConfiguration
    /// The user or the server denied the request.
    case none
    /// The request is invalid: the calling program has a bug.
    case fixProgram
  }

  /// What helps.
  public let remedy: Remedy

  /// The code, such as `session_expired`, listed in agent-protocol(7) under ERROR CODES. A later agent may have more codes.
  public let code: String

  /// The message: one English sentence in lowercase without a full stop, safe for a terminal.
  public let message: String

  /// The hint, if there is one: usually a command.
  public let hint: String?

  init(_ failure: Failure) {
    remedy = Remedy(failure.code)
    code = failure.code.rawValue
    message = failure.message
    hint = failure.hint
  }

  /// Creates an error, for your own ``SessionContainer`` and for tests.
  ///
  /// - Parameters:
  ///   - remedy: What helps.
  ///   - code: A code of agent-protocol(7), or your own.
  ///   - message: One sentence in lowercase, without a full stop.
  ///   - hint: A command that helps.
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

  /// The remedy for a code whose exit status is just "failed".
  private static func furtherRemedy(_ code: FailureCode) -> AgentError.Remedy {
    switch code {
    case .cancelled, .internalError, .serverMisbehaved, .tokenReturned, .tokenRejected, .malformedToken: .none
    default: .fixConfiguration
    }
  }
}
