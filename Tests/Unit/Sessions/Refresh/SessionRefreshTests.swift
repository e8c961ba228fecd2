import OAuth
import Platform
import Sessions
import Testing
import Vocabulary

@Suite struct `The end of a refresh` {
  let expired = SessionError.expired(account: "work")

  // MARK: Generations

  struct Intruder: CustomTestStringConvertible {
    var testDescription: String
    var act: @Sendable (inout Session) throws -> Void
    var left: String?
  }

  @Test(arguments: [
    Intruder(
      testDescription: "a sign-in", act: { $0.applySignIn(try grant("signed-in"), wallSeconds: 1, jitter: 0) },
      left: "signed-in"),
    Intruder(testDescription: "a sign-out", act: { $0.applySignOut() }, left: nil),
    Intruder(testDescription: "changed settings", act: { $0.forgetToken() }, left: nil),
  ])
  func `an answer of an older generation changes nothing`(_ intruder: Intruder) throws {
    var run = try SessionRun.active(grant("old"))
    #expect(run.ask(TokenNeed(forceRefresh: true), at: 1) == .starts)
    let late = try #require(run.session.refresh)
    try intruder.act(&run.session)
    let state = run.session.state(now: at(2))
    #expect(try run.end(late, .success(grant("late", issuedAt: 1)), at: 2) == .ignored)
    #expect(run.end(late, .failure(expired), at: 2) == .ignored)
    #expect(run.end(late, .failure(passing()), at: 2) == .ignored)
    #expect(run.session.grant?.accessToken.text == intruder.left)
    #expect(run.session.state(now: at(2)) == state)
    #expect(run.session.lastFailure == nil)
    #expect(run.session.startRetry(late) == nil)
  }

  @Test func `an answer of an older generation does not end the refresh that is under way now`() throws {
    var run = SessionRun()
    #expect(run.ask(at: 0) == .starts)
    let late = try #require(run.session.refresh)
    run.session.forgetToken()
    #expect(run.ask(at: 1) == .starts)
    #expect(try run.end(late, .success(grant("late")), at: 2) == .ignored)
    #expect(run.ask(at: 2) == .waits)
    #expect(try run.end(.success(grant("new", issuedAt: 1)), at: 3) == .renewed("new"))
  }

  @Test func `an answer is taken in once`() throws {
    var run = SessionRun()
    #expect(run.ask(at: 0) == .starts)
    let refresh = try #require(run.session.refresh)
    #expect(try run.end(refresh, .success(grant("new")), at: 1) == .renewed("new"))
    #expect(run.end(refresh, .failure(expired), at: 1) == .ignored)
    #expect(run.ask(at: 1) == .served("new"))
  }

  // MARK: Attempts

  @Test func `a passing failure is tried three times, with growing waits, and then it is the answer`() throws {
    var run = SessionRun()
    #expect(run.ask(at: 0) == .starts)
    #expect(try run.end(.failure(passing()), at: 0) == .retries(attempt: 2, after: .milliseconds(250)))
    #expect(run.ask(at: 0.1) == .waits)
    let second = try #require(run.session.refresh)
    #expect(second.isWaiting)
    #expect(run.session.startRetry(second)?.isWaiting == false)
    // The same timer finds nothing to do the second time.
    #expect(run.session.startRetry(second) == nil)
    #expect(try run.end(.failure(passing()), at: 1, jitter: 0.5) == .retries(attempt: 3, after: .milliseconds(1500)))
    #expect(run.session.startRetry(try #require(run.session.refresh))?.attempt == 3)
    #expect(try run.end(.failure(passing()), at: 3) == .failed(passing(), fallback: nil))
    #expect(run.session.refresh == nil)
    #expect(run.session.state(now: at(3)) == .offline)
    // The next caller tries again from the start.
    #expect(run.ask(at: 4) == .starts)
    #expect(run.session.refresh?.attempt == 1)
  }

  @Test func `a refresh token that was spent well is not spent anew because the keys cannot be had`() throws {
    var run = SessionRun()
    #expect(run.ask(at: 0) == .starts)
    var error = OAuthError(.connectionLost, .host("as.example"))
    error.isResponseLost = true
    error.followsSuccess = true
    let failure = SessionError.oauth(error)
    #expect(failure.isTemporary && !failure.wasNeverSent)
    #expect(try run.end(.failure(failure), at: 1) == .failed(failure, fallback: nil))
  }

  @Test func `no refresh token is spent before the keys that one was spent for can be fetched again`() throws {
    func late(_ seconds: Int) -> SessionError {
      var error = OAuthError(.keyNotPublished, .server)
      error.followsSuccess = true
      error.retryAfterSeconds = seconds
      return .oauth(error)
    }
    var run = SessionRun()
    #expect(run.ask(at: 0) == .starts)
    #expect(try run.end(.failure(late(60)), at: 1) == .failed(late(60), fallback: nil))
    #expect(run.ask(at: 2) == .fails(late(59)))
    #expect(run.ask(TokenNeed(forceRefresh: true), at: 60.5) == .fails(late(1)))
    #expect(run.ask(at: 61) == .starts)
  }

