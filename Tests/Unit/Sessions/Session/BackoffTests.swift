import OAuth
import Platform
import Testing

@testable import Sessions
import Vocabulary

@Suite struct `A backoff` {
  @Test func `without a failure delays and refuses nothing`() {
    var backoff = Backoff()
    #expect(backoff.renewalDue(planned: at(5), queued: nil, tokenEnd: at(9)) == at(5))
    #expect(backoff.renewalDue(planned: nil, queued: nil, tokenEnd: at(9)) == nil)
    #expect(backoff.refusal(requiresNewToken: false, now: at(0)) == nil)
    #expect(!backoff.prefersCachedToken(.offline, now: at(0)))
    backoff.notBefore = at(7)
    #expect(backoff.renewalDue(planned: at(5), queued: nil, tokenEnd: at(9)) == at(7))
  }

  @Test func `delays planned renewals for longer after each failure`() {
    var backoff = Backoff()
    for (count, wait) in [60.0, 120, 240, 480, 960, 1920, 3600, 3600].enumerated() {
      backoff.refreshFailed(lasting, now: at(100))
      #expect(backoff.failure?.count == count + 1)
      #expect(backoff.renewalDue(planned: at(5), queued: nil, tokenEnd: nil) == at(100 + wait))
    }
    #expect(backoff.renewalDue(planned: at(10_000), queued: nil, tokenEnd: nil) == at(10_000))
  }

  @Test func `retries a queued refresh that no policy plans, sooner while a caller waits`() {
    var backoff = Backoff()
    backoff.refreshFailed(unreachable, now: at(100))
    #expect(backoff.renewalDue(planned: nil, queued: .urgent, tokenEnd: nil) == at(101))
    #expect(backoff.renewalDue(planned: nil, queued: .background, tokenEnd: nil) == at(110))
    #expect(backoff.renewalDue(planned: at(500), queued: .background, tokenEnd: nil) == at(110))
    #expect(backoff.renewalDue(planned: nil, queued: nil, tokenEnd: nil) == nil)
  }

  @Test func `retries nothing before the time that the server named`() {
    var backoff = Backoff()
    backoff.refreshFailed(passing(retryAfter: 200), now: at(100))
    #expect(backoff.renewalDue(planned: at(5), queued: .urgent, tokenEnd: nil) == at(300))
    #expect(backoff.refusal(requiresNewToken: true, now: at(299)) == passing(retryAfter: 1))
    #expect(backoff.refusal(requiresNewToken: true, now: at(300)) == nil)
  }

  @Test func `retries for a waiting caller when the server allows, later if it repeats its refusal`() {
    var backoff = Backoff()
    for wait in [2.0, 2, 4, 8] {
      backoff.refreshFailed(passing(retryAfter: 2), now: at(100))
      #expect(backoff.renewalDue(planned: nil, queued: .urgent, tokenEnd: nil) == at(100 + wait))
    }
    #expect(backoff.renewalDue(planned: nil, queued: .background, tokenEnd: nil) == at(180))
    backoff = Backoff()
    backoff.refreshFailed(passing(retryAfter: nil), now: at(100))
    #expect(backoff.renewalDue(planned: nil, queued: .urgent, tokenEnd: nil) == at(110))
  }

  @Test func `sends no refresh token in doubt while there is an access token`() {
    var backoff = Backoff()
    backoff.refreshFailed(broken(), now: at(100))
    #expect(backoff.renewalDue(planned: at(5), queued: nil, tokenEnd: at(900)) == at(900))
    #expect(backoff.renewalDue(planned: at(5), queued: nil, tokenEnd: nil) == at(160))
    #expect(backoff.prefersCachedToken(.proactive, now: at(800)))
  }

  @Test func `plans nothing while only a person can help`() {
    var backoff = Backoff()
    backoff.refreshFailed(.oauth(OAuthError(.interactionRequired, .endpoint(.token))), now: at(100))
    #expect(backoff.renewalDue(planned: at(5), queued: .urgent, tokenEnd: nil) == nil)
    #expect(backoff.refusal(requiresNewToken: false, now: at(109)) == backoff.failure?.error)
    #expect(backoff.refusal(requiresNewToken: true, now: at(109)) == nil)
    #expect(backoff.refusal(requiresNewToken: false, now: at(110)) == nil)
  }

