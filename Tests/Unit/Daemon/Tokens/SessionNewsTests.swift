import Crypto
import Encoding
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `News of a session` {
  private static let unreachable = SessionError.oauth(OAuthError(.network, .host("as.example")))

  /// The macro cannot call mutating functions.
  private func expect(
    _ told: [SessionEvent], _ expected: [SessionEvent], _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(told == expected, sourceLocation: location)
  }

  @Test func `tell once that it is over`() {
    var state = PublishedState()
    expect(state.recordSignOut(.user), [.signedOut(.user)])
    expect(state.recordSignOut(.removed), [])
    expect(state.recordFailure(.expired(account: "work")), [])
  }

  @Test func `tell of an account that nobody signed in to nothing but what the server says`() {
    for error in [SessionError.signedOut(account: "work"), .configurationChanged(account: "work", setting: "issuer")] {
      var state = PublishedState()
      expect(state.recordFailure(error), [])
    }
    var state = PublishedState()
    expect(
      state.recordFailure(.expired(account: "work", reason: "AADSTS700082")),
      [.signedOut(.expired, reason: "AADSTS700082")])
  }

  @Test func `tell once that nobody can be reached`() {
    var state = PublishedState()
    expect(state.recordFailure(Self.unreachable), [.offline(.init(.network, at: "as.example"))])
    expect(state.recordFailure(Self.unreachable), [])
  }

  @Test func `tell each failure once`() {
    var state = PublishedState()
    expect(state.recordFailure(.cancelled), [])
    expect(state.recordFailure(.memory), [.refreshFailed(.init(Failure(.memory, account: nil).code))])
    expect(state.recordFailure(.memory), [])
  }

  private static func grant() throws -> AccessGrant {
    AccessGrant(
      accessToken: SharedSecret(try SecretBytes(copying: [0x61].span)), tokenType: "Bearer", scope: nil, subject: nil,
      issuedAt: Instant(nanoseconds: 0), issuedAtUnixSeconds: 0, lifetimeSeconds: 60, recordGeneration: 1)
  }

  @Test func `tell no failure after the end of the session, and none of a lock, which tells itself`() {
    var state = PublishedState()
    expect(state.recordFailure(.vault(VaultError(.locked(.passphrase)))), [])
    expect(state.recordSignOut(.user), [.signedOut(.user)])
    expect(state.recordFailure(.memory), [])
  }

  @Test func `tell of a new session after a token that only a sign-in could renew`() throws {
    let grant = try Self.grant()
    for isRenewable in [true, false] {
      var state = PublishedState()
      expect(state.recordSignIn(grant), [.signedIn(expiresAt: 60)])
      expect(state.recordExpiry(at: 60, isRenewable: isRenewable), [.expired(at: 60, isRenewable: isRenewable)])
      expect(state.recordRenewal(grant), [isRenewable ? .refreshed(expiresAt: 60) : .signedIn(expiresAt: 60)])
    }
  }

  @Test func `of all accounts end up in a list of their own, the last 200`() throws {
    let log = EventLog(time: ManualTime())
    let (work, home) = (try AccountName("work"), try AccountName("home"))
    for _ in 0..<150 { log.publish(.online, work) }
    for _ in 0..<70 { log.publish(.online, home) }
    log.publish(.locked)
    #expect(log.json["events"]?.array == [])
    #expect(log.sessionJSON(of: nil)["events"]?.array?.count == 200)
    #expect(log.sessionJSON(of: nil)["dropped"] == 21)
    #expect(log.sessionJSON(of: home)["events"]?.array?.count == 71)
  }

  @Test func `are followed by so many and no more`() throws {
    var followers = Followers()
    let work = try AccountName("work")
    for serial in 0..<UInt64(Followers.maximumCount) {
      let isTaken = followers.add(Ticket(connection: 1, serial: serial), .sessions(of: nil))
      #expect(isTaken)
    }
    let another = Ticket(connection: 2, serial: 0)
    let isTooMuch = !followers.add(another, .sessions(of: work))
    followers.remove(Ticket(connection: 1, serial: 3))
    let isTaken = followers.add(another, .sessions(of: work))
    #expect(isTooMuch && isTaken)
    func isTold(_ account: String) -> Bool {
      followers.tickets(for: SessionEntry(time: 0, account: account, event: .online)).contains(another)
    }
    #expect(isTold("work") && !isTold("home"))
    followers.rename(work, to: try AccountName("home"))
    #expect(!isTold("work") && isTold("home"))
    let all = followers.removeAll()
    #expect(all.count == Followers.maximumCount && followers.count == 0)
  }
}
