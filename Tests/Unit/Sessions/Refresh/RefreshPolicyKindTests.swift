import Encoding
import OAuth
import Platform
import Vault
import Testing
import Vocabulary

@testable import Sessions

@Suite struct `A session by its policy` {
  typealias Kind = RefreshPolicy

  /// An active session that was used once.
  func used(_ policy: Kind, lifetime: Int? = 3600) throws -> SessionRun {
    var run = SessionRun.active(try grant("old", lifetime: lifetime), jitter: 1, policy: policy)
    #expect(run.ask(at: 0) == .served("old"))
    return run
  }

  @Test(arguments: [(Kind.onDemand, nil), (.proactive, 3300.0), (.background, 3300), (.offline, 3300), (.strict, nil)])
  func `renews a used token before its end, or not`(policy: Kind, due: Double?) throws {
    #expect(try used(policy).session.renewalDue == due.map { at($0) })
  }

  @Test(arguments: Kind.allCases) func `renews an unused token only where it is always to be fresh`(policy: Kind) throws
  {
    let run = try SessionRun.active(grant("old"), jitter: 1, policy: policy)
    #expect(run.session.renewalDue == (policy == .background ? at(3300) : nil))
  }

  @Test(arguments: Kind.allCases) func `renews when it is asked for a token, whatever it is`(policy: Kind) throws {
    var run = try SessionRun.active(grant("old"), policy: policy)
    #expect(run.ask(at: 3541) == .starts)
  }

  // MARK: background

  @Test(arguments: Kind.allCases) func `gets a first token alone only where it is always to be fresh`(policy: Kind)
    throws
  {
    var run = SessionRun()
    run.session.policy = policy
    run.session.planFirstToken(at: at(3))
    #expect(run.session.renewalDue == (policy == .background ? at(3) : nil))
    #expect(run.session.startRenewalIfDue(now: at(2.9)) == nil)
    #expect((run.session.startRenewalIfDue(now: at(3)) != nil) == (policy == .background))
  }

  @Test func `always fresh renews a token that died meanwhile, and goes on after failures`() throws {
    var run = try SessionRun.active(grant("old"), jitter: 1, policy: .background)
    #expect(run.session.startRenewalIfDue(now: at(9000)) != nil)
    _ = try run.end(.failure(lasting), at: 9000)
    #expect(run.session.renewalDue == at(9060))
    #expect(run.session.startRenewalIfDue(now: at(9060)) != nil)
    #expect(try run.end(.success(grant("new", issuedAt: 9060)), at: 9061, jitter: 1) == .renewed("new"))
    #expect(run.session.renewalDue == at(9060 + 3300))
  }

  // Seconds until the refresh token and the grant end.
  @Test(arguments: [
    (1_000_000, nil, 913_600.0), (40_000, nil, 30_000), (599, nil, nil), (40_000, 40_060, nil),
    (40_000, 80_000, 30_000),
  ]) func `an unused session is renewed before its refresh token expires`(
    refreshToken: Int, authorization: Int?, due: Double?
  ) throws {
    var ends: JSONObject = ["refresh_token": .int(refreshToken)]
    ends["authorization"] = authorization.map { .int($0) }
    let expiry = GrantExpiry(json: .object(ends))
    for (lifetime, renewal) in [(nil, due), (2_000_000, due ?? 1_999_700), (3600, 3300)] {
      let token = try grant("at", lifetime: lifetime, expiry: expiry)
      let run = SessionRun.active(token, jitter: 1, policy: .background)
      #expect(run.session.renewalDue == renewal.map { at($0) })
      #expect(SessionRun.active(token, policy: .proactive).session.renewalDue == nil)
    }
  }

  // A renewal in the background must not restore a session that the user ended.
  @Test(arguments: [SessionError.signedOut(account: "work"), .expired(account: "work"), .noAccount(name: "work")])
  func `always fresh leaves a session alone that is over`(error: SessionError) throws {
    var run = SessionRun()
    run.session.policy = .background
    run.session.planFirstToken(at: at(0))
    #expect(run.session.startRenewalIfDue(now: at(0)) != nil)
    #expect(try run.end(.failure(error), at: 1) == .failed(error, fallback: nil))
    #expect(run.session.renewalDue == nil)
    run.session.planFirstToken(at: at(2))
    #expect(run.session.renewalDue == nil)
    run.session.applySignOut()
    #expect(run.session.renewalDue == nil)
  }

