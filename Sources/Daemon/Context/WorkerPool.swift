internal import Platform

/// Threads for work that blocks: network, vault, files. They start when they are needed and end
/// when they have been idle for a while, so that a daemon at rest holds no stacks.
final class WorkerPool: Sendable {
  /// Limit of concurrent jobs; further jobs wait. Each account has at most one refresh in flight, so a hanging server
  /// occupies at most one thread for each of its accounts.
  static let mostThreads = 64

  /// There are at least as many threads as jobs that have not ended, up to ``mostThreads``.
  private struct State {
    var threads = 0
    var unfinished = 0
  }

  private let jobs = WorkQueue<@Sendable () -> Void>()
  private let state = Monitor(State())
  private let idleTime: Duration
  private let mostThreads: Int

  /// - Parameters:
  ///   - idleTime: After it a thread without work ends.
  ///   - mostThreads: How many jobs run at the same time.
  init(idleTime: Duration = .seconds(5), mostThreads: Int = WorkerPool.mostThreads) {
    self.idleTime = idleTime
    self.mostThreads = mostThreads
  }

  func submit(_ job: @escaping @Sendable () -> Void) {
    let needsThread = state.withLock { state -> Bool in
      state.unfinished += 1
      guard state.threads < state.unfinished, state.threads < mostThreads else { return false }
      state.threads += 1
      return true
    }
    jobs.push(job)
    guard needsThread else { return }
    do {
      try Threads.start(name: "worker") { [self] in work() }
    } catch {
      // Other threads, or the next submission, take the job.
      state.withLock { $0.threads -= 1 }
    }
  }

  private func work() {
    repeat { runJobs() } while !mayEnd()
  }

  /// Runs jobs until none has come for a while.
  private func runJobs() {
    while let job = jobs.pop(wait: idleTime) {
      job()
      state.withLock { $0.unfinished -= 1 }
    }
  }

  /// Whether the calling thread may end: not while a job counts on it, which may not be in the queue yet.
  private func mayEnd() -> Bool {
    state.withLock { state in
      guard state.unfinished < state.threads else { return false }
      state.threads -= 1
      return true
    }
  }
}
