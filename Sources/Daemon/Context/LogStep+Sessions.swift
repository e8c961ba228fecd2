internal import JOSE
internal import OAuth
internal import Sessions
internal import Vocabulary
internal import Wire

extension LogStep {
  /// The log's step for a step of a session's operation; nil if the log has none for it.
  init?(_ step: SessionStep) {
    switch step {
    case .waitedForAccount(let time): self = .waitedForAccount(milliseconds: time)
    case .recordRead: self = .recordRead
    case .recordWritten: self = .recordWritten
    case .documentKept(let role, let age): self = .documentKept(role, ageSeconds: age)
    case .keysDoubted: self = .keysDoubted
    case .metadataDoubted: self = .metadataDoubted
    // Each is an event of its own.
    case .keySetWarned, .authenticationTimeChanged: return nil
    case .answered(let line, let status, let time): self = .answered(line, status: status, milliseconds: time)
    case .unanswered(let line, let failure, let time):
      self = .unanswered(line, FailureCode(OAuthError.Code(failure)), failure.problem, milliseconds: time)
    case .idTokenVerified(let name):
      guard let algorithm = SigningAlgorithm(rawValue: name) else { return nil }
      self = .idTokenVerified(algorithm)
    }
  }
}

extension LogEvent {
  /// The event of a step that is always logged, because the server behaved unusually; nil for any other.
  init?(noticeOf step: SessionStep) {
    switch step {
    case .keySetWarned(let warning): self = .keySetWarning(KeySetFlaw(warning))
    case .authenticationTimeChanged: self = .authenticationTimeChanged
    default: return nil
    }
  }
}

extension LogEvent.KeySetFlaw {
  init(_ warning: JWKSet.Warning) {
    self =
      switch warning {
      case .privateKey: .privateKey
      case .symmetricKey: .symmetricKey
      }
  }
}