  @Test func `always fresh tries nothing behind a lock, until it is unlocked`() throws {
    var run = SessionRun()
    run.session.policy = .background
    run.session.planFirstToken(at: at(0))
    #expect(run.session.startRenewalIfDue(now: at(0)) != nil)
    let locked = SessionError.vault(VaultError(.locked(.passphrase)))
    #expect(try run.end(.failure(locked), at: 1) == .failed(locked, fallback: nil))
    #expect(run.session.actionDue == nil)
    #expect(run.session.lastFailure == nil)
    run.session.planFirstToken(at: at(2))
    #expect(run.session.renewalDue == at(2))
  }

  // MARK: offline

  @Test func `offline tries by itself what failed for a passing reason`() throws {
    var run = try used(.offline)
    #expect(run.ask(at: 3550) == .starts)
    #expect(try fail(&run, unreachable, at: 3550) == .failed(unreachable, fallback: "old"))
    #expect(run.session.isQueued)
    #expect(run.session.isOffline)
    #expect(run.session.renewalDue == at(3560))
    // No caller waits for queued attempts while there is a token.
    #expect(run.ask(at: 3599) == .served("old"))
    #expect(run.session.startRenewalIfDue(now: at(3599))?.attempt == 1)
    #expect(try fail(&run, unreachable, at: 3700) == .failed(unreachable, fallback: nil))
    // The token has expired, and attempts continue.
    #expect(run.session.renewalDue == at(3720))
    #expect(run.session.startRenewalIfDue(now: at(3720)) != nil)
    #expect(try run.end(.success(grant("new", issuedAt: 3720)), at: 3721) == .renewed("new"))
    #expect(!run.session.isQueued)
    #expect(!run.session.isOffline)
  }

  @Test(arguments: [Kind.onDemand, .proactive, .background, .strict])
  func `other than offline queues nothing that nobody waits for`(policy: Kind) throws {
    var run = try used(policy)
    #expect(run.ask(at: 3550) == .starts)
    _ = try fail(&run, unreachable, at: 3550)
    #expect(!run.session.isQueued)
  }

  @Test func `offline queues nothing that only a person can mend`() throws {
    var run = try used(.offline)
    #expect(run.ask(at: 3550) == .starts)
    _ = try run.end(.failure(lasting), at: 3550)
    #expect(!run.session.isQueued)
  }

  // MARK: strict

  @Test func `strict serves a token for five minutes at most, then wipes it`() throws {
    var run = try used(.strict)
    #expect(run.session.actionDue == at(300))
    #expect(run.ask(at: 299) == .served("old"))
    #expect(run.session.applyExpiry(now: at(299)) == nil)
    #expect(run.session.grant != nil)
    #expect(run.session.applyExpiry(now: at(300)) == nil)
    #expect(run.session.grant == nil)
    #expect(run.ask(at: 300) == .starts)
  }

  @Test(arguments: [(200, 180.0), (30, 27), (nil, 300)])
  func `strict serves a token only while it has the usual time left`(lifetime: Int?, end: Double) throws {
    var run = try used(.strict, lifetime: lifetime)
    // Even before its timer has fired, as after a suspend.
    #expect(run.ask(TokenNeed(minimumValiditySeconds: 0), at: end - 0.1) == .served("old"))
    #expect(run.ask(TokenNeed(minimumValiditySeconds: 0), at: end) == .starts)
    #expect(run.session.actionDue == at(end))
  }

  @Test func `strict gives out no token because the server is away`() throws {
    var run = try used(.strict, lifetime: 200)
    #expect(run.ask(at: 185) == .starts)
    #expect(try fail(&run, unreachable, at: 186) == .failed(unreachable, fallback: nil))
    #expect(run.ask(at: 187) == .starts)
  }

  /// Ends all attempts of the refresh in flight.
  private func fail(_ run: inout SessionRun, _ error: SessionError, at second: Double) throws -> SessionRun.Ended {
    while true {
      let ended = try run.end(.failure(error), at: second)
      guard case .retries = ended, let waiting = run.session.refresh else { return ended }
      _ = run.session.startRetry(waiting)
    }
  }
}
