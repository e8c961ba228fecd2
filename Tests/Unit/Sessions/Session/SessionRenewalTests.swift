import Platform
import Sessions
import Testing

@Suite struct `Renewal in the background` {
  /// An active session whose token was served once.
  func used(lifetime: Int?, jitter: Double = 1) throws -> SessionRun {
    var run = SessionRun.active(try grant("old", lifetime: lifetime), jitter: jitter)
    #expect(run.ask(TokenNeed(minimumValiditySeconds: 0), at: 0) == .served("old"))
    return run
  }

  @Test(arguments: [(3600, 3300.0), (601, 301.0), (600, 300.0), (300, 150.0), (60, 30.0)])
  func `is due five minutes before the end, at most half of the lifetime`(lifetime: Int, due: Double) throws {
    #expect(try used(lifetime: lifetime).session.renewalDue == at(due))
  }

  @Test func `is spread over half of that time`() throws {
    #expect(try used(lifetime: 3600, jitter: 0).session.renewalDue == at(3450))
    #expect(try used(lifetime: 3600, jitter: 0.5).session.renewalDue == at(3375))
  }

  @Test(arguments: [nil, 59, 10]) func `is not made for a short or unknown lifetime`(lifetime: Int?) throws {
    #expect(try used(lifetime: lifetime).session.renewalDue == nil)
  }

  @Test func `is only for a token that somebody used`() throws {
    var run = try SessionRun.active(grant("old"))
    #expect(run.session.renewalDue == nil)
    #expect(run.session.startRenewalIfDue(now: at(3400)) == nil)
    #expect(run.ask(at: 100) == .served("old"))
    #expect(run.session.renewalDue != nil)
    #expect(run.session.startRenewalIfDue(now: at(3500)) != nil)
    #expect(try run.end(.success(grant("new", issuedAt: 3500)), at: 3501) == .renewed("new"))
    // The new token was not used yet, so nothing keeps the session alive forever.
    #expect(run.session.renewalDue == nil)
  }

  @Test func `starts at its time, once, and joins with the callers`() throws {
    var run = try used(lifetime: 3600)
    #expect(run.session.startRenewalIfDue(now: at(3299)) == nil)
    #expect(run.session.startRenewalIfDue(now: at(3300))?.attempt == 1)
    #expect(run.session.startRenewalIfDue(now: at(3300)) == nil)
    #expect(run.session.renewalDue == nil)
    #expect(run.ask(at: 3301) == .served("old"))
    #expect(run.ask(TokenNeed(forceRefresh: true), at: 3301) == .waits)
  }

  @Test func `is not made for a token that died meanwhile`() throws {
    var run = try used(lifetime: 3600)
    #expect(run.session.startRenewalIfDue(now: at(3600)) == nil)
    // The expiry is not checked repeatedly either.
    #expect(run.session.applyExpiry(now: at(3600)) == .end)
    run.session.dropMissedRenewal(now: at(3600))
    #expect(run.session.actionDue == nil)
  }

  @Test func `backs off after failures`() throws {
    var run = try used(lifetime: 36_000)
    var failedAt = 35_700.0
    for wait in [60.0, 120] {
      #expect(run.session.renewalDue == at(failedAt))
      #expect(run.session.startRenewalIfDue(now: at(failedAt)) != nil)
      _ = try run.end(.failure(lasting), at: failedAt)
      #expect(run.session.renewalDue == at(failedAt + wait))
      #expect(run.session.startRenewalIfDue(now: at(failedAt + wait - 1)) == nil)
      failedAt += wait
    }
  }

  @Test func `waits as long as the server asks, when that is longer`() throws {
    var run = try used(lifetime: 3600)
    #expect(run.session.startRenewalIfDue(now: at(3300)) != nil)
    #expect(
      try run.end(.failure(passing(retryAfter: 200)), at: 3300) == .failed(passing(retryAfter: 200), fallback: "old"))
    #expect(run.session.renewalDue == at(3500))
    #expect(run.session.startRenewalIfDue(now: at(3499)) == nil)
    #expect(run.session.startRenewalIfDue(now: at(3500)) != nil)
  }
}
