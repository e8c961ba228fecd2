import OAuth
import Platform
import Sessions
import Testing
import Vocabulary

@Suite struct `A refresh that somebody waits for` {
  /// A session without a token whose refresh failed at second 0 while a caller waits.
  private func waiting(_ error: SessionError) throws -> SessionRun {
    var run = SessionRun()
    #expect(try run.fail(with: error, at: 0) == .failed(error, fallback: nil))
    run.session.queueForCaller(because: error, now: at(0))
    return run
  }

  @Test func `is tried again soon while there is no way to the server, and less and less often`() throws {
    var run = try waiting(unreachable)
    var second = 0.0
    for wait in [1.0, 2, 4, 8, 16, 30, 30] {
      second += wait
      #expect(run.session.renewalDue == at(second))
      #expect(run.session.startRenewalIfDue(now: at(second)) != nil)
      try failAll(&run, unreachable, at: second)
      run.session.queueForCaller(because: unreachable, now: at(second))
    }
  }

  @Test func `is tried again within ten seconds at no server that was there`() throws {
    var run = try waiting(passing())
    #expect(run.session.renewalDue == at(10))
    #expect(run.session.startRenewalIfDue(now: at(10)) != nil)
    try failAll(&run, passing(), at: 10)
    run.session.queueForCaller(because: passing(), now: at(10))
    #expect(run.session.renewalDue == at(30))
  }

  @Test func `waits for as long as the server says`() throws {
    #expect(try waiting(passing(retryAfter: 42)).session.renewalDue == at(42))
  }

  @Test func `is not made when nobody waits any more`() throws {
    var run = try waiting(unreachable)
    run.session.dropCallerPriority()
    #expect(run.session.renewalDue == nil)
  }

  @Test func `is made at once when the network is there again`() throws {
    var run = try waiting(unreachable)
    #expect(run.session.scheduleRetry(at: at(0.6)) == true)
    #expect(run.session.renewalDue == at(0.6))
    #expect(run.session.startRenewalIfDue(now: at(0.6)) != nil)
    // A failure after that is a first one.
    try failAll(&run, unreachable, at: 1)
    run.session.queueForCaller(because: unreachable, now: at(1))
    #expect(run.session.renewalDue == at(2))
  }

  @Test func `is not made sooner by another network when the server itself was in trouble`() throws {
    var run = try waiting(passing())
    #expect(run.session.scheduleRetry(at: at(0.6)) == false)
    #expect(run.session.renewalDue == at(10))
  }

  @Test func `that nobody waits for is not made because the network changed`() throws {
    var run = SessionRun()
    _ = try run.fail(with: unreachable, at: 0)
    #expect(run.session.scheduleRetry(at: at(1)) == false)
    var unaffected = SessionRun()
    #expect(unaffected.session.scheduleRetry(at: at(1)) == false)
  }

  private func failAll(_ run: inout SessionRun, _ error: SessionError, at second: Double) throws {
    while case .retries = try run.end(.failure(error), at: second) {
      _ = run.session.startRetry(try #require(run.session.refresh))
    }
  }
}

@Suite struct `An answer that broke off` {
  // RFC 9700 section 4.14.2: a refresh token that is used twice may end the whole grant.
  @Test(arguments: [OAuthError.Code.network, .timeout, .malformedResponse, .responseTooLarge])
  func `is not asked for again while there is a token to lose`(code: OAuthError.Code) throws {
    let error = broken(code)
    var run = try SessionRun.active(grant("old", lifetime: 300), jitter: 1)
    #expect(run.ask(at: 280) == .starts)
    let fallback = error.isTemporary ? "old" : nil
    #expect(try run.end(.failure(error), at: 281) == .failed(error, fallback: fallback))
    #expect(run.ask(at: 299) == .served("old"))
    #expect(run.session.renewalDue ?? at(300) >= at(300))
    #expect(run.session.startRenewalIfDue(now: at(299)) == nil)
    // There is no token left that could be lost.
    #expect(run.ask(at: 300) == .starts)
  }

