import Crypto
import Platform
import Sessions
import TestSupport
import Testing
import Vocabulary

/// A token for an hour, issued at `at(0)` when the machine's clock showed 1,700,000,000.
@Suite struct `A token when the machine's clock is set` {
  private static let wall = 1_700_000_000

  private func issued(lifetime: Int? = 3600) throws -> AccessGrant {
    AccessGrant(
      accessToken: try secret("at"), tokenType: "Bearer", scope: nil, subject: nil, issuedAt: at(0),
      issuedAtUnixSeconds: Self.wall, lifetimeSeconds: lifetime, recordGeneration: 1)
  }

  @Test(arguments: [0, 60, 3599]) func `shows the same end while nothing is set`(seconds: Int) throws {
    let grant = try issued()
    #expect(
      grant.adjustedToClock(wallSeconds: Self.wall + seconds, at(Double(seconds))).lifetimeStart == grant.lifetimeStart)
    #expect(grant.expiresAtUnixSeconds == Self.wall + 3600)
  }

  @Test(arguments: [-1, 1, 2]) func `shows the same end where clocks are read a moment apart`(error: Int) throws {
    let grant = try issued()
    let adjusted = grant.adjustedToClock(wallSeconds: Self.wall + 60 + error, at(60))
    #expect(
      adjusted.lifetimeStart == grant.lifetimeStart && adjusted.issuedAtByCurrentClock == grant.issuedAtByCurrentClock)
  }

  @Test(arguments: [-10, -7200, -1_700_000_000]) func `shows its end by the clock that was set back`(change: Int) throws
  {
    let grant = try issued().adjustedToClock(wallSeconds: Self.wall + 60 + change, at(60))
    #expect(grant.expiresAtUnixSeconds == Self.wall + 3600 + change)
    #expect(grant.remaining(at: at(60)) == .seconds(3540))
  }

  // A paused virtual machine: only the wall clock shows for how long.
  @Test(arguments: [10, 1800, 3500]) func `is older by as much as the clock jumped forward`(change: Int) throws {
    let grant = try issued().adjustedToClock(wallSeconds: Self.wall + 60 + change, at(60))
    #expect(grant.remaining(at: at(60)) == .seconds(3540 - change))
    #expect(grant.expiresAtUnixSeconds == Self.wall + 3600)
  }

  @Test func `is not handed out after a pause longer than its life`() throws {
    var session = Session()
    session.applySignIn(try issued(), wallSeconds: Self.wall, jitter: 0)
    session.applyClockChange(wallSeconds: Self.wall + 7260, now: at(60))
    #expect(session.cachedGrant(by: TokenNeed(), now: at(60)) == nil)
    #expect(session.fallback(for: TokenNeed(), now: at(60)) == nil)
    guard case .wait(start: .some) = session.request(TokenNeed(), account: "work", now: at(60)) else {
      Issue.record("no refresh begins")
      return
    }
  }

  @Test func `is as it was when the clock is set right again`() throws {
    let grant = try issued().adjustedToClock(wallSeconds: Self.wall + 7200, at(60)).adjustedToClock(
      wallSeconds: Self.wall + 90, at(90))
    #expect(grant.remaining(at: at(90)) == .seconds(3510))
    #expect(grant.expiresAtUnixSeconds == Self.wall + 3600)
  }

  @Test func `that was wiped at its end is not handed out when the clock is set right again`() throws {
    var session = Session()
    session.applySignIn(try issued(), wallSeconds: Self.wall, jitter: 0)
    session.applyClockChange(wallSeconds: Self.wall + 7260, now: at(60))
    #expect(session.applyExpiry(now: at(60)) == .end)
    session.applyClockChange(wallSeconds: Self.wall + 90, now: at(90))
    #expect(session.cachedGrant(by: TokenNeed(), now: at(90)) == nil)
    #expect(session.fallback(for: TokenNeed(), now: at(90)) == nil)
  }

  /// A session without a refresh token: its token is the last.
  private func last() throws -> SessionRun {
    var run = SessionRun()
    run.session.applySignIn(try issued(), isRenewable: false, wallSeconds: Self.wall, jitter: 0)
    return run
  }

  @Test(arguments: [RefreshPolicy.proactive, .background, .offline])
  func `that cannot be renewed is as it was when the clock is set right again`(policy: RefreshPolicy) throws {
    var run = try last()
    run.session.policy = policy
    run.session.applyClockChange(wallSeconds: Self.wall + 7260, now: at(60))
    #expect(run.session.applyExpiry(now: at(60)) == .end)
    #expect(run.session.renewalDue == nil)
    #expect(run.ask(at: 61) == .fails(.expired(account: "work")))
    #expect(run.session.state(now: at(61)) != .active)
    run.session.applyClockChange(wallSeconds: Self.wall + 90, now: at(90))
    #expect(run.ask(at: 90) == .served("at"))
    #expect(run.session.state(now: at(90)) == .active)
    // The session's own end is published again.
    #expect(run.session.applyExpiry(now: at(3300)) == .nearEnd(seconds: 300))
    #expect(run.session.applyExpiry(now: at(3600)) == .end)
    #expect(run.session.grant?.accessToken.count == 0)
  }

  @Test func `that cannot be renewed is wiped at its end by the clock that cannot be set`() throws {
    var run = try last()
    run.session.applyClockChange(wallSeconds: Self.wall + 7260, now: at(60))
    #expect(run.session.applyExpiry(now: at(60)) == .end)
    #expect(run.session.actionDue == at(3600))
    #expect(run.session.applyExpiry(now: at(3600)) == nil)
    #expect(run.session.grant?.accessToken.count == 0 && run.session.actionDue == nil)
    run.session.applyClockChange(wallSeconds: Self.wall + 3601, now: at(3601))
    #expect(run.session.cachedGrant(by: TokenNeed(), now: at(3601)) == nil)
  }

  @Test func `that cannot be renewed survives whoever wants another`() throws {
    var run = try last()
    for need in [TokenNeed(forceRefresh: true), TokenNeed(minimumValiditySeconds: 3000)] {
      #expect(run.ask(need, at: 700) == .fails(.expired(account: "work")))
    }
    #expect(run.ask(at: 701) == .served("at"))
    // There is no better token.
    #expect(run.ask(at: 3599) == .served("at"))
    #expect(run.ask(at: 3600) == .starts)
  }

  // Times are true.
  @Test(arguments: [(-7200, -7200), (7200, 0)]) func `was issued no later than the clock now says`(
    change: Int, shown: Int
  ) throws {
    var session = Session()
    session.applySignIn(try issued(), wallSeconds: Self.wall, jitter: 0)
    session.applyClockChange(wallSeconds: Self.wall + 60 + change, now: at(60))
    #expect(session.refreshedAt == Self.wall + shown)
  }

  @Test func `is renewed in the background by its new end`() throws {
    var session = Session()
    session.applySignIn(try issued(), wallSeconds: Self.wall, jitter: 0)
    _ = session.request(TokenNeed(), account: "work", now: at(0))
    let before = try #require(session.renewalDue)
    session.applyClockChange(wallSeconds: Self.wall + 1800, now: at(0))
    #expect(session.renewalDue == before.advanced(by: .seconds(-1800)))
  }

  @Test func `leaves the memory of the strict policy by what the clock jumped forward`() throws {
    var session = Session()
    session.policy = .strict
    session.applySignIn(try issued(), wallSeconds: Self.wall, jitter: 0)
    session.applyClockChange(wallSeconds: Self.wall + 260, now: at(60))
    #expect(session.actionDue == at(100))
    #expect(session.cachedGrant(by: TokenNeed(), now: at(99)) != nil)
    #expect(session.cachedGrant(by: TokenNeed(), now: at(100)) == nil)
    session.applyClockChange(wallSeconds: Self.wall + 360, now: at(60))
    #expect(session.applyExpiry(now: at(60)) == nil)
    #expect(session.grant == nil)
  }

  @Test func `of unknown lifetime is older by what the clock jumped forward`() throws {
    var session = Session()
    session.applySignIn(try issued(lifetime: nil), wallSeconds: Self.wall, jitter: 0)
    let need = TokenNeed(minimumValiditySeconds: 600)
    #expect(session.cachedGrant(by: need, now: at(60)) != nil)
    session.applyClockChange(wallSeconds: Self.wall + 660, now: at(60))
    #expect(session.cachedGrant(by: need, now: at(60)) == nil)
  }

  @Test func `of unknown lifetime has no end`() throws {
    let grant = try issued(lifetime: nil).adjustedToClock(wallSeconds: Self.wall + 7200, at(60))
    #expect(grant.expiresAtUnixSeconds == nil && grant.expiresAt == nil && grant.isAlive(at: at(60)))
  }

  @Test func `keeps nothing of an expired token but what is known of it`() throws {
    var session = Session()
    session.applySignIn(try issued(), wallSeconds: Self.wall, jitter: 0)
    #expect(session.applyExpiry(now: at(3600)) == .end)
    #expect(session.grant?.accessToken.count == 0 && session.grant?.expiresAtUnixSeconds == Self.wall + 3600)
  }
}
