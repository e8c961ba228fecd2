import Platform
import TestSupport
import Testing

@Suite struct `Threads and queues` {
  @Test func `a thread has signals blocked`() throws {
    let answers = WorkQueue<Set<Int32>>()
    try Threads.start(name: "a-name-of-more-than-15-bytes") {
      answers.push((try? StatusFile.ofThisThread())?.signals("SigBlk") ?? [])
    }
    let blocked = try #require(answers.pop(wait: .testLimit))
    #expect(
      blocked.isSuperset(of: [Signals.SIGTERM, Signals.SIGINT, Signals.SIGHUP, Signals.SIGCHLD, Signals.SIGPIPE]))
  }

  @Test func `what is pushed comes out once, in order`() throws {
    let queue = WorkQueue<Int>()
    for number in 0..<10 { queue.push(number) }
    #expect((0..<5).map { _ in queue.pop(wait: .zero) } == [0, 1, 2, 3, 4])
    queue.push(10)
    #expect((0..<6).map { _ in queue.pop(wait: nil) } == [5, 6, 7, 8, 9, 10])
    #expect(queue.pop(wait: .zero) == nil)
  }

  @Test func `many threads get each element once`() throws {
    let queue = WorkQueue<Int>()
    let results = WorkQueue<[Int]>()
    for index in 0..<4 {
      try Threads.start(name: "taker\(index)") {
        var taken: [Int] = []
        while let number = queue.pop(wait: nil) { taken.append(number) }
        results.push(taken)
      }
    }
    for number in 0..<2000 { queue.push(number) }
    queue.close()
    var all: [Int] = []
    for _ in 0..<4 { all += try #require(results.pop(wait: .testLimit)) }
    #expect(all.sorted() == Array(0..<2000))
  }

  @Test func `a wait for an element ends in time`() {
    let start = Instant.now
    #expect(WorkQueue<Int>().pop(wait: .milliseconds(40)) == nil)
    #expect(start.duration(to: .now) >= .milliseconds(40))
  }

  @Test func `a closed queue hands out what it has, then ends`() {
    let queue = WorkQueue<Int>()
    queue.push(1)
    queue.close()
    #expect(queue.pop(wait: nil) == 1)
    #expect(queue.pop(wait: nil) == nil)
  }

  @Test func `every waiter of a monitor sees the change`() throws {
    let monitor = Monitor(0)
    let seen = WorkQueue<Int?>()
    for index in 0..<3 {
      try Threads.start(name: "waiter\(index)") {
        seen.push(monitor.wait(.testLimit) { $0 == 7 ? $0 : nil })
      }
    }
    monitor.update { $0 = 1 }
    monitor.update { $0 = 7 }
    for _ in 0..<3 { #expect(seen.pop(wait: .testLimit) == .some(.some(7))) }
    #expect(monitor.wait(.zero) { $0 == 8 ? $0 : nil } == nil)
  }
}
