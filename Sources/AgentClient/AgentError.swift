internal import Wire

/// The reason why a request to the agent failed. Contains no part of a token.
public struct AgentError: Error, Sendable, Hashable {
  /// What to do about the error. Base decisions on this alone.
  public enum Remedy: Sendable, Hashable, CaseIterable {
    /// There is no session, or it has ended. The user must sign in, as ``AgentError/hint`` describes.
    case signIn
    /// The network, server or agent is temporarily unavailable. The session is still valid.
    case tryLater
    /// The user must unlock the sessions.
    case unlock
    /// The configuration of the agent or server is wrong.
    case fixConfiguration
    /// Nothing helps: the user or server denied the request, the server violated the protocol, or the task was
    /// cancelled.
    case none
    /// The request is invalid: a bug of the calling program.
    case fixProgram

    init(_ code: FailureCode) {
      self =
        switch code.exitStatus {
        case .signInNeeded: .signIn
        case .tryLater: .tryLater
        case .locked: .unlock
        // The program `agentd` is older than the library.
        case .usage where code == .unknownRequest: .fixConfiguration
        case .usage: .fixProgram
        case .denied: .none
        case .done, .failed, .tokenNotValid: Self.furtherRemedy(code)
        }
    }

    /// The remedy for a code whose exit status determines none.
    private static func furtherRemedy(_ code: FailureCode) -> AgentError.Remedy {
      switch code {
      case .cancelled, .internalError, .serverMisbehaved, .tokenReturned, .idTokenRejected, .malformedToken: .none
      default: .fixConfiguration
      }
    }
  }

  /// The action that helps.
  public let remedy: Remedy

  /// The code, such as `session_expired`; see <doc:Errors>. A newer agent's unknown codes become `internal_error`.
  public let code: String

  /// One English sentence in lowercase without a full stop, safe for a terminal.
  public let message: String

  /// A hint for the user, usually an `agent` command, quoted for `sh`.
  public let hint: String?

  /// Codes of errors detected by the library itself.
  enum OwnCode: String, CaseIterable {
    case installationChanged = "installation_changed"
    case bodyTooLarge = "body_too_large"

    fileprivate var remedy: Remedy {
      switch self {
      case .installationChanged: .signIn
      case .bodyTooLarge: .fixProgram
      }
    }
  }

  init(_ failure: Failure) {
    self.init(failure.code, failure.message, hint: failure.advice.flatMap(Self.hint))
  }

  init(_ code: FailureCode, _ message: String, hint: String? = nil) {
    self.init(Remedy(code), code: code.rawValue, message: message, hint: hint)
  }

  init(_ code: OwnCode, _ message: String) {
    self.init(code.remedy, code: code.rawValue, message: message)
  }

  /// The only command in the advice, otherwise its text; nil if the text mentions options of `agent`.
  private static func hint(_ advice: Phrase) -> String? {
    if let command = advice.command { return command }
    let text = advice.english
    let namesOption = text.split(separator: " ").contains { $0.hasPrefix("--") }
    return namesOption ? nil : text
  }

  /// Creates an error, for your own ``SessionContainer`` and for tests, with a code of <doc:Errors> or your own.
  public init(_ remedy: Remedy, code: String, message: String, hint: String? = nil) {
    self.remedy = remedy
    self.code = code
    self.message = message
    self.hint = hint
  }
}
