internal import Platform
internal import Wire

/// Runs blocking calls, each on its own thread.
enum OwnThread {
  /// Runs `body` on a new thread. Throws `cancelled` if the task is cancelled; the thread continues, and its result is
  /// dropped.
  static func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let resumption = TaskResumption<Value>()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        resumption.begin(continuation)
        do throws(SystemError) {
          try Threads.start(name: "agent-connect") { resumption.resume(Result { () throws(Failure) in try body() }) }
        } catch {
          resumption.resume(.failure(Failure(.tooBusy, verbatim: "no thread can be started: \(error.message)")))
        }
        // The task may have been cancelled before.
        if Task.isCancelled { resumption.cancel() }
      }
    } onCancel: {
      resumption.cancel()
    }
    return try result.get()
  }

  /// Resumes the waiting task exactly once.
  private final class TaskResumption<Value: Sendable>: Sendable {
    typealias Continuation = CheckedContinuation<Result<Value, Failure>, Never>

    /// Nil once resumed.
    private let waitingTask = Monitor<Continuation?>(nil)

    func begin(_ continuation: Continuation) { waitingTask.withLock { $0 = continuation } }

    func resume(_ result: Result<Value, Failure>) { waitingTask.withLock { $0.take() }?.resume(returning: result) }

    func cancel() { resume(.failure(Failure(.cancelled, verbatim: "the task was cancelled"))) }
  }
}
