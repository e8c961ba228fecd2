internal import Encoding

extension LogEvent.CommandProblem {
  /// Writes `reason` and the number that goes with it.
  func addMembers(to object: inout JSONObject) {
    switch self {
    case .exited(let status):
      object["reason"] = "exited"
      object["status"] = .int(status)
    case .signalled(let signal):
      object["reason"] = "signalled"
      object["signal"] = .int(signal)
    case .timedOut: object["reason"] = "timed_out"
    case .notStarted(let errno):
      object["reason"] = "not_started"
      object["errno"] = .int(errno)
    }
  }

  /// Reads what ``addMembers(to:)`` wrote.
  init?(_ json: JSON) {
    let problem: Self? =
      switch json["reason"]?.string {
      case "exited": json["status"]?.int.map { .exited($0) }
      case "signalled": json["signal"]?.int.map { .signalled($0) }
      case "timed_out": .timedOut
      case "not_started": json["errno"]?.int.map { .notStarted(errno: $0) }
      default: nil
      }
    guard let problem else { return nil }
    self = problem
  }

  /// The problem as text.
  var text: String {
    switch self {
    case .exited(let status): "exit status \(status)"
    case .signalled(let signal): "ended by signal \(signal)"
    case .timedOut: "it took too long and was ended"
    case .notStarted(let errno): "it could not be started (error \(errno))"
    }
  }
}
