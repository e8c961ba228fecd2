internal import Platform

/// Threads for blocking work, started on demand and ended when idle.
final class WorkerPool: Sendable {
  /// There are at least as many threads as unfinished jobs, up to the limits of pool and system.
  private struct State {
    var threads = 0
    /// Queued or running jobs.
    var unfinished = 0
  }

  /// Each job returns an action to run after its thread is free.
  private let jobs = WorkQueue<@Sendable () -> () -> Void>()
  private let state = Monitor(State())
  private let idleTime: Duration
  private let maximumThreads: Int
  /// Whether one thread never ends. If so, jobs beyond the limit are queued, not refused.
  private let keepsOneThread: Bool

  init(idleTime: Duration = .seconds(5), maximumThreads: Int) {
    self.idleTime = idleTime
    self.maximumThreads = maximumThreads
    keepsOneThread = false
  }

  /// One thread never ends. Throws `EAGAIN` if the system allows no more threads.
  init(keepingOneThreadOf maximumThreads: Int, idleTime: Duration = .seconds(5)) throws(SystemError) {
    self.idleTime = idleTime
    self.maximumThreads = maximumThreads
    keepsOneThread = true
    state.withLock { $0.threads = 1 }
    try Threads.start(name: "worker") { [self] in
      while let job = jobs.pop(wait: nil) { run(job) }
    }
  }

  /// Runs a job on a thread, then calls `report` there once the thread counts as free. If no thread is available,
  /// queues the job if ``keepsOneThread``, or else returns false.
  func submit<Value>(
    _ job: @escaping @Sendable () -> Value, then report: @escaping @Sendable (Value) -> Void
  ) -> Bool {
    let needsThread = state.withLock { state -> Bool? in
      guard state.threads <= state.unfinished else {
        state.unfinished += 1
        return false
      }
      guard state.threads < maximumThreads || keepsOneThread else { return nil }
      state.unfinished += 1
      guard state.threads < maximumThreads else { return false }
      state.threads += 1
      return true
    }
    guard let needsThread, !needsThread || startThread() else { return false }
    jobs.push {
      let value = job()
      return { report(value) }
    }
    return true
  }

  /// Returns false if no thread can run the job.
  private func startThread() -> Bool {
    if (try? Threads.start(name: "worker", { [self] in runJobs() })) != nil { return true }
    return state.withLock { state in
      state.threads -= 1
      if keepsOneThread { return true }
      if state.threads >= state.unfinished { return true }
      state.unfinished -= 1
      return false
    }
  }

  private func runJobs() {
    repeat {
      while let job = jobs.pop(wait: idleTime) { run(job) }
    } while !retireIfUnneeded()
  }

  /// Runs a job, then, once the thread counts as free, the action that it returned.
  private func run(_ job: () -> () -> Void) {
    let report = job()
    state.withLock { $0.unfinished -= 1 }
    report()
  }

  /// Returns false if a job needs the calling thread.
  private func retireIfUnneeded() -> Bool {
    state.withLock { state in
      guard state.unfinished < state.threads else { return false }
      state.threads -= 1
      return true
    }
  }
}
