import Platform
import TestSupport

/// Runs `body` concurrently with 0..<count. Returns `done` or the error of each.
func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws -> [String] {
  let outcomes = WorkQueue<String>()
  for number in 0..<count {
    try Threads.start(name: "sessions-test") {
      do {
        try body(number)
        outcomes.push("done")
      } catch {
        outcomes.push("\(number): \(error)")
      }
    }
  }
  return (0..<count).map { _ in outcomes.pop(wait: .testLimit) ?? "no answer" }
}

/// A value that several threads may change.
final class Synchronised<Value: Sendable>: Sendable {
  private let state: Monitor<Value>

  init(_ value: Value) { state = Monitor(value) }

  var value: Value { state.withLock { $0 } }

  func update(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }
}
