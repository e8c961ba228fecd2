import Platform
import Testing

@testable import Lease

@Suite struct `A rate limit` {
  private let start = Instant(nanoseconds: 1_000_000_000)

  @Test func `is used up by so many at once, and grows by so many a second up to that`() {
    var limit = RateLimit(burst: 3, perSecond: 2, now: start)
    func taken(at now: Instant) -> Int {
      var count = 0
      while limit.consume(now: now) { count += 1 }
      return count
    }
    #expect(taken(at: start) == 3)
    let later = start.advanced(by: .seconds(1))
    #expect(taken(at: later) == 2)
    let hasRemaining = limit.allowsEvent(now: later)
    #expect(!hasRemaining)
    #expect(taken(at: start.advanced(by: .seconds(1_000_000_000))) == 3)
  }
}
