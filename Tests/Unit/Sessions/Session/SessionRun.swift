import Platform
import Sessions
import Vocabulary

/// A session with shortcuts for its tests.
struct SessionRun {
  var session = Session()

  /// The result that a caller gets.
  enum Seen: Equatable {
    case served(String)
    case starts
    case waits
    case fails(SessionError)
  }

  /// The result of the end of an attempt.
  enum Ended: Equatable {
    case ignored
    case renewed(String)
    case retries(attempt: Int, after: Duration)
    case failed(SessionError, fallback: String?)
  }

  mutating func ask(_ need: TokenNeed = TokenNeed(), at seconds: Double, pause: ServerPause? = nil) -> Seen {
    switch session.request(need, account: "work", now: at(seconds), pause: pause) {
    case .serve(let grant): .served(grant.accessToken.text)
    case .wait(.some): .starts
    case .wait(nil): .waits
    case .fail(let error): .fails(error)
    }
  }

  /// Ends the attempt in flight.
  mutating func end(_ outcome: Result<AccessGrant, SessionError>, at seconds: Double, jitter: Double = 0) throws
    -> Ended
  {
    guard let refresh = session.refresh else { throw NoRefresh() }
    return end(refresh, outcome, at: seconds, jitter: jitter)
  }

  mutating func end(
    _ refresh: Session.Refresh, _ outcome: Result<AccessGrant, SessionError>, at seconds: Double, jitter: Double = 0
  ) -> Ended {
    let result = session.applyRefreshResult(
      refresh, outcome, now: at(seconds), wallSeconds: Int(seconds), jitter: jitter)
    return switch result {
    case .ignored: .ignored
    case .renewed(let grant): .renewed(grant.accessToken.text)
    case .retry(let next, let wait): .retries(attempt: next.attempt, after: wait)
    case .failed(let error):
      .failed(
        error,
        fallback: error.isTemporary ? session.fallback(for: TokenNeed(), now: at(seconds))?.accessToken.text : nil)
    }
  }

  /// A session whose token comes from a refresh.
  static func active(
    _ grant: AccessGrant, jitter: Double = 0, policy: RefreshPolicy = .proactive
  ) -> SessionRun {
    var run = SessionRun()
    run.session.policy = policy
    run.session.applySignIn(grant, wallSeconds: 0, jitter: jitter)
    return run
  }

  /// Makes the last refresh fail at the given second, permanently or after all attempts.
  mutating func fail(with error: SessionError, at seconds: Double) throws -> Ended {
    _ = ask(TokenNeed(forceRefresh: true), at: seconds)
    while true {
      let ended = try end(.failure(error), at: seconds)
      guard case .retries = ended, let waiting = session.refresh else { return ended }
      _ = session.startRetry(waiting)
    }
  }

  struct NoRefresh: Error {}
}
