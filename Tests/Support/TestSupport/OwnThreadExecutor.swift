import Platform

/// A thread for a test's tasks, since blocking tests may occupy the shared threads for longer than a daemon waits for
/// a peer.
package final class OwnThreadExecutor: TaskExecutor {
  private let jobs = WorkQueue<UnownedJob>()

  private init() {}

  /// Runs `body` and everything it awaits on a new thread, which then ends.
  package static func run<Result>(_ body: () async throws -> Result) async throws -> Result {
    let executor = OwnThreadExecutor()
    try Threads.start(name: "test-tasks", stackBytes: 8 << 20) {
      while let job = executor.jobs.pop(wait: nil) {
        unsafe job.runSynchronously(on: executor.asUnownedTaskExecutor())
      }
    }
    defer { executor.jobs.close() }
    return try await withTaskExecutorPreference(executor) { try await body() }
  }

  package func enqueue(_ job: consuming ExecutorJob) { jobs.push(UnownedJob(job)) }
}
