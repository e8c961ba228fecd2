internal import Platform

/// Where workers leave their results; the loop wakes up when there is one.
final class Inbox: Sendable {
  private let results = Monitor<[JobResult]>([])
  private let counter: EventCounter

  init() throws(SystemError) { counter = try EventCounter() }

  var raw: Int32 { counter.raw }

  /// From any thread.
  func post(_ result: JobResult) {
    results.withLock { $0.append(result) }
    counter.signal()
  }

  func takeAll() -> [JobResult] {
    counter.drain()
    return results.withLock { results in
      defer { results = [] }
      return results
    }
  }
}
