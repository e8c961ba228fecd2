import Sessions
import Platform

/// Records the steps reported to an observer.
final class ToldSteps: Sendable {
  private let list = Monitor<[SessionObservation]>([])

  func add(_ observation: SessionObservation) { list.withLock { $0.append(observation) } }
  var steps: [SessionObservation] { list.withLock { $0 } }
}
