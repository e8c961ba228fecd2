import Platform
import Sessions
import Testing
import Vocabulary

@Suite struct `The state of a session` {
  struct Row: CustomTestStringConvertible {
    var testDescription: String
    var state: SessionState
    /// Seconds on the clock when the state is read.
    var second = 10.0
    var steps: @Sendable (inout SessionRun) throws -> Void

    init(
      _ description: String, _ state: SessionState, at second: Double = 10,
      _ steps: @escaping @Sendable (inout SessionRun) throws -> Void
    ) {
      testDescription = description
      self.state = state
      self.second = second
      self.steps = steps
    }
  }

  static let signIn: @Sendable (inout SessionRun) throws -> Void = { run in
    run.session.applySignIn(try grant("at", lifetime: 300), wallSeconds: 0, jitter: 0)
  }

  static let table: [Row] = [
    Row("nothing known", .stale) { _ in },
    Row("no record in the vault", .signedOut) {
      $0.session.applyRecord(isGranted: false, ending: nil, refreshedAt: nil)
    },
    Row("a grant in the vault", .stale) { $0.session.applyRecord(isGranted: true, ending: nil, refreshedAt: 7) },
    Row("an ended grant in the vault", .expired) {
      $0.session.applyRecord(isGranted: false, ending: .expired(account: "work"), refreshedAt: 7)
    },
    Row("a token that was not kept", .notKept) {
      $0.session.applyRecord(isGranted: false, ending: .notKept(account: "work"), refreshedAt: 7)
    },
    Row("sign-in begun", .signingIn) { $0.session.markSignInStarted() },
    Row("sign-in given up", .stale) {
      $0.session.markSignInStarted()
      $0.session.markSignInEnded()
    },
    Row("signed in", .active) {
      $0.session.markSignInStarted()
      try signIn(&$0)
    },
    Row("signed in, near the end", .stale, at: 271, signIn),
    Row("signed in, past the end", .stale, at: 300, signIn),
    Row("signing in anew", .signingIn) {
      try signIn(&$0)
      $0.session.markSignInStarted()
    },
    Row("refreshing", .refreshing) {
      try signIn(&$0)
      _ = $0.ask(TokenNeed(forceRefresh: true), at: 1)
    },
    Row("between two attempts", .refreshing) {
      _ = $0.ask(at: 1)
      _ = try $0.end(.failure(passing()), at: 1)
    },
    Row("refreshed", .active) {
      _ = $0.ask(at: 1)
      _ = try $0.end(.success(grant("at", lifetime: 300, issuedAt: 1)), at: 2)
    },
    Row("refresh failed in a passing way", .offline) {
      try signIn(&$0)
      _ = try $0.fail(with: passing(), at: 1)
    },
    Row("online again", .active) {
      _ = try $0.fail(with: passing(), at: 1)
      _ = $0.ask(at: 2)
      _ = try $0.end(.success(grant("at", lifetime: 300, issuedAt: 2)), at: 3)
    },
    Row("the server ended the grant", .expired) {
      try signIn(&$0)
      _ = try $0.fail(with: .expired(account: "work"), at: 1)
    },
    Row("another process signed out", .signedOut) {
      try signIn(&$0)
      _ = try $0.fail(with: .signedOut(account: "work"), at: 1)
    },
    Row("a lasting failure, token alive", .active) {
      try signIn(&$0)
      _ = try $0.fail(with: lasting, at: 1)
    },
    Row("signed out", .signedOut) {
      try signIn(&$0)
      $0.session.applySignOut()
    },
    Row("signed in after the end", .active) {
      _ = try $0.fail(with: .expired(account: "work"), at: 1)
      try signIn(&$0)
    },
    Row("settings changed", .stale) {
      try signIn(&$0)
      $0.session.forgetToken()
    },
    Row("sign-out that failed", .stale) {
      try signIn(&$0)
      $0.session.applySignOut()
      $0.session.forgetToken()
    },
    Row("of unknown lifetime", .active, at: 1_000_000) {
      $0.session.applySignIn(try grant("at", lifetime: nil), wallSeconds: 0, jitter: 0)
    },
  ]

  @Test(arguments: table) func `follows from what happened`(_ row: Row) throws {
    var run = SessionRun()
    try row.steps(&run)
    #expect(run.session.state(now: at(row.second)) == row.state)
  }

  @Test func `what the vault says does not undo what is known from its use`() throws {
    var run = try SessionRun.active(grant("at"))
    run.session.applyRecord(isGranted: false, ending: .expired(account: "work"), refreshedAt: 7)
    #expect(run.session.state(now: at(1)) == .active)
    #expect(run.session.refreshedAt == 0)
  }

  @Test func `a token is given out while the person signs in anew`() throws {
    var run = try SessionRun.active(grant("old"))
    run.session.markSignInStarted()
    #expect(run.ask(at: 1) == .served("old"))
  }

  @Test func `the time of the last refresh is the wall clock's`() throws {
    var run = SessionRun()
    #expect(run.session.refreshedAt == nil)
    _ = run.ask(at: 5)
    _ = try run.end(.success(grant("at", issuedAt: 5)), at: 7)
    #expect(run.session.refreshedAt == 7)
    run.session.applySignOut()
    #expect(run.session.refreshedAt == nil)
  }
}
