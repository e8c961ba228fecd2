import Platform
import TestSupport
import Testing

@testable import Wire

@Suite struct `The event loop` {
  @Test func `wakes at the earliest of its timers, though that was set after it began to wait for a later one`() throws
  {
    let loop = try EventLoop(SystemTime())
    var acts: [String] = []
    loop.schedule(at: loop.now.advanced(by: .seconds(60))) { acts.append("later") }
    // It is ready while the loop waits for the later one.
    let counter = try EventCounter()
    counter.signal()
    try loop.watch(counter.raw) { _ in
      counter.drain()
      loop.schedule(at: loop.now.advanced(by: .milliseconds(10))) { acts.append("earlier") }
    }
    try loop.run { !acts.isEmpty }
    #expect(acts == ["earlier"])
  }

  @Test func `knows the longest time that it worked between two waits, without the waits`() throws {
    let time = ManualTime()
    let loop = try EventLoop(time)
    time.advance(seconds: 9)
    let counter = try EventCounter()
    var works = [2, 3, 1]
    try loop.watch(counter.raw) { _ in
      counter.drain()
      time.advance(seconds: works.removeFirst())
      if !works.isEmpty { counter.signal() }
    }
    counter.signal()
    try loop.run { works.isEmpty }
    #expect(loop.longestTurn == .seconds(3))
  }

  @Test func `refuses a descriptor that it cannot wait for`() throws {
    let loop = try EventLoop(SystemTime())
    // epoll_ctl(2): EPERM for a file that is always ready.
    let file = try FileDescriptor.inMemory(Array("x".utf8).span)
    #expect(throws: SystemError.self) { try loop.watch(file.raw) { _ in } }
  }
}
