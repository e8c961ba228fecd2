import Platform
import TestSupport
import Testing

@Suite struct `A watch on the network` {
  @Test func `tells nothing while nothing happens`() throws {
    let watch = try NetworkWatch()
    #expect(watch.drain() == false)
    #expect(watch.drain() == false)
  }

  @Test func `can be waited for beside others`() throws {
    let watch = try NetworkWatch()
    let poller = try Poller()
    try poller.add(watch.raw, interest: .read, key: 1)
    _ = try poller.wait(timeoutMilliseconds: 0)
  }
}
