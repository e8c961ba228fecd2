internal import Platform

/// Runs blocking work on worker threads, and handles the results on the loop's thread.
///
/// Used on the loop's thread only, except the function that ``messages(_:)`` returns.
final class Jobs {
  private let workers = WorkerPool()
  private let inbox: Inbox
  /// Number of jobs whose results have not been handled.
  private(set) var inFlight = 0
  /// Called on the loop's thread before each result is handled.
  var beforeResult: () -> Void = {}

  /// - Parameter inbox: Emptied by the loop, which runs what it finds there.
  init(_ inbox: Inbox) { self.inbox = inbox }

  /// A value that only the loop's thread uses, while a worker carries it.
  private struct LoopBound<Value>: @unchecked Sendable { let value: Value }

  /// Runs `body` on a worker and then `finish` on the loop.
  ///
  /// - Parameter pool: Nil for the one that all share.
  func run<Value: Sendable, Problem>(
    on pool: WorkerPool? = nil, _ body: @escaping @Sendable () throws(Problem) -> Value,
    then finish: @escaping (Result<Value, Problem>) -> Void
  ) {
    inFlight += 1
    let back = LoopBound(value: { [unowned self] (result: Result<Value, Problem>) in
      beforeResult()
      inFlight -= 1
      finish(result)
    })
    (pool ?? workers).submit { [inbox] in
      let result: Result<Value, Problem>
      do throws(Problem) { result = .success(try body()) } catch { result = .failure(error) }
      inbox.post { back.value(result) }
    }
  }

  /// Returns a function by which a running job sends messages. `receive` is called on the loop's thread with each
  /// message, in order, before the job's result is handled.
  func messages<Message: Sendable>(_ receive: @escaping (Message) -> Void) -> @Sendable (Message) -> Void {
    let back = LoopBound(value: receive)
    return { [inbox] message in inbox.post { back.value(message) } }
  }
}
