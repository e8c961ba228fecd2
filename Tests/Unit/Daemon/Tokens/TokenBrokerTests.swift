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
import WireSupport

@testable import Daemon

@Suite struct `The token broker` {
  private let home: BrokerHome

  init() throws { home = try BrokerHome() }

  @Test func `gets one token for all who ask while none is there`() throws {
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    for ticket in 1...3 { try home.ask(ticket) }
    #expect(home.sink.lines.isEmpty)
    home.runJobs()
    #expect(home.sink.lines.keys.sorted() == [1, 2, 3])
    #expect(home.sink.lines.values.allSatisfy { $0.contains("at-1") })
    #expect(home.http.sent == ["rt-1"])
    #expect(try home.storedToken() == "rt-2")
  }

  private func ask(_ number: Int, _ extras: TokenRequest.Extras, minimum: Int? = nil) throws -> JSON? {
    try home.broker.sendToken(
      TokenRequest(account: "work", minimumValiditySeconds: minimum, extras: extras), .number(number))
    home.runJobs()
    return try home.sink.lines[number].flatMap { try JSON(parsing: Array($0.utf8))["result"] }
  }

  @Test(arguments: [-600, 0, 59])
  func `renews an ID Token that ends once for each access token, and leaves out what has expired`(left: Int) throws {
    let account = try home.broker.resolve("work")
    try home.daemon.put(idTokenFor: left, issuedBefore: 700, account)
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    // A request without an ID Token causes no refresh.
    #expect(try ask(1, .init())?["access_token"] == "at-0")
    for number in 2...3 {
      let answer = try ask(number, .init(wantsIDToken: true))
      #expect(answer?["access_token"] == "at-1")
      // The server returned no new ID Token, so the response has none once it has expired.
      #expect((answer?["id_token"] == nil) == (left <= 0))
      #expect(answer?["id_token_expired"] == (left <= 0 ? true : nil))
      #expect(home.http.sent == ["rt-1"])
    }
  }

  @Test func `hands out an ID Token that has time left without a refresh`() throws {
    try home.daemon.put(idTokenFor: 60, issuedBefore: 700, home.broker.resolve("work"))
    #expect(try ask(1, .init(wantsIDToken: true))?["id_token"] != nil)
    #expect(home.http.sent.isEmpty)
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    #expect(try ask(2, .init(wantsIDToken: true), minimum: 300)?["access_token"] == "at-1")
  }

  @Test func `fails for an ID Token that is asked for by name where the server is not reached`() throws {
    try home.daemon.put(idTokenFor: -1, issuedBefore: 700, home.broker.resolve("work"))
    #expect(try ask(1, .init(wantsIDToken: true)) == nil)
    for _ in 0..<3 { home.daemon.pass(seconds: 5) }
    #expect(home.sink.failures[1]?.code == .network)
  }

  @Test func `says how to begin where there is no account`() throws {
    let empty = try DaemonHome()
    let broker = TokenBroker(empty.context, lock: PlayedLock())
    func hint() -> String? {
      empty.context.files.poll()
      do throws(Failure) { _ = try broker.resolve(nil) } catch { return error.hint }
      return nil
    }
    #expect(hint()?.contains("agent login") == true)
    try empty.add("work")
    #expect(hint() == nil)
  }

