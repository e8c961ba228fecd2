internal import Platform
internal import Synchronization

/// Threads that share a task's parts with the calling thread. They end with the pool.
final class ThreadPool: Sendable {
  /// Free threads run the parts in order.
  private final class Task: Sendable {
    private let next = Atomic<Int>(0)
    private let count: Int
    private let body: @Sendable (Int) -> Void
    private let finished: Monitor<Int>

    init(count: Int, _ body: @escaping @Sendable (Int) -> Void) {
      self.count = count
      self.body = body
      finished = Monitor(0)
    }

    func runRemainingParts() {
      while true {
        let part = next.add(1, ordering: .relaxed).oldValue
        guard part < count else { return }
        body(part)
        finished.update { $0 += 1 }
      }
    }

    func wait() {
      let count = count
      _ = finished.wait(nil) { $0 == count ? true : nil }
    }
  }

  private let tasks = WorkQueue<Task>()
  /// Excludes the calling thread.
  private let helperThreads: Int

  /// - Parameter size: Includes the caller's thread.
  init(size: Int) {
    var started = 0
    for _ in 1..<max(1, size) {
      guard
        (try? Threads.start(
          name: "verify",
          { [tasks] in
            while let task = tasks.pop(wait: nil) { task.runRemainingParts() }
          })) != nil
      else { break }
      started += 1
    }
    helperThreads = started
  }

  deinit { tasks.close() }

  /// Calls `body` for each number below `count` on several threads, and waits.
  func runParts(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let task = Task(count: count, body)
    for _ in 0..<max(0, min(helperThreads, count - 1)) { tasks.push(task) }
    task.runRemainingParts()
    task.wait()
  }
}
