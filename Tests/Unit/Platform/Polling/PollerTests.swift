@testable import Platform
import TestSupport
import Testing

@Suite struct `Waiting for many descriptors` {
  @Test func `only what is ready is reported, with its key`() throws {
    let poller = try Poller()
    let pipe = try Pipe()
    try poller.add(pipe.reading.raw, interest: .read, key: .max)
    #expect(try poller.wait(timeoutMilliseconds: 0) == [])
    try pipe.writing.writeAll([1].span)
    let readable = Poller.Event(key: .max, readable: true, writable: false, hungUp: false)
    #expect(try poller.wait() == [readable])
    try poller.modify(pipe.reading.raw, interest: .none, key: 2)
    #expect(try poller.wait(timeoutMilliseconds: 0) == [])
    try poller.add(pipe.writing.raw, interest: .write, key: 3)
    #expect(try poller.wait() == [Poller.Event(key: 3, readable: false, writable: true, hungUp: false)])
    try poller.remove(pipe.writing.raw)
    #expect(try poller.wait(timeoutMilliseconds: 0) == [])
  }

  @Test func `what was reported before does not come again`() throws {
    let poller = try Poller()
    let counter = try EventCounter()
    try poller.add(counter.raw, interest: .read, key: 4)
    counter.signal()
    var events = [Poller.Event(key: 9, readable: true, writable: true, hungUp: true)]
    try poller.wait(into: &events)
    #expect(events == [Poller.Event(key: 4, readable: true, writable: false, hungUp: false)])
  }

  @Test func `a peer that went away is told apart from bytes`() throws {
    let poller = try Poller()
    let pair = try SocketPair()
    let second = pair.second
    let first = pair.first
    try poller.add(first.raw, interest: .read, key: 1)
    try second.close()
    let events = try poller.wait()
    #expect(events == [Poller.Event(key: 1, readable: true, writable: false, hungUp: true)])
  }

  @Test func `a wait ends at its time`() throws {
    let poller = try Poller()
    let deadline = Instant.now.advanced(by: .milliseconds(30))
    #expect(try poller.wait(until: deadline) == [])
    #expect(Instant.now >= deadline)
    #expect(try poller.wait(until: Instant(nanoseconds: 0)) == [])
  }

  @Test func `the same descriptor twice, and one that is not there, are errors`() throws {
    let poller = try Poller()
    let counter = try EventCounter()
    try poller.add(counter.raw, interest: .read, key: 1)
    #expect(throws: SystemError(errno: SystemError.Number.EEXIST, operation: "epoll_ctl")) {
      try poller.add(counter.raw, interest: .read, key: 1)
    }
    try poller.remove(counter.raw)
    #expect(throws: SystemError(errno: SystemError.Number.ENOENT, operation: "epoll_ctl")) {
      try poller.remove(counter.raw)
    }
  }

  @Test func `more than 64 events come with the next waits`() throws {
    let poller = try Poller()
    let pipes = try (0..<100).map { _ in try SharedPipe() }
    for (index, pipe) in pipes.enumerated() {
      try poller.add(pipe.pipe.writing.raw, interest: .write, key: UInt64(index))
    }
    var keys: Set<UInt64> = []
    for _ in 0..<3 { keys.formUnion(try poller.wait(timeoutMilliseconds: 0).map(\.key)) }
    #expect(keys == Set(0..<100))
  }

  private final class SharedPipe {
    let pipe: Pipe
    init() throws(SystemError) { pipe = try Pipe() }
  }
}

@Suite struct `Event counter` {
  private final class Shared: Sendable {
    let counter: EventCounter
    init() throws(SystemError) { counter = try EventCounter() }
  }

  @Test func `a signal from another thread wakes a poller`() throws {
    let poller = try Poller()
    let shared = try Shared()
    try poller.add(shared.counter.raw, interest: .read, key: 9)
    try Threads.start(name: "signaller") { shared.counter.signal() }
    let events = try poller.wait(timeoutMilliseconds: 30_000)
    #expect(events == [Poller.Event(key: 9, readable: true, writable: false, hungUp: false)])
  }

  @Test func `many signals are drained at once`() throws {
    let poller = try Poller()
    let counter = try EventCounter()
    try poller.add(counter.raw, interest: .read, key: 1)
    for _ in 0..<1000 { counter.signal() }
    let drained = [counter.drain(), counter.drain()]
    #expect(drained == [true, false])
    #expect(try poller.wait(timeoutMilliseconds: 0) == [])
  }
}

@Suite struct `Boot timer` {
  @Test func `it fires at its moment, not before`() throws {
    let poller = try Poller()
    let timer = try BootTimer()
    try poller.add(timer.raw, interest: .read, key: 1)
    let moment = Instant.now.advanced(by: .milliseconds(40))
    try timer.set(at: moment)
    #expect(try poller.wait(timeoutMilliseconds: 30_000).map(\.key) == [1])
    #expect(Instant.now >= moment)
    let drained = [timer.drain(), timer.drain()]
    #expect(drained == [true, false])
  }

  @Test(arguments: [Int64.min, -1, 0, 1]) func `a moment that has passed fires at once`(nanoseconds: Int64) throws {
    let poller = try Poller()
    let timer = try BootTimer()
    try poller.add(timer.raw, interest: .read, key: 1)
    try timer.set(at: Instant(nanoseconds: nanoseconds))
    #expect(try poller.wait(timeoutMilliseconds: 30_000).map(\.key) == [1])
  }

  @Test func `it can be called off, and the end of time is allowed`() throws {
    let poller = try Poller()
    let timer = try BootTimer()
    try poller.add(timer.raw, interest: .read, key: 1)
    try timer.set(at: .now)
    try timer.set(at: nil)
    #expect(try poller.wait(timeoutMilliseconds: 20) == [])
    try timer.set(at: .distantFuture)
    #expect(try poller.wait(timeoutMilliseconds: 20) == [])
  }
}
