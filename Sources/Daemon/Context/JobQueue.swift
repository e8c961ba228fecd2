/// Runs jobs on local files one at a time, in order. Used on the loop only.
final class JobQueue {
  private let jobs: Jobs
  private var waiting: [() -> Void] = []
  private var isBusy = false

  init(_ jobs: Jobs) { self.jobs = jobs }

  func run<Value: Sendable, Problem>(
    _ body: @escaping @Sendable () throws(Problem) -> Value,
    then finish: @escaping (Result<Value, Problem>) -> Void
  ) {
    waiting.append { [self] in
      jobs.run(body) { [self] result in
        finish(result)
        isBusy = false
        beginNext()
      }
    }
    beginNext()
  }

  private func beginNext() {
    guard !isBusy, !waiting.isEmpty else { return }
    isBusy = true
    waiting.removeFirst()()
  }
}
