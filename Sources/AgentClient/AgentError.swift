internal import Wire

/// The reason why a request to the agent failed.
///
/// It contains no byte of a token.
public struct AgentError: Error, Sendable, Hashable {
  /// The remedy. Programs decide by this alone.
  public enum Remedy: Sendable, Hashable, CaseIterable {
    /// There is no session, or it has ended: the user must sign in, as ``AgentError/hint`` says. A repetition does not
    /// help.
    case signIn
    /// The network, the server, or the agent does not answer now. The session is still valid.
    case tryLater
    /// The sessions are locked: the user must unlock them.
    case unlock
    /// The configuration is wrong, here or at the server, and must be corrected.
    case fixConfiguration
    /// The user or the server denied it.
    case none
    /// The request is not valid: the calling program has an error.
    case fixProgram
  }

  /// The remedy, as a text for people.
  public let remedy: Remedy

  /// The code in agentd(8), ERROR CODES, such as `session_expired`. A later agent may have more of them.
  public let code: String

  /// The message: one sentence in English, lower case, without a full stop, safe for a terminal.
  public let message: String

  /// The hint, mostly a command, if there is one.
  public let hint: String?

  init(_ failure: Failure) {
    remedy = Remedy(failure.code)
    code = failure.code.rawValue
    message = failure.message
    hint = failure.hint
  }

  /// An error for a ``SessionContainer`` of your own, and for tests.
  ///
  /// - Parameters:
  ///   - remedy: The remedy.
  ///   - code: A word of agentd(8), or one of your own.
  ///   - message: One sentence, lower case, without a full stop.
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

  /// The remedy for a code whose exit status is only "failed".
  private static func furtherRemedy(_ code: FailureCode) -> AgentError.Remedy {
    switch code {
    case .cancelled, .internalError, .serverMisbehaved, .tokenReturned, .tokenRejected, .malformedToken: .none
    default: .fixConfiguration
    }
  }
}
