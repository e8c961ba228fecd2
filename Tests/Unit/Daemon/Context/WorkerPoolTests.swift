import Platform
import TestSupport
import Testing

@testable import Daemon

@Suite struct `Workers` {
  private static func wait(for count: Int, in ended: Monitor<Int>) -> Bool {
    ended.wait(.testLimit) { $0 >= count ? true : nil } ?? false
  }

  @Test func `every job is run once`() throws {
    let pool = try WorkerPool(keepingOneThreadOf: 64)
    let ended = Monitor(0)
    for _ in 0..<500 { _ = pool.submit({}, then: { ended.update { $0 += 1 } }) }
    #expect(Self.wait(for: 500, in: ended))
    #expect(ended.withLock { $0 } == 500)
  }

  @Test func `jobs that block do not hold up others`() throws {
    let pool = try WorkerPool(keepingOneThreadOf: 64)
    let gate = Monitor(false)
    let ended = Monitor(0)
    for _ in 0..<40 {
      _ = pool.submit(
        { _ = gate.wait(nil) { $0 ? true : nil } },
        then: { ended.update { $0 += 1 } })
    }
    let other = Monitor(0)
    _ = pool.submit({}, then: { other.update { $0 += 1 } })
    #expect(Self.wait(for: 1, in: other))
    #expect(ended.withLock { $0 } == 0)
    gate.update { $0 = true }
    #expect(Self.wait(for: 40, in: ended))
  }

  @Test func `more jobs than threads wait their turn`() throws {
    let pool = try WorkerPool(keepingOneThreadOf: 64)
    let gate = Monitor(false)
    let (begun, ended) = (Monitor(0), Monitor(0))
    for _ in 0..<200 {
      _ = pool.submit(
        {
          begun.update { $0 += 1 }; _ = gate.wait(nil) { $0 ? true : nil }
        },
        then: { ended.update { $0 += 1 } })
    }
    #expect(Self.wait(for: 64, in: begun))
    #expect(begun.withLock { $0 } == 64)
    gate.update { $0 = true }
    #expect(Self.wait(for: 200, in: ended))
  }

  @Test func `a job that comes while the last thread leaves is run`() {
    let pool = WorkerPool(idleTime: .microseconds(200), maximumThreads: 64)
    let ended = Monitor(0)
    for round in 1...3000 {
      _ = pool.submit({}, then: { ended.update { $0 += 1 } })
      guard Self.wait(for: round, in: ended) else {
        Issue.record("job \(round) is never run")
        return
      }
      // About as long as a thread waits, so that some jobs arrive as it ends.
      Threads.sleep(for: .microseconds(150 + round % 100))
    }
  }

  @Test func `a job that comes while a thread leaves is not left to one that blocks`() {
    let pool = WorkerPool(idleTime: .microseconds(200), maximumThreads: 64)
    let gate = Monitor(false)
    let blocked = Monitor(0)
    _ = pool.submit(
      { _ = gate.wait(nil) { $0 ? true : nil } },
      then: { blocked.update { $0 += 1 } })
    let ended = Monitor(0)
    for round in 1...3000 {
      _ = pool.submit({}, then: { ended.update { $0 += 1 } })
      guard Self.wait(for: round, in: ended) else {
        Issue.record("job \(round) waits for another")
        break
      }
      Threads.sleep(for: .microseconds(150 + round % 100))
    }
    gate.update { $0 = true }
    #expect(Self.wait(for: 1, in: blocked))
  }

  @Test func `a job without a thread is refused at once, and not kept`() {
    let pool = WorkerPool(maximumThreads: 2)
    let gate = Monitor(false)
    let ended = Monitor(0)
    for _ in 0..<2 {
      let isTaken = pool.submit(
        { _ = gate.wait(nil) { $0 ? true : nil } },
        then: { ended.update { $0 += 1 } })
      #expect(isTaken)
    }
    let isOneMoreTaken = pool.submit({}, then: { ended.update { $0 += 100 } })
    #expect(!isOneMoreTaken)
    gate.update { $0 = true }
    #expect(Self.wait(for: 2, in: ended))
    // The free threads run the next jobs.
    let isNextTaken = pool.submit({}, then: { ended.update { $0 += 1 } })
    #expect(isNextTaken)
    #expect(Self.wait(for: 3, in: ended))
    #expect(ended.withLock { $0 } == 3)
  }
}