  @Test func `serves a token that is there at once, and asks no server`() throws {
    let home = try BrokerHome(isWatched: true)
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    try home.ask(1)
    home.runJobs()
    // Nor does a worker read the vault, which was last written here.
    for ticket in 2...3 { try home.ask(ticket) }
    for number in 2...3 { #expect(home.sink.lines[number]?.contains("at-1") == true) }
    #expect(home.http.sent.count == 1)
  }

  // The loop never blocks.
  @Test func `has a worker look at a record that another process may have written, for all who ask meanwhile`() throws {
    home.http.answers = [.tokens("at-1", refresh: "rt-2"), .tokens("at-2", refresh: "rt-3")]
    try home.ask(1)
    home.runJobs()
    try home.daemon.addSignedIn("other", isElsewhere: true)
    for number in 2...4 { try home.ask(number) }
    home.broker.abandon(.number(3))
    #expect(home.sink.lines.keys.sorted() == [1])
    home.runJobs()
    #expect(home.sink.lines.keys.sorted() == [1, 2, 4])
    #expect(home.sink.lines.values.allSatisfy { $0.contains("at-1") })
    // Signed in again elsewhere: the token of the previous record is not served.
    try home.daemon.addSignedIn("work", isElsewhere: true)
    try home.ask(5)
    home.runJobs()
    #expect(home.sink.lines[5]?.contains("at-2") == true)
    #expect(home.http.sent == ["rt-1", "rt-1"])
  }

  // Such a write may have changed the key slots.
  @Test func `tells the lock once of each write of the vault file that it had not seen`() throws {
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    for number in 1...3 {
      try home.ask(number)
      home.runJobs()
    }
    #expect(home.lock.vaultChanges == 1, "the write of the refresh")
    try home.daemon.addSignedIn("other")
    for number in 4...5 {
      try home.ask(number)
      home.runJobs()
    }
    #expect(home.lock.vaultChanges == 2)
  }

  @Test func `answers once whom a look at the vault keeps waiting`() throws {
    home.http.answers = [.tokens("at-1", refresh: "rt-2"), .tokens("at-2", refresh: "rt-3")]
    try home.ask(1)
    home.runJobs()
    var answers = 0
    let waiter = Waiter(ticket: .number(2), need: TokenNeed()) { _, _ in answers += 1 }
    home.broker.obtain(for: waiter, try home.broker.resolve("work"))
    #expect(answers == 0)
    home.runJobs()
    try home.ask(3, forceRefresh: true)
    home.runJobs()
    #expect(answers == 1 && home.sink.lines[3]?.contains("at-2") == true)
  }

  @Test func `answers those whose token is held against the vault when their account ends`() throws {
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    try home.ask(1)
    home.runJobs()
    try home.daemon.addSignedIn("other", isElsewhere: true)
    try home.ask(2)
    home.broker.removeDeletedAccount(try AccountName("work"))
    #expect(home.sink.failures[2]?.code == .noAccount)
    home.runJobs()
    #expect(home.sink.lines.keys.sorted() == [1])
  }

  // Fair shares.
  @Test func `leaves places to those who wait for other servers, and needs none for a token that is there`() throws {
    try home.daemon.addSignedIn("same")
    try home.daemon.add("other", at: "https://other.example")
    home.http.answers = (1...3).map { .tokens("at-\($0)", refresh: "rt-\($0 + 1)") }
    try home.ask(1, of: "same")
    home.runJobs()
    home.sink.maximumPerServer = 2
    home.http.isHeld = true
    for number in 2...3 { try home.ask(number, forceRefresh: true) }
    try home.ask(4, forceRefresh: true, of: "same")
    let refused = home.sink.failures[4]
    #expect(refused?.code == .tooBusy && refused?.message == "too many requests (2) are already waiting for servers")
    try home.ask(5, of: "same")
    try home.daemon.runJobs(until: { home.sink.lines[5] != nil || home.sink.failures[5] != nil })
    #expect(home.sink.lines[5]?.contains("at-1") == true)
    try home.ask(6, of: "other")
    home.broker.abandon(.number(2))
    try home.ask(7, forceRefresh: true, of: "same")
    home.http.isHeld = false
    home.runJobs()
    // Either of the two accounts may be answered first.
    #expect(home.sink.lines[3]?.contains("at-") == true && home.sink.lines[7]?.contains("at-") == true)
  }

  @Test func `answers nobody whose connection was closed, and keeps the token for the others`() throws {
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    try home.ask(1)
    try home.ask(2)
    home.broker.abandon(.number(1))
    home.runJobs()
    #expect(home.sink.lines.keys.sorted() == [2])
  }

  @Test func `tries a passing failure again when the time that it set has come, and not before`() throws {
    home.http.answers = [.status(503), .tokens("at-1", refresh: "rt-2")]
    try home.ask(1)
    home.runJobs()
    #expect(home.sink.lines.isEmpty && home.sink.failures.isEmpty)
    #expect(try #require(home.sink.nextDue) > home.time.now())
    home.daemon.pass(seconds: 0)
    #expect(home.http.sent.count == 1)
    home.daemon.pass(seconds: 5)
    #expect(home.sink.lines[1]?.contains("at-1") == true)
    #expect(home.http.sent == ["rt-1", "rt-1"])
  }

  @Test func `asks again for who waits, and for nobody else`() throws {
    try home.ask(1)
    home.runJobs()
    for _ in 0..<3 { home.daemon.pass(seconds: 5) }
    let tries = home.http.sent.count
    #expect(home.sink.failures[1]?.code == .network)
    home.daemon.pass(seconds: 120)
    #expect(home.http.sent.count == tries, "nobody waits")
    try home.ask(2, waitSeconds: 600)
    home.runJobs()
    for _ in 0..<3 { home.daemon.pass(seconds: 5) }
    #expect(home.sink.failures[2] == nil && home.sink.lines[2] == nil)
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    home.daemon.pass(seconds: 300)
    #expect(home.sink.lines[2]?.contains("at-1") == true)
  }

  @Test func `asks no more for who has gone`() throws {
    try home.ask(1, waitSeconds: 600)
    home.runJobs()
    // It waits until another refresh is permitted.
    func isQueued() throws -> Bool { try home.broker.resolve("work").ownSlot.session.isQueued }
    for _ in 0..<60 where try !isQueued() { home.daemon.pass(seconds: 1) }
    #expect(try isQueued() && home.sink.failures[1] == nil)
    let tries = home.http.sent.count
    home.broker.abandon(.number(1))
    home.daemon.pass(seconds: 300)
    #expect(home.http.sent.count == tries)
    #expect(try home.broker.resolve("work").ownSlot.run == nil, "which others may need")
  }

  @Test func `listens for changes of the network where the server was not reached, and only there`() throws {
    home.http.answers = Array(repeating: .status(503), count: 8)
    try home.ask(1, waitSeconds: 600)
    home.runJobs()
    for _ in 0..<3 { home.daemon.pass(seconds: 5) }
    #expect(home.sink.failures[1] == nil && home.sink.watched.isEmpty)
    home.http.answers = []
    for _ in 0..<30 where home.sink.watched.isEmpty { home.daemon.pass(seconds: 10) }
    #expect(home.sink.failures[1] == nil && home.sink.watched.count == 1)
  }

  @Test func `tells who wants the steps that a token comes from before the server was lost, and of no other`() throws {
    home.recordSteps()
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    try home.ask(1)
    home.runJobs()
    try home.ask(2)
    home.runJobs()
    #expect(home.sink.lines[2] != nil && !home.steps.contains(.servedOffline))
    try home.ask(3, forceRefresh: true)
    home.runJobs()
    for _ in 0..<3 { home.daemon.pass(seconds: 5) }
    home.steps = []
    try home.ask(4)
    home.runJobs()
    #expect(home.sink.lines[4]?.contains("at-1") == true && home.steps.contains(.servedOffline))
  }

  @Test func `serves no token of a record that another process has replaced where the files are watched`() throws {
    let home = try BrokerHome(isWatched: true)
    home.http.answers = [.tokens("at-1", refresh: "rt-2"), .tokens("at-2", refresh: "rt-3")]
    for number in 1...2 {
      try home.ask(number)
      home.runJobs()
    }
    #expect(home.http.sent == ["rt-1"])
    try home.daemon.addSignedIn("work", isElsewhere: true)
    try home.ask(3)
    home.runJobs()
    #expect(home.sink.lines[3]?.contains("at-2") == true)
  }

  // Store first.
  @Test func `goes on with the new refresh token after an answer of which nothing else can be used`() throws {
    home.http.answers = [.json(["token_type": "mac", "refresh_token": "rt-2"]), .tokens("at-2", refresh: "rt-3")]
    try home.ask(1)
    home.runJobs()
    #expect(home.sink.failures[1]?.code == .serverMisbehaved)
    #expect(try home.storedToken() == "rt-2")
    try home.ask(2)
    home.runJobs()
    #expect(home.http.sent == ["rt-1", "rt-2"])
    #expect(home.sink.lines[2]?.contains("at-2") == true)
  }

  // Only the issuer ends a session.
  @Test func `gives all who wait the reason when the server wants the person, and keeps the grant`() throws {
    home.http.answers = [.json(["error": "login_required"], 400)]
    for ticket in 1...2 { try home.ask(ticket) }
    home.runJobs()
    #expect(home.sink.failures.values.map(\.code) == [.interactionRequired, .interactionRequired])
    #expect(try home.storedToken() == "rt-1")
    // Nothing is sent until the back-off has ended.
    try home.ask(3)
    #expect(home.sink.failures[3]?.code == .interactionRequired && home.http.sent.count == 1)
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    home.time.advance(seconds: 11)
    try home.ask(4)
    home.runJobs()
    #expect(home.sink.lines[4]?.contains("at-1") == true)
  }

  @Test func `refuses what is behind a lock without a request`() throws {
    let locked = SessionError.vault(VaultError(.locked(.passphrase)))
    home.lock.refused = locked
    try home.ask(1)
    #expect(home.sink.failures[1]?.message == Failure(locked, account: "work").message)
    #expect(home.http.sent.isEmpty)
    home.lock.refused = nil
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    try home.ask(2)
    home.runJobs()
    #expect(home.lock.uses == [.device])
  }

  @Test func `lets those who wait start over when the settings of their account change`() throws {
    home.http.answers = [.tokens("at-1", refresh: "rt-2"), .tokens("at-2", refresh: "rt-3")]
    try home.ask(1)
    let account = try home.broker.resolve("work")
    var other = account.configuration
    other.scope = ["mail"]
    let changed = other
    _ = try home.daemon.settings.change { (settings) throws(ConfigurationError) in
      try settings.set(changed, for: account.name)
    }
    home.runJobs()
    #expect(home.announcements.outdated == ["work"])
    #expect(home.sink.lines.keys.sorted() == [1])
  }

  // RFC 8693.
  @Test func `trades the account's own token for one with another target where that is asked for`() throws {
    home.http.answers = [
      .tokens("at-1", refresh: "rt-2"),
      .json([
        "access_token": "at-x", "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
        "token_type": "Bearer", "expires_in": 3600,
      ]),
    ]
    var request = TokenRequest(account: "work")
    request.target = TokenRequest.Target(audience: "backend", usesTokenExchange: true)
    try home.broker.sendToken(request, .number(1))
    home.runJobs()
    #expect(home.sink.lines[1]?.contains("at-x") == true)
    #expect(home.http.sent == ["rt-1", ""])
    try home.ask(2)
    home.runJobs()
    #expect(home.sink.lines[2]?.contains("at-1") == true)
  }

  @Test func `tells who would wait for the server at once what no wait can help`() throws {
    home.http.answers = [.json(["error": "login_required"], 400)]
    try home.ask(1, waitSeconds: 600)
    home.runJobs()
    #expect(home.sink.failures[1]?.code == .interactionRequired)
  }

  @Test func `tells who wants the steps that a due refresh failed and its token serves still, and of no other`() throws
  {
    home.recordSteps()
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    try home.ask(1)
    home.runJobs()
    home.time.advance(seconds: 3550)
    for number in 2...3 {
      home.steps = []
      try home.ask(number, forceRefresh: number == 3)
      home.runJobs()
      for _ in 0..<3 { home.daemon.pass(seconds: 3) }
      #expect(home.steps.contains(.servedOffline) == (number == 2))
    }
    #expect(home.sink.lines[2]?.contains("at-1") == true)
    #expect(home.sink.lines[3] == nil && home.sink.failures[3]?.code == .network)
  }

  @Test func `tells who wants the steps why there is a refresh`() throws {
    home.recordSteps()
    home.http.answers = (1...5).map { .tokens("at-\($0)", refresh: "rt-\($0 + 1)") }
    try home.ask(1)
    home.runJobs()
    try home.ask(2, forceRefresh: true)
    home.runJobs()
    let account = try home.broker.resolve("work")
    for isRefused in [true, false] {
      let need = isRefused ? TokenNeed(forceRefresh: true) : TokenNeed(newerThan: account.ownSlot.session.generation)
      let waiter = Waiter(ticket: .number(3), need: need, isAfterRefusal: isRefused) { _, _ in }
      home.broker.obtain(for: waiter, account)
      home.runJobs()
    }
    home.time.advance(seconds: 3550)
    try home.ask(4)
    home.runJobs()
    let reasons = home.steps.compactMap { if case .refreshNeeded(let reason) = $0 { reason } else { nil } }
    #expect(reasons == [.noToken, .requested, .refused, .requested, .expiring(secondsLeft: 50, secondsWanted: 60)])
  }

  @Test func `asks again soon after the network changed, once for several changes, and logs what that helps`() throws {
    let account = try home.broker.resolve("work")
    home.broker.scheduleNetworkRetry()
    home.daemon.pass(seconds: 1)
    #expect(!home.daemon.logged.contains(.networkChanged), "nothing waits for the network")
    try home.ask(1, waitSeconds: 3600)
    home.runJobs()
    func isPatient() -> Bool {
      guard account.ownSlot.session.isQueued, let due = account.ownSlot.session.renewalDue else { return false }
      return due > home.time.now().advanced(by: .seconds(9))
    }
    for _ in 0..<120 where !isPatient() { home.daemon.pass(seconds: 1) }
    try #require(isPatient())
    let tries = home.http.sent.count
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    for _ in 1...3 { home.broker.scheduleNetworkRetry() }
    home.daemon.pass(seconds: 1)
    home.daemon.pass(seconds: 0)
    #expect(home.sink.lines[1]?.contains("at-1") == true && home.http.sent.count == tries + 1)
    #expect(home.daemon.logged.filter { $0 == .networkChanged }.count == 1)
  }

  @Test func `listens for no change of the network where that cannot help`() throws {
    let account = try home.broker.resolve("work")
    func fail(_ code: OAuthError.Code) {
      home.broker.scheduleRefresh(
        account.ownSlot, because: .oauth(OAuthError(code, .host("as.example"))), home.time.now())
    }
    fail(.certificateRejected)
    #expect(home.sink.watched.isEmpty)
    fail(.network)
    #expect(home.sink.watched.count == 1)
  }

  // Times are true.
  @Test func `logs that the clock was set, and asks anew where that may have ended a token`() throws {
    _ = try home.broker.resolve("work")
    let start = home.time.wallSeconds()
    let cases: [(seconds: Int, logged: [LogEvent], asked: Int)] = [
      (2, [], 0), (5, [.clockSet(seconds: 5)], 1), (1, [.clockSet(seconds: -4)], 1),
    ]
    for (seconds, logged, asked) in cases {
      let before = home.daemon.logged.count
      home.time.setWall(seconds: start + seconds)
      home.broker.checkClock()
      #expect(Array(home.daemon.logged.dropFirst(before)) == logged && home.announcements.outdated.count == asked)
    }
  }

  @Test(arguments: [true, false]) func `keeps a token when only the time of its renewal is set, and else does not`(
    isOfRenewal: Bool
  ) throws {
    home.http.answers = [.tokens("at-1", refresh: "rt-2"), .tokens("at-2", refresh: "rt-3")]
    try home.ask(1)
    home.runJobs()
    let account = try home.broker.resolve("work")
    var other = account.configuration
    if isOfRenewal { other.refresh = .offline } else { other.origins = ["https://api.example"] }
    home.broker.applySettings(other, to: account)
    #expect((account.ownSlot.session.grant != nil) == isOfRenewal)
    #expect(account.configuration == other && account.ownSlot.session.policy == other.renewal)
  }

  @Test func `renews a token in use before it ends`() throws {
    home.http.answers = [.tokens("at-1", refresh: "rt-2"), .tokens("at-2", refresh: "rt-3")]
    try home.ask(1)
    home.runJobs()
    let account = try home.broker.resolve("work")
    var other = account.configuration
    other.refresh = .proactive
    home.broker.applySettings(other, to: account)
    account.settingsRevision = home.daemon.settings.revision
    try home.ask(2)
    home.runJobs()
    #expect(home.http.sent.count == 1)
    // At the latest two and a half minutes before the expiry.
    home.daemon.pass(seconds: 3451)
    #expect(home.http.sent.count == 2)
  }

  @Test func `publishes of tokens with other targets nothing but that the session is over`() throws {
    home.http.answers = [
      .tokens("at-1", refresh: "rt-2"), .tokens("at-mail", refresh: "rt-3"), .error("invalid_scope"),
      .error("invalid_grant"),
    ]
    try home.ask(1)
    home.runJobs()
    let told = home.daemon.published
    #expect(told.map(\.name) == [.refreshed])
    for (number, scope) in [(2, "mail"), (3, "calendar"), (4, "contacts")] {
      #expect(home.daemon.published == told)
      var request = TokenRequest(account: "work")
      request.target = TokenRequest.Target(scope: [scope])
      try home.broker.sendToken(request, .number(number))
      home.runJobs()
    }
    #expect(home.sink.lines[2]?.contains("at-mail") == true)
    #expect(home.sink.failures[3] != nil && home.sink.failures[4]?.code == .sessionExpired)
    #expect(home.daemon.published.map(\.name) == [.refreshed, .signedOut])
  }

  @Test func `refuses a token for longer than any that the server gives lasts`() throws {
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    var request = TokenRequest(account: "work", minimumValiditySeconds: 3600)
    request.waitSeconds = 600
    try home.broker.sendToken(request, .number(1))
    home.runJobs()
    #expect(home.sink.failures[1]?.code == .lifetimeTooShort)
    #expect(try home.storedToken() == "rt-2")
  }

  @Test func `renews nothing once the daemon stops`() throws {
    home.http.answers = [.status(503)]
    try home.ask(1)
    home.runJobs()
    home.broker.jobs.endWaits()
    home.daemon.pass(seconds: 5)
    #expect(home.http.sent.count == 1)
  }
}

/// A broker with a signed-in account.
private final class BrokerHome {
  let announcements = RecordedAnnouncements()
  let daemon: DaemonHome
  let lock = PlayedLock()
  let broker: TokenBroker