  @Test func `is not asked for again for want of a newer token, while there is one to lose`() throws {
    var run = try SessionRun.active(grant("old", lifetime: 300))
    let need = TokenNeed(newerThan: run.session.generation)
    #expect(run.ask(need, at: 150) == .starts)
    #expect(try run.end(.failure(broken()), at: 151) == .failed(broken(), fallback: "old"))
    // The cached token does not satisfy the request.
    #expect(run.session.fallback(for: need, now: at(151)) == nil)
    #expect(run.ask(need, at: 299) == .fails(broken()))
    #expect(run.ask(need, at: 300) == .starts)
  }

  @Test func `is asked for again by a person who insists`() throws {
    var run = try SessionRun.active(grant("old"))
    #expect(try run.fail(with: broken(), at: 1) == .failed(broken(), fallback: "old"))
    #expect(run.ask(TokenNeed(forceRefresh: true), at: 2) == .starts)
  }

  @Test func `keeps nobody waiting`() {
    #expect(!broken().isSafeToRetry)
    #expect(unreachable.isSafeToRetry && passing().isSafeToRetry)
    #expect(!lasting.isSafeToRetry)
  }

  @Test(arguments: RefreshPolicy.allCases)
  func `is tried alone only by a session that is always fresh, at the end`(
    policy: RefreshPolicy
  ) throws {
    var run = try SessionRun.active(grant("old"), jitter: 1, policy: policy)
    #expect(run.ask(TokenNeed(minimumValiditySeconds: 100), at: 1) == .served("old"))
    _ = try run.fail(with: broken(), at: 2)
    #expect(run.session.startRenewalIfDue(now: at(3599)) == nil)
    #expect((run.session.startRenewalIfDue(now: at(3600)) != nil) == (policy == .background))
  }
}

@Suite struct `The end of a token in memory` {
  @Test func `is told a minute before and when it is there, once each`() throws {
    var run = try SessionRun.active(grant("old"))
    #expect(run.session.actionDue == at(3540))
    #expect(run.session.applyExpiry(now: at(3539)) == nil)
    #expect(run.session.applyExpiry(now: at(3540)) == .nearEnd(seconds: 60))
    #expect(run.session.applyExpiry(now: at(3541)) == nil)
    #expect(run.session.actionDue == at(3600))
    #expect(run.session.applyExpiry(now: at(3600)) == .end)
    #expect(run.session.applyExpiry(now: at(3601)) == nil)
    #expect(run.session.actionDue == nil)
    // Its content remains known, for callers that ask for claims.
    #expect(run.session.grant != nil)
  }

  @Test func `is told once after a long sleep`() throws {
    var run = try SessionRun.active(grant("old"))
    #expect(run.session.applyExpiry(now: at(100_000)) == .end)
    #expect(run.session.actionDue == nil)
  }

  @Test func `is told anew of the next token`() throws {
    var run = try SessionRun.active(grant("old"))
    #expect(run.session.applyExpiry(now: at(3600)) == .end)
    #expect(run.ask(at: 3601) == .starts)
    #expect(try run.end(.success(grant("new", issuedAt: 3601)), at: 3602) == .renewed("new"))
    #expect(run.session.applyExpiry(now: at(3601 + 3540)) == .nearEnd(seconds: 60))
  }

  @Test func `is told when a tenth is left of a token that lives shortly`() throws {
    var run = try SessionRun.active(grant("old", lifetime: 50))
    #expect(run.session.actionDue == at(45))
    #expect(run.session.applyExpiry(now: at(45)) == .nearEnd(seconds: 5))
    #expect(run.session.applyExpiry(now: at(50)) == .end)
  }

  @Test func `is told five minutes before where only a person can get another`() throws {
    var run = try SessionRun.active(grant("old"))
    run.session.applySignIn(try grant("last"), isRenewable: false, wallSeconds: 0, jitter: 0)
    #expect(!run.session.isRenewable)
    #expect(run.session.applyExpiry(now: at(3299)) == nil)
    #expect(run.session.applyExpiry(now: at(3300)) == .nearEnd(seconds: 300))
  }

  @Test func `has no time where the server named none`() throws {
    let run = try SessionRun.active(grant("old", lifetime: nil))
    #expect(run.session.actionDue == nil)
  }
}
