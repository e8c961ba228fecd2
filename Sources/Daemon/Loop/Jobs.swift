internal import Platform

/// Runs what blocks on worker threads, and what comes of it on the loop's thread.
///
/// Used on the loop's thread only, but for what ``messages(_:)`` returns.
final class Jobs {
  private let workers = WorkerPool()
  private let inbox: Inbox
  /// Jobs whose results have not been taken in.
  private(set) var inFlight = 0
  /// Called on the loop's thread before each result is taken in.
  var beforeResult: () -> Void = {}

  /// - Parameter inbox: Emptied by the loop, which runs what it finds there.
  init(_ inbox: Inbox) { self.inbox = inbox }

  /// What only the loop's thread uses, on its way through a worker.
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

  /// A way for a job to tell something while it goes on: `receive` is called on the loop's thread with each message, in
  /// order, and before the job's result is taken in.
  func messages<Message: Sendable>(_ receive: @escaping (Message) -> Void) -> @Sendable (Message) -> Void {
    let back = LoopBound(value: receive)
    return { [inbox] message in inbox.post { back.value(message) } }
  }
}
