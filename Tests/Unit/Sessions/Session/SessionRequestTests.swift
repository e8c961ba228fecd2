import Platform
import Sessions
import Testing
import Vocabulary

@Suite struct `A session's answer to a caller` {
  @Test func `the first caller starts a refresh, all others wait for it`() throws {
    var run = SessionRun()
    #expect(run.ask(at: 0) == .starts)
    #expect(run.ask(at: 0.1) == .waits)
    #expect(run.ask(TokenNeed(minimumValiditySeconds: 3000), at: 0.2) == .waits)
    #expect(run.ask(TokenNeed(forceRefresh: true), at: 0.3) == .waits)
    #expect(try run.end(.success(grant("new", issuedAt: 0)), at: 1) == .renewed("new"))
    #expect(run.ask(at: 1) == .served("new"))
  }

  @Test func `a good token is served while another caller's refresh is under way`() throws {
    var run = try SessionRun.active(grant("old"))
    #expect(run.ask(TokenNeed(forceRefresh: true), at: 1) == .starts)
    #expect(run.ask(at: 2) == .served("old"))
    #expect(run.ask(TokenNeed(minimumValiditySeconds: 3599), at: 2) == .waits)
  }

  struct Boundary: CustomTestStringConvertible {
    var lifetime: Int
    var minimum: Int?
    /// The last second at which the token is served.
    var lastSecond: Double
    var testDescription: String { "lifetime \(lifetime), min-valid \(minimum.map(String.init) ?? "none")" }
  }

  @Test(arguments: [
    // Without a minimum: a minute, at most a tenth of the lifetime.
    Boundary(lifetime: 3600, minimum: nil, lastSecond: 3540),
    Boundary(lifetime: 600, minimum: nil, lastSecond: 540),
    Boundary(lifetime: 300, minimum: nil, lastSecond: 270),
    Boundary(lifetime: 10, minimum: nil, lastSecond: 9),
    // A minimum applies alone, even if it is shorter than the default.
    Boundary(lifetime: 3600, minimum: 900, lastSecond: 2700),
    Boundary(lifetime: 3600, minimum: 10, lastSecond: 3590),
    Boundary(lifetime: 300, minimum: 299, lastSecond: 1),
  ])
  func `a token is served as long as enough of its lifetime is left`(_ boundary: Boundary) throws {
    let need = TokenNeed(minimumValiditySeconds: boundary.minimum)
    let token = try grant("old", lifetime: boundary.lifetime)
    var run = SessionRun.active(token)
    #expect(run.ask(need, at: boundary.lastSecond) == .served("old"))
    run = SessionRun.active(token)
    #expect(run.ask(need, at: boundary.lastSecond + 0.001) == .starts)
  }

  @Test func `a dead token is not served even to a caller who needs no rest of its life`() throws {
    let need = TokenNeed(minimumValiditySeconds: 0)
    var run = try SessionRun.active(grant("old", lifetime: 100))
    #expect(run.ask(need, at: 99.999) == .served("old"))
    #expect(run.ask(need, at: 100) == .starts)
  }

  @Test func `a lifetime of zero seconds is never served from memory`() throws {
    var run = try SessionRun.active(grant("old", lifetime: 0))
    #expect(run.ask(at: 0) == .starts)
  }

  // RFC 6749 section 5.1: `expires_in` may be missing.
  @Test
  func `a token of unknown lifetime is served until a caller wants a new one, or it to last for longer than it is old`()
    throws
  {
    var run = try SessionRun.active(grant("old", lifetime: nil))
    #expect(run.ask(at: 1_000_000) == .served("old"))
    #expect(run.ask(TokenNeed(minimumValiditySeconds: 0), at: 1_000_000) == .served("old"))
    #expect(run.ask(TokenNeed(minimumValiditySeconds: 60), at: 60) == .served("old"))
    #expect(run.ask(TokenNeed(minimumValiditySeconds: 60), at: 61) == .starts)
    var other = try SessionRun.active(grant("old", lifetime: nil))
    #expect(other.ask(TokenNeed(forceRefresh: true), at: 1) == .starts)
  }

  @Test func `a forced refresh passes over a good token`() throws {
    var run = try SessionRun.active(grant("old"))
    #expect(run.ask(TokenNeed(forceRefresh: true), at: 1) == .starts)
    #expect(try run.end(.success(grant("new", issuedAt: 1)), at: 2) == .renewed("new"))
    #expect(run.ask(at: 2) == .served("new"))
  }

  @Test func `a token newer than a known one is got, unless it is here already`() throws {
    var run = try SessionRun.active(grant("old"))
    let need = TokenNeed(newerThan: run.session.generation)
    #expect(run.ask(need, at: 1) == .starts)
    #expect(run.ask(need, at: 1.5) == .waits)
    #expect(try run.end(.success(grant("new", issuedAt: 1)), at: 2) == .renewed("new"))
    #expect(run.ask(need, at: 2) == .served("new"))
  }

  @Test func `a token newer than a known one is got once the known one is forgotten`() throws {
    var run = try SessionRun.active(grant("old"))
    let need = TokenNeed(newerThan: run.session.generation)
    run.session.forgetToken()
    #expect(run.ask(need, at: 1) == .starts)
  }

  @Test func `a minimum that no token can meet fails without a refresh each time`() throws {
    let need = TokenNeed(minimumValiditySeconds: 301)
    let tooShort = SessionRun.Seen.fails(.lifetimeTooShort(account: "work", lifetime: 300))
    var run = try SessionRun.active(grant("old", lifetime: 300))
    for second in 0..<300 { #expect(run.ask(need, at: Double(second)) == tooShort) }
    #expect(run.session.refresh == nil)
    // The server may grant a longer lifetime the next time.
    #expect(run.ask(need, at: 300) == .starts)
  }

  @Test func `a forced refresh is made whatever minimum is asked for`() throws {
    var run = try SessionRun.active(grant("old", lifetime: 300))
    #expect(run.ask(TokenNeed(minimumValiditySeconds: 301, forceRefresh: true), at: 1) == .starts)
  }

  /// The clock of a session includes suspended time, so a suspend appears as a jump.
  @Test func `after a long sleep the token is stale and is not served`() throws {
    var run = try SessionRun.active(grant("old"))
    #expect(run.ask(at: 10) == .served("old"))
    let morning = 10.0 + 8 * 3600
    #expect(run.session.state(now: at(morning)) == .stale)
    #expect(run.ask(at: morning) == .starts)
  }
}