  @Test func `a success after failures is a success like any other`() throws {
    var run = SessionRun()
    #expect(run.ask(at: 0) == .starts)
    #expect(try run.end(.failure(passing()), at: 0) == .retries(attempt: 2, after: .milliseconds(250)))
    _ = run.session.startRetry(try #require(run.session.refresh))
    #expect(try run.end(.success(grant("new")), at: 1) == .renewed("new"))
    #expect(run.session.lastFailure == nil)
    #expect(run.session.state(now: at(1)) == .active)
  }

  // RFC 9110 section 10.2.3.
  @Test func `a server that names a time is left alone until then`() throws {
    let error = passing(retryAfter: 120)
    var run = SessionRun()
    #expect(run.ask(at: 0) == .starts)
    #expect(try run.end(.failure(error), at: 1) == .failed(error, fallback: nil))
    #expect(run.ask(at: 20.5) == .fails(passing(retryAfter: 101)))
    #expect(run.ask(TokenNeed(forceRefresh: true), at: 120.9) == .fails(passing(retryAfter: 1)))
    #expect(run.ask(at: 121) == .starts)
  }

  @Test func `until the named time a token that is still alive is served`() throws {
    var run = try SessionRun.active(grant("old", lifetime: 300))
    #expect(run.ask(at: 280) == .starts)
    #expect(
      try run.end(.failure(passing(retryAfter: 15)), at: 280) == .failed(passing(retryAfter: 15), fallback: "old"))
    #expect(run.ask(at: 294) == .served("old"))
    #expect(run.ask(TokenNeed(minimumValiditySeconds: 60), at: 294) == .fails(passing(retryAfter: 1)))
  }

