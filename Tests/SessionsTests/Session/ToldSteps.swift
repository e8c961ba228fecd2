import Sessions
import Platform

/// The steps that somebody was told.
final class ToldSteps: Sendable {
  private let list = Monitor<[SessionStep]>([])

  func add(_ step: SessionStep) { list.withLock { $0.append(step) } }
  var steps: [SessionStep] { list.withLock { $0 } }
}
