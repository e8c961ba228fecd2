import Platform
import Sessions
import Testing
import Vocabulary

@Suite struct `The refresh policy` {
  @Test(arguments: [
    (nil, Duration.zero), (0, .zero), (1, .milliseconds(100)), (300, .seconds(30)), (600, .seconds(60)),
    (3600, .seconds(60)), (315_360_000, .seconds(60)),
  ])
  func `renews a minute before the end, at most a tenth of the lifetime`(lifetime: Int?, left: Duration) {
    #expect(RefreshPolicy.usualValidity(ofLifetime: lifetime) == left)
  }

  @Test(arguments: [
    (60, Duration.seconds(30)), (599, .milliseconds(299_500)), (600, .seconds(300)), (86_400, .seconds(300)),
  ])
  func `renews in the background five minutes before the end, at most half of the lifetime`(
    lifetime: Int, lead: Duration
  ) {
    #expect(RefreshPolicy.renewalLead(ofLifetime: lifetime) == lead)
  }

  @Test(arguments: [
    (2, 0.0, Duration.milliseconds(250)), (2, 0.5, .milliseconds(375)), (3, 0.0, .seconds(1)),
    (3, 0.5, .milliseconds(1500)), (9, 0.0, .seconds(1)), (0, 0.0, .milliseconds(250)),
  ])
  func `waits half to all of a step between attempts`(attempt: Int, jitter: Double, wait: Duration) {
    #expect(RefreshPolicy.wait(beforeAttempt: attempt, jitter: jitter) == wait)
  }

  @Test(
    arguments: zip(
      [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 1000, Int.max], [60, 60, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600, 3600]))
  func `doubles from a minute to an hour after failures`(count: Int, seconds: Int) {
    #expect(RefreshPolicy.wait(afterFailures: count) == .seconds(seconds))
  }

  @Test(arguments: [(3600, 3300.0), (60, 30.0), (20, 10.0), (19, 10.0), (1, 10.0), (0, 10.0)])
  func `replaces the token of a file as early as one in use, but never within ten seconds`(
    lifetime: Int, due: Double
  ) {
    let end = at(Double(lifetime))
    #expect(RefreshPolicy.fileRenewal(of: end, lifetimeSeconds: lifetime, now: at(0), jitter: 1) == at(due))
    let latest = RefreshPolicy.fileRenewal(of: end, lifetimeSeconds: lifetime, now: at(0), jitter: 0)
    #expect(latest >= at(due) && latest <= at(due + 30))
  }

  @Test(
    arguments: [
      (nil, 0.0, 30.0), (nil, 1.0, 60.0), (100.0, 1.0, 60.0), (20.0, 0.0, 20.0), (2.0, 0.0, 10.0), (0.0, 0.0, 30.0),
      (-1.0, 1.0, 60.0),
    ] as [(Double?, Double, Double)])
  func `tries for the token of a file again within a minute, and when the one at hand ends`(
    end: Double?, jitter: Double, due: Double
  ) {
    #expect(RefreshPolicy.fileRetry(tokenEnd: end.map { at($0) }, now: at(0), jitter: jitter) == at(due))
  }

  @Test func `makes three attempts`() {
    #expect(RefreshPolicy.maximumAttempts == 3)
  }
}
