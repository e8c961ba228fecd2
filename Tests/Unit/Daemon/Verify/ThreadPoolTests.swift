import Wire
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Daemon

@Suite struct `A thread pool` {
  @Test(arguments: [1, 2, 4], [0, 1, 2, 3, 100]) func `does each part once, and is done when it returns`(
    size: Int, count: Int
  ) {
    let pool = ThreadPool(size: size)
    for _ in 1...20 {
      let done = Monitor([Int](repeating: 0, count: count))
      pool.runParts(count) { number in done.withLock { $0[number] += 1 } }
      #expect(done.withLock { $0 } == Array(repeating: 1, count: count))
    }
  }

  @Test func `works on several parts at the same time`() {
    let pool = ThreadPool(size: 2)
    let met = Monitor(0)
    // Each part waits for the other one.
    pool.runParts(2) { _ in
      met.update { $0 += 1 }
      _ = met.wait(.testLimit) { $0 == 2 ? true : nil }
    }
    #expect(met.withLock { $0 } == 2)
  }
}
