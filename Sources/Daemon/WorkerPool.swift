internal import Platform
internal import Synchronization

/// Threads for work that blocks: network, vault, files. They start when they are needed and end
/// when they have been idle for a while, so that a daemon at rest holds no stacks.
final class WorkerPool: Sendable {
  /// More jobs than this wait their turn. Each account has at most one refresh in flight, so a
  /// server that hangs holds as many threads as it has accounts.
  private static let mostThreads = 64
  private static let idleTime = Duration.seconds(5)

  private struct State {
    var threads = 0
    var idle = 0
    var running = 0
  }

  private let jobs = WorkQueue<@Sendable () -> Void>()
  private let state = Mutex(State())

  func submit(_ job: @escaping @Sendable () -> Void) {
    let needsThread = state.withLock { state -> Bool in
      state.running += 1
      guard state.idle < state.running - (state.threads - state.idle), state.threads < Self.mostThreads else {
        return false
      }
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
    while true {
      state.withLock { $0.idle += 1 }
      let job = jobs.pop(wait: Self.idleTime)
      state.withLock { $0.idle -= 1 }
      guard let job else { break }
      job()
      state.withLock { $0.running -= 1 }
    }
    let mustStay = state.withLock { state -> Bool in
      if jobs.count > 0, state.threads == 1 { return true }
      state.threads -= 1
      return false
    }
    if mustStay { work() }
  }
}
