import OAuth
import Testing
import Vocabulary

// RFC 8628 section 3.5.
@Suite struct `Times of device polls` {
  private let trouble = DevicePollOutcome.transient(OAuthError(.timeout, .endpoint(.token)))

  private func trouble(retryAfter: Int) -> DevicePollOutcome {
    .transient(expected(.rateLimited, .endpoint(.token), retryAfter: retryAfter))
  }

  @Test func `the first poll waits too`() {
    let polling = DevicePolling(interval: 5, expiresIn: 900)
    #expect(polling.waitMilliseconds == 5000)
    #expect(polling.next(elapsedMilliseconds: 0) == .poll(afterMilliseconds: 5000))
  }

  @Test(arguments: [0, -1, Int.min]) func `an interval that is none is five seconds`(interval: Int) {
    #expect(DevicePolling(interval: interval, expiresIn: 900).waitMilliseconds == 5000)
  }

  @Test func `pending keeps the interval`() {
    var polling = DevicePolling(interval: 7, expiresIn: 900)
    for _ in 0..<10 { polling.adjustInterval(after: .pending) }
    #expect(polling.waitMilliseconds == 7000)
  }

  @Test func `slow_down adds five seconds for good and stretches the waits`() {
    var polling = DevicePolling(interval: 5, expiresIn: 900)
    polling.adjustInterval(after: .slowDown(interval: nil))
    #expect(polling.interval == 10)
    #expect(polling.waitMilliseconds == 14_000)
    polling.adjustInterval(after: .pending)
    #expect(polling.waitMilliseconds == 14_000)
    polling.adjustInterval(after: .slowDown(interval: nil))
    #expect(polling.interval == 15)
    #expect(polling.waitMilliseconds == 21_000)
  }

  @Test(arguments: [(30, 30), (6, 10), (-5, 10), (Int.max, 86_400)])
  func `the greater of the server's interval and our own counts`(asked: Int, interval: Int) {
    var polling = DevicePolling(interval: 5, expiresIn: 900)
    polling.adjustInterval(after: .slowDown(interval: asked))
    #expect(polling.interval == interval)
  }

  @Test func `three complaints make the clock suspect`() {
    var polling = DevicePolling(interval: 5, expiresIn: 900)
    for count in 1...4 {
      polling.adjustInterval(after: .slowDown(interval: nil))
      #expect(polling.suspectsFastClock == (count >= 3))
    }
  }

  @Test func `failures double the wait up to a minute`() {
    var polling = DevicePolling(interval: 5, expiresIn: 900)
    var waits: [Int] = []
    for _ in 0..<6 {
      polling.adjustInterval(after: trouble)
      waits.append(polling.waitMilliseconds)
    }
    #expect(waits == [10_000, 20_000, 40_000, 60_000, 60_000, 60_000])
  }

  @Test func `an answer brings the agreed interval back`() {
    var polling = DevicePolling(interval: 5, expiresIn: 900)
    polling.adjustInterval(after: trouble)
    polling.adjustInterval(after: trouble)
    polling.adjustInterval(after: .pending)
    #expect(polling.waitMilliseconds == 5000)
    polling.adjustInterval(after: trouble)
    #expect(polling.waitMilliseconds == 10_000)
    polling.adjustInterval(after: .slowDown(interval: nil))
    #expect(polling.waitMilliseconds == 14_000)
  }

  @Test func `a failure never shortens a long interval`() {
    var polling = DevicePolling(interval: 90, expiresIn: 900)
    polling.adjustInterval(after: trouble)
    #expect(polling.waitMilliseconds == 90_000)
  }

  @Test func `a longer wait that the server asks for is kept once`() {
    var polling = DevicePolling(interval: 5, expiresIn: 900)
    polling.adjustInterval(after: trouble(retryAfter: 120))
    #expect(polling.waitMilliseconds == 120_000)
    polling.adjustInterval(after: trouble(retryAfter: 1))
    #expect(polling.waitMilliseconds == 20_000)
    polling.adjustInterval(after: trouble(retryAfter: 120))
    polling.adjustInterval(after: .pending)
    #expect(polling.waitMilliseconds == 5000)
  }

  @Test(arguments: [
    (300, 300, 0, DevicePolling.Next.poll(afterMilliseconds: 290_000)),
    (86_400, 300, 0, .poll(afterMilliseconds: 290_000)),
    (299, 300, 0, .poll(afterMilliseconds: 299_000)), (300, 301, 2000, .poll(afterMilliseconds: 289_000)),
    (5, 4, 0, .poll(afterMilliseconds: 3000)), (300, 300, 295_000, .poll(afterMilliseconds: 0)),
    (300, 300, 300_000, .expire(afterMilliseconds: 0)),
  ])
  func `a code that lives no longer than the interval is polled once, as late as leaves time for the answer`(
    interval: Int, expiresIn: Int, elapsed: Int, next: DevicePolling.Next
  ) {
    var polling = DevicePolling(interval: interval, expiresIn: expiresIn)
    #expect(polling.next(elapsedMilliseconds: elapsed) == next)
    polling.adjustInterval(after: .pending)
    #expect(
      polling.next(elapsedMilliseconds: 290_000) == .expire(afterMilliseconds: max(0, expiresIn * 1000 - 290_000)))
  }

  @Test(arguments: [
    (0, DevicePolling.Next.poll(afterMilliseconds: 5000)), (14_999, .poll(afterMilliseconds: 5000)),
    (15_000, .expire(afterMilliseconds: 5000)), (19_999, .expire(afterMilliseconds: 1)),
    (20_000, .expire(afterMilliseconds: 0)), (90_000_000, .expire(afterMilliseconds: 0)),
    (-1, .poll(afterMilliseconds: 5000)), (Int.max, .expire(afterMilliseconds: 0)),
    (Int.min, .poll(afterMilliseconds: 5000)),
  ])
  func `no poll is due at or after the expiry`(elapsed: Int, next: DevicePolling.Next) {
    var polling = DevicePolling(interval: 5, expiresIn: 20)
    polling.adjustInterval(after: .pending)
    #expect(polling.next(elapsedMilliseconds: elapsed) == next)
  }

  @Test func `a huge lifetime does not overflow`() {
    let polling = DevicePolling(interval: .max, expiresIn: .max)
    #expect(polling.next(elapsedMilliseconds: 0) == .poll(afterMilliseconds: 86_400_000))
    #expect(DevicePolling(interval: 5, expiresIn: -1).next(elapsedMilliseconds: 0) == .expire(afterMilliseconds: 0))
  }
}
