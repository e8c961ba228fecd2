internal import Platform

/// Runs `body` concurrently with 0..<count. Returns `done` or the error of each.
package func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws -> [String] {
  let outcomes = WorkQueue<String>()
  for number in 0..<count {
    try Threads.start(name: "test") {
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

/// SIGXFSZ (`signal(7)`): a write exceeds the limit of a file's size.
package let fileSizeSignal: Int32 = 25
