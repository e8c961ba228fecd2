internal import JOSE
internal import OAuth
internal import Sessions
internal import Wire

extension LogEvent {
  /// The event to log for an observation by a session operation.
  init(_ observation: SessionObservation) {
    self =
      switch observation {
      case .step(let step): .step(.session(step))
      case .unanswered(let line, let failure, let time):
        .step(.unanswered(line, OAuthError.Code(failure).row().failure, failure.problem, milliseconds: time))
      case .keySetWarned(.privateKey): .keySetWarning(.privateKey)
      case .keySetWarned(.symmetricKey): .keySetWarning(.symmetricKey)
      case .keysUnusable: .keySetWarning(.unusableKey)
      case .authenticationTimeChanged: .authenticationTimeChanged
      case .endpointMoved: .endpointMoved
      }
  }
}