  private func blocked(_ status: Int = 403, _ code: OAuthError.Code = .refreshBlocked) -> SessionError {
    .oauth(OAuthError(code, .endpoint(.token), httpStatus: status))
  }

  // An intermediary may respond like this temporarily, but not forever.
  @Test func `asks for a sign-in once the same refusal outside the protocol has come for an hour`() {
    var backoff = Backoff()
    #expect(backoff.refreshFailed(blocked(), now: at(100)) == blocked())
    #expect(
      backoff.refusal(requiresNewToken: false, now: at(109)) != nil
        && backoff.refusal(requiresNewToken: true, now: at(109)) == nil)
    #expect(backoff.refreshFailed(blocked(), now: at(3699)) == blocked())
    // A network failure says nothing about the refusal.
    #expect(backoff.refreshFailed(unreachable, now: at(3700)) == unreachable)
    let lasting = backoff.refreshFailed(blocked(), now: at(3700))
    #expect(lasting == blocked(403, .refreshRefused) && lasting.needsSignIn && backoff.failure?.error == lasting)
    #expect(backoff.renewalDue(planned: at(5), queued: .urgent, tokenEnd: nil) == nil)
    // An HTML page is such a refusal too.
    var page = Backoff()
    page.refreshFailed(blocked(403, .notJSON), now: at(0))
    #expect(page.refreshFailed(blocked(403, .notJSON), now: at(3600)).needsSignIn)
  }

  @Test func `begins the hour anew with another answer of the server`() {
    for other in [blocked(404), passing(), lasting] {
      var backoff = Backoff()
      backoff.refreshFailed(blocked(), now: at(100))
      backoff.refreshFailed(other, now: at(200))
      #expect(backoff.refreshFailed(blocked(), now: at(3700)) == blocked())
    }
    // A page with a success status leaves the refresh token in doubt, which is a different case.
    var backoff = Backoff()
    backoff.refreshFailed(blocked(200, .notJSON), now: at(0))
    #expect(!backoff.refreshFailed(blocked(200, .notJSON), now: at(9000)).needsSignIn)
  }

  @Test func `spares callers with a token another attempt for ten seconds, or for as long as they are offline`() {
    var backoff = Backoff()
    backoff.refreshFailed(unreachable, now: at(100))
    #expect(backoff.prefersCachedToken(.proactive, now: at(109)))
    #expect(!backoff.prefersCachedToken(.proactive, now: at(110)))
    #expect(backoff.prefersCachedToken(.offline, now: at(1000)))
    backoff.refreshFailed(lasting, now: at(100))
    #expect(!backoff.prefersCachedToken(.offline, now: at(100)))
  }

  @Test func `begins anew when the network changed, but not for a server that was reached`() {
    var backoff = Backoff()
    backoff.refreshFailed(unreachable, now: at(100))
    backoff.refreshFailed(unreachable, now: at(200))
    backoff.notBefore = at(5000)
    #expect(backoff.scheduleRetry(at: at(201)) == true)
    #expect(backoff.renewalDue(planned: at(5), queued: nil, tokenEnd: nil) == at(201))
    backoff.refreshFailed(unreachable, now: at(300))
    #expect(backoff.failure?.count == 1)
    backoff.refreshFailed(passing(), now: at(400))
    #expect(backoff.scheduleRetry(at: at(401)) == false)
  }

  @Test func `keeps the failure and drops the retries behind a lock`() {
    var backoff = Backoff()
    backoff.refreshFailed(unreachable, now: at(100))
    #expect(backoff.scheduleRetry(at: at(101)) == true)
    backoff.notBefore = at(5000)
    backoff.dropRetries()
    #expect(backoff.renewalDue(planned: at(5), queued: nil, tokenEnd: nil) == at(160))
    #expect(backoff.failure?.error == unreachable)
  }

  @Test func `counts no failure for a refresh that could not start`() {
    var backoff = Backoff()
    backoff.refreshPrevented(passing(), now: at(100))
    #expect(backoff.failure?.count == 0)
    #expect(backoff.failure?.failedAt == at(100))
    backoff.refreshPrevented(unreachable, now: at(200))
    #expect(backoff.failure?.error == passing())
    #expect(backoff.failure?.failedAt == at(100))
  }
}
