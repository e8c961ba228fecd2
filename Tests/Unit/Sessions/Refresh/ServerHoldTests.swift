import OAuth
import Platform
import Sessions
import Testing
import Vocabulary

@Suite struct `A server in trouble` {
  private static let server = "https://as.example"

  private func failure(_ status: Int, _ code: OAuthError.Code, retryAfter: Int? = nil) -> SessionError {
    var error = OAuthError(code, .endpoint(.token), httpStatus: status)
    error.retryAfterSeconds = retryAfter
    return .oauth(error)
  }

  // RFC 9110 section 10.2.3, RFC 6585 section 4.
  @Test(arguments: [429, 503]) func `is left alone for the time that it names`(status: Int) {
    var pauses = ServerPauses()
    let code = status == 429 ? OAuthError.Code.rateLimited : .serverUnavailable
    pauses.recordFailure(failure(status, code, retryAfter: 60), of: Self.server, now: at(0), jitter: 0)
    #expect(pauses.pause(of: Self.server, now: at(59.9))?.until == at(60))
    #expect(pauses.pause(of: Self.server, now: at(60)) == nil)
    #expect(pauses.pause(of: "https://other.example", now: at(1)) == nil)
  }

  @Test func `that names no time is left alone for longer and longer, half to all of a step`() {
    var pauses = ServerPauses()
    var now = 0.0
    for step in [5.0, 10, 20, 40, 80, 160, 300, 300] {
      pauses.recordFailure(failure(503, .serverUnavailable), of: Self.server, now: at(now), jitter: 0)
      #expect(pauses.pause(of: Self.server, now: at(now))?.until == at(now + step / 2))
      now += step / 2
    }
    pauses.recordSuccess(at: Self.server)
    pauses.recordFailure(failure(429, .rateLimited), of: Self.server, now: at(now), jitter: 1)
    #expect(pauses.pause(of: Self.server, now: at(now))?.until == at(now + 5))
  }

  @Test func `is judged once by requests that were on their way together`() {
    var pauses = ServerPauses()
    for moment in [0.0, 0.1, 0.2, 0.3] {
      pauses.recordFailure(failure(503, .serverUnavailable), of: Self.server, now: at(moment), jitter: 1)
    }
    #expect(pauses.pause(of: Self.server, now: at(1))?.until == at(5.3))
  }

  @Test(arguments: [
    unreachable, lasting, .expired(account: "work"),
    .oauth(OAuthError(.serverUnavailable, .endpoint(.token), httpStatus: 500)),
    .oauth(OAuthError(.serverUnavailable, .endpoint(.keys), httpStatus: 503)),
    .oauth(OAuthError(.rateLimited, .endpoint(.metadata), httpStatus: 429)),
  ]) func `is another matter than one that fails a single request`(error: SessionError) {
    var pauses = ServerPauses()
    pauses.recordFailure(error, of: Self.server, now: at(0), jitter: 1)
    #expect(pauses.pause(of: Self.server, now: at(0)) == nil)
  }

  @Test func `keeps callers of other accounts from asking, and tells them the time`() throws {
    var pauses = ServerPauses()
    pauses.recordFailure(failure(429, .rateLimited, retryAfter: 90), of: Self.server, now: at(0), jitter: 0)
    let pause = pauses.pause(of: Self.server, now: at(30))
    var other = SessionRun()
    #expect(other.ask(at: 30, pause: pause) == .fails(failure(429, .rateLimited, retryAfter: 60)))
    #expect(
      other.ask(TokenNeed(forceRefresh: true), at: 30, pause: pause)
        == .fails(failure(429, .rateLimited, retryAfter: 60))
    )
    #expect(other.session.refresh == nil)
    // A live token is served, and one with enough time left needs no request.
    var active = try SessionRun.active(grant("at", lifetime: 100))
    #expect(active.ask(at: 30, pause: pause) == .served("at"))
    #expect(active.ask(at: 95, pause: pauses.pause(of: Self.server, now: at(89))) == .starts)
    active = try SessionRun.active(grant("at", lifetime: 85))
    #expect(active.ask(at: 80, pause: pause) == .served("at"))
  }

  @Test func `that named no time is asked by who insists`() throws {
    var pauses = ServerPauses()
    pauses.recordFailure(failure(503, .serverUnavailable), of: Self.server, now: at(0), jitter: 1)
    let pause = pauses.pause(of: Self.server, now: at(1))
    var run = SessionRun()
    #expect(run.ask(at: 1, pause: pause) == .fails(failure(503, .serverUnavailable, retryAfter: 4)))
    #expect(run.ask(TokenNeed(forceRefresh: true), at: 1, pause: pause) == .starts)
  }

  @Test func `that named no time is left alone by who only wants a newer token`() throws {
    var pauses = ServerPauses()
    pauses.recordFailure(failure(503, .serverUnavailable), of: Self.server, now: at(0), jitter: 1)
    var run = try SessionRun.active(grant("at"))
    let need = TokenNeed(newerThan: run.session.generation)
    let pause = pauses.pause(of: Self.server, now: at(1))
    #expect(run.ask(need, at: 1, pause: pause) == .fails(failure(503, .serverUnavailable, retryAfter: 4)))
    #expect(run.ask(need, at: 5, pause: pause) == .starts)
  }

  @Test func `is forgotten when there are very many`() {
    var pauses = ServerPauses()
    for number in 0..<1000 {
      pauses.recordFailure(
        failure(503, .serverUnavailable, retryAfter: 300), of: "https://\(number).example",
        now: at(Double(number) / 100),
        jitter: 0)
    }
    let kept = (0..<1000).filter { pauses.pause(of: "https://\($0).example", now: at(10)) != nil }
    #expect(kept == Array(744..<1000))
  }
}