  init(isWatched: Bool = false) throws {
    daemon = try DaemonHome(isWatched: isWatched)
    try daemon.addSignedIn("work")
    broker = TokenBroker(daemon.context, lock: lock)
    daemon.context.log.observer = announcements
  }

  /// The steps reported since ``recordSteps()``.
  var steps: [LogStep] {
    get { announcements.steps }
    set { announcements.steps = newValue }
  }

  var http: PlayedServer { daemon.http }
  var sink: RecordedReplies { daemon.sink }
  var time: ManualTime { daemon.time }

  /// Requests a token with the ticket of this number.
  func ask(
    _ number: Int, waitSeconds: Int? = nil, forceRefresh: Bool = false, of account: String = "work"
  ) throws(Failure) {
    daemon.context.files.poll()
    var request = TokenRequest(account: account, forceRefresh: forceRefresh)
    request.waitSeconds = waitSeconds
    try broker.sendToken(request, .number(number))
  }

  func runJobs() { daemon.runJobs() }

  func storedToken() throws -> String? { try daemon.storedToken("work") }

  /// Enables steps, as if a request asked for them.
  func recordSteps() { daemon.context.stepSubscribers.add(.number(9), about: nil) }
}

private final class PlayedLock: TokenLock {
  var refused: SessionError?
  private(set) var uses: [Protection] = []
  private(set) var vaultChanges = 0

  func refusalAfterIdleCheck(for account: AccountName) -> SessionError? { refused }
  func recordUse(_ level: Protection) { uses.append(level) }
  func handleVaultFileChange() { vaultChanges += 1 }
}