  // RFC 6749 section 6 lets a server rotate, and a replay of the old token may end the entire grant.
  @Test func `a refresh token whose answer was lost is sent once more, and soon`() throws {
    let lost = passing(isResponseLost: true)
    var run = SessionRun()
    #expect(run.ask(at: 0) == .starts)
    #expect(try run.end(.failure(lost), at: 29) == .retries(attempt: 2, after: .milliseconds(250)))
    _ = run.session.startRetry(try #require(run.session.refresh))
    #expect(try run.end(.failure(lost), at: 29.5) == .failed(lost, fallback: nil))

    run = SessionRun()
    #expect(run.ask(at: 0) == .starts)
    #expect(try run.end(.failure(lost), at: 30.5) == .failed(lost, fallback: nil))
  }

  // MARK: The state after a failure

  // RFC 6749 section 5.2.
  @Test func `the end of the grant drops the token and is not tried again`() throws {
    var run = try SessionRun.active(grant("old"))
    #expect(run.ask(TokenNeed(forceRefresh: true), at: 1) == .starts)
    #expect(try run.end(.failure(expired), at: 1) == .failed(expired, fallback: nil))
    #expect(run.session.grant == nil)
    #expect(run.session.state(now: at(1)) == .expired)
    // The vault is read again: another process may have signed in.
    #expect(run.ask(at: 2) == .starts)
  }

  @Test(arguments: [
    SessionError.expired(account: "work"), .signedOut(account: "work"), .noAccount(name: "work"),
    .configurationChanged(account: "work", setting: "issuer"), .identityChanged(account: "work"),
    .endpointMoved(account: "work", origin: "https://evil.example"),
  ])
  func `a failure that ends trust drops the token`(error: SessionError) throws {
    var run = try SessionRun.active(grant("old"))
    #expect(try run.fail(with: error, at: 1) == .failed(error, fallback: nil))
    #expect(run.session.grant == nil)
  }

  @Test func `a passing failure keeps the token for those who can live with it`() throws {
    var run = try SessionRun.active(grant("old", lifetime: 300))
    #expect(run.ask(at: 275) == .starts)
    for _ in 1...2 {
      _ = try run.end(.failure(passing()), at: 276)
      _ = run.session.startRetry(try #require(run.session.refresh))
    }
    #expect(try run.end(.failure(passing()), at: 280) == .failed(passing(), fallback: "old"))
    #expect(run.session.fallback(for: TokenNeed(), now: at(280))?.accessToken.text == "old")
    #expect(run.session.fallback(for: TokenNeed(minimumValiditySeconds: 60), now: at(280)) == nil)
    #expect(run.session.fallback(for: TokenNeed(forceRefresh: true), now: at(280)) == nil)
    #expect(run.session.fallback(for: TokenNeed(), now: at(300)) == nil)
    #expect(run.session.state(now: at(280)) == .offline)
  }

  @Test func `just after a passing failure nobody waits for another one`() throws {
    var run = try SessionRun.active(grant("old", lifetime: 300))
    #expect(try run.fail(with: passing(), at: 280) == .failed(passing(), fallback: "old"))
    #expect(run.ask(at: 289.9) == .served("old"))
    #expect(run.session.refresh == nil)
    // A caller that needs a longer lifetime gets an attempt.
    #expect(run.ask(TokenNeed(minimumValiditySeconds: 60), at: 289.9) == .starts)
    #expect(try run.fail(with: passing(), at: 280) == .failed(passing(), fallback: "old"))
    #expect(run.ask(at: 290) == .starts)
  }

  @Test func `a lasting failure is told even while the token is alive`() throws {
    var run = try SessionRun.active(grant("old", lifetime: 300))
    #expect(run.ask(at: 275) == .starts)
    #expect(try run.end(.failure(lasting), at: 276) == .failed(lasting, fallback: nil))
    #expect(run.session.lastFailure == lasting)
    #expect(run.ask(at: 277) == .starts)
  }

  @Test func `a refusal outside the protocol is not repeated, leaves the token, and after an hour wants the person`()
    throws
  {
    let blocked = SessionError.oauth(OAuthError(.refreshBlocked, .endpoint(.token), httpStatus: 403))
    var run = try SessionRun.active(grant("old", lifetime: 300))
    #expect(run.ask(at: 290) == .starts)
    #expect(try run.end(.failure(blocked), at: 291) == .failed(blocked, fallback: "old"))
    #expect(run.session.state(now: at(292)) == .offline)
    #expect(run.ask(at: 3900) == .starts)
    guard case .failed(let lasting, nil) = try run.end(.failure(blocked), at: 3901) else {
      throw try #require(blocked as (any Error)?)
    }
    #expect(lasting.needsSignIn && run.session.state(now: at(3902)) == .expired)
  }

  // Only the issuer ends a session: the grant remains, and the user must act.
  @Test(arguments: [OAuthError.Code.interactionRequired, .refreshRefused])
  func `a server that wants the person leaves the token, and rests until a caller asks again or signs in`(
    code: OAuthError.Code
  ) throws {
    let wanted = SessionError.oauth(OAuthError(code, .endpoint(.token), httpStatus: 400))
    var run = try SessionRun.active(grant("old", lifetime: 3600), policy: .background)
    #expect(try run.fail(with: wanted, at: 10) == .failed(wanted, fallback: nil))
    #expect(run.session.state(now: at(11)) == .expired)
    #expect(run.session.lastFailure == wanted)
    #expect(run.session.renewalDue == nil)
    #expect(run.ask(at: 11) == .served("old"))
    // A caller that needs a longer lifetime gets the reason, and an attempt after the back-off.
    #expect(run.ask(TokenNeed(minimumValiditySeconds: 3595), at: 19.9) == .fails(wanted))
    #expect(run.ask(TokenNeed(minimumValiditySeconds: 3595), at: 20) == .starts)
    #expect(try run.end(.success(grant("new")), at: 21) == .renewed("new"))
    #expect(run.session.state(now: at(21)) == .active)
    #expect(run.session.renewalDue != nil)
  }

  @Test(arguments: [
    SessionError.identityChanged(account: "work", claim: "sub"), .identityUnverified(account: "work"),
  ])
  func `a doubt about the user hands out nothing, and is looked at again after the back-off`(doubt: SessionError) throws
  {
    var run = try SessionRun.active(grant("old"))
    #expect(try run.fail(with: doubt, at: 10) == .failed(doubt, fallback: nil))
    #expect(run.ask(at: 19.9) == .fails(doubt))
    #expect(run.ask(at: 20) == .starts)
    // Without a request only if there must always be a token.
    #expect(run.session.renewalDue == nil)
    run = try SessionRun.active(grant("old"), policy: .background)
    _ = try run.fail(with: doubt, at: 10)
    #expect(run.session.renewalDue == at(70))
  }

  // The token is sent again at the next request after the back-off, never within the same call.
  @Test func `a success of which nothing can be used is not asked for again at once`() throws {
    var error = OAuthError(.serverUnavailable, .endpoint(.token), httpStatus: 200)
    error.isResponseUnusable = true
    let useless = SessionError.oauth(error)
    var run = SessionRun()
    #expect(run.ask(at: 0) == .starts)
    #expect(try run.end(.failure(useless), at: 1) == .failed(useless, fallback: nil))
    guard case .fails(.oauth(let told)) = run.ask(at: 2) else {
      Issue.record("it is asked for again")
      return
    }
    #expect(told.code == .serverUnavailable && told.retryAfterSeconds == 9)
    #expect(run.ask(at: 11) == .starts)
  }

  @Test func `new settings do not inherit an old server's failure`() throws {
    var run = SessionRun()
    #expect(try run.fail(with: passing(retryAfter: 300), at: 0) == .failed(passing(retryAfter: 300), fallback: nil))
    run.session.forgetToken()
    #expect(run.session.lastFailure == nil)
    #expect(run.ask(at: 1) == .starts)
  }
}
