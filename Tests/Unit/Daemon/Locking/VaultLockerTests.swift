import Crypto
import Encoding
import WireSupport
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `A lock of the daemon` {
  private let home: LockHome

  init() throws { home = try LockHome() }

  @Test func `takes the tokens behind it from memory, and no others`() throws {
    try home.getTokens()
    home.lock(9)
    home.daemon.runJobs()
    #expect(home.grant("shut") == nil)
    #expect(home.grant("open") != nil)
    #expect(!home.isUnlocked)
    #expect(home.sink.results[9] == ["locked": ["passphrase"]])
  }

  @Test func `refuses what is behind it from the start, before the keys are gone`() throws {
    try home.getTokens()
    home.lock(9)
    #expect(home.sink.results[9] == nil)
    #expect(try home.refusal("shut") == .locked)
    #expect(try home.refusal("open") == nil)
    home.daemon.runJobs()
    #expect(try home.refusal("open") == nil)
  }

  @Test func `refuses what is behind it also when it is asked for again while it goes on`() throws {
    try home.getTokens()
    for number in 8...9 { home.lock(number) }
    #expect(try home.refusal("shut") == .locked)
    home.daemon.runJobs()
    #expect(home.told("locked") == ["shut"])
  }

  // Store first.
  @Test func `fails those who wait for a refresh, but loses no refresh token that comes from it`() throws {
    try home.getTokens()
    home.daemon.http.answers = [.tokens("at-3", refresh: "rt-4")]
    home.daemon.http.isHeld = true
    try home.ask("shut", 1, forceRefresh: true)
    home.daemon.http.awaitRequests(3)
    home.lock(9)
    #expect(home.sink.failures[1]?.code == .locked)
    home.daemon.http.isHeld = false
    home.daemon.runJobs()
    #expect(home.grant("shut") == nil)
    try home.unlock(10)
    #expect(try home.daemon.storedToken("shut") == "rt-4")
  }

  /// Locks while a refresh of the lockable account is in progress.
  private func lockDuringRefresh() throws {
    try home.getTokens()
    home.daemon.http.answers = [.tokens("at-3", refresh: "rt-4")]
    home.daemon.http.isHeld = true
    try home.ask("shut", 1, forceRefresh: true)
    home.daemon.http.awaitRequests(3)
  }

  // Local questions never wait for a network.
  @Test func `is answered while a server that has got a refresh token is silent`() throws {
    try lockDuringRefresh()
    home.lock(9)
    try home.daemon.runJobs { home.sink.results[9] != nil }
    #expect(home.sink.results[9] == ["locked": ["passphrase"]])
    #expect(home.told("locked") == ["shut"] && home.isUnlocked, "the keys stay for the answer")
    // For all others it is locked, so that an unlock asks for the passphrase.
    #expect(try home.isReportedLocked())
    home.daemon.http.isHeld = false
    home.daemon.runJobs()
    #expect(!home.isUnlocked)
  }

  // Store first.
  @Test func `of the session wipes the keys at once, and what comes later is written after the unlock`() throws {
    try lockDuringRefresh()
    home.lockBySession(runningJobs: false)
    try home.daemon.runJobs { !home.isUnlocked }
    #expect(home.daemon.services.accountsWithUnwrittenToken.isEmpty)
    home.daemon.http.isHeld = false
    home.daemon.runJobs()
    #expect(home.daemon.services.accountsWithUnwrittenToken.map(\.text) == ["shut"] && home.grant("shut") == nil)
    try home.unlock(10)
    #expect(home.daemon.services.accountsWithUnwrittenToken.isEmpty)
    #expect(try home.daemon.storedToken("shut") == "rt-4")
  }

  // Store first.
  @Test func `writes the refresh token that could not be written, while there are keys`() throws {
    try home.getTokens()
    home.daemon.http.answers = [.tokens("at-3", refresh: "rt-4")]
    home.daemon.http.isHeld = true
    try home.ask("shut", 1, forceRefresh: true)
    home.daemon.http.awaitRequests(3)
    // A file that others can read is refused.
    try home.setVaultMode("644")
    home.daemon.http.isHeld = false
    home.daemon.runJobs()
    try home.setVaultMode("600")
    #expect(home.daemon.services.accountsWithUnwrittenToken.map(\.text) == ["shut"])
    home.lock(9)
    home.daemon.runJobs()
    #expect(!home.isUnlocked && home.daemon.services.accountsWithUnwrittenToken.isEmpty)
    try home.unlock(10)
    #expect(try home.daemon.storedToken("shut") == "rt-4")
  }

  @Test func `answers all who ask for it while it goes on`() {
    for ticket in 7...9 { home.lock(ticket) }
    home.daemon.runJobs()
    #expect((7...9).allSatisfy { home.sink.results[$0] != nil })
    #expect(home.told("locked") == ["shut"])
  }

  // Each ticket is answered once.
  @Test func `answers the next lock on the connection of one that it answers, too`() {
    home.sink.whenAnswered = { [home] number in if number == 8 { home.lock(9) } }
    home.lock(8)
    home.daemon.runJobs()
    #expect(home.sink.results[8] != nil && home.sink.results[9] != nil)
  }

  @Test func `is logged where it closed something, or was asked for`() throws {
    home.lock(1)
    home.daemon.runJobs()
    home.lockBySession()
    home.lock(2)
    home.daemon.runJobs()
    try home.unlock(3)
    home.lockBySession()
    #expect(home.causes == ["asked", "asked", "session"])
  }

  @Test func `has the last word over an unlock that was asked for before it`() throws {
    home.lock(1)
    try home.vault(.unlock(.passphrase), 2)
    home.lock(3)
    home.daemon.runJobs()
    #expect(!home.isUnlocked)
    #expect(home.sink.results[1] != nil && home.sink.results[3] != nil)
  }

  @Test func `is not undone by a wrong passphrase, which is told`() throws {
    home.lock(1)
    home.daemon.runJobs()
    try home.vault(.unlock(.passphrase), 2, passphrase: "open barley")
    home.daemon.runJobs()
    #expect(home.sink.results[2] == nil && home.sink.failures[2] != nil)
    #expect(!home.isUnlocked && home.told("unlocked").isEmpty)
  }

  @Test func `lets an unlock wait until it is over`() throws {
    home.lock(1)
    try home.unlock(2)
    #expect(home.sink.results[1] != nil && home.sink.results[2] != nil)
    #expect(home.isUnlocked)
    #expect(try home.refusal("shut") == nil)
    #expect(home.told("unlocked") == ["shut"])
  }
}

@Suite struct `The lock after a time without use` {
  private let home: LockHome

  init() throws {
    home = try LockHome()
    try home.vault(.set(lockAfterSeconds: 60), 1)
    try home.unlock(2)
    try home.getTokens()
  }

  @Test func `comes by itself, and not before`() {
    home.daemon.pass(seconds: 59)
    #expect(home.isUnlocked)
    home.daemon.pass(seconds: 1)
    #expect(!home.isUnlocked)
    #expect(home.grant("shut") == nil)
  }

  @Test func `is put off by each use of what it protects, and by no other`() throws {
    home.daemon.pass(seconds: 40)
    try home.ask("shut", 3)
    home.daemon.runJobs()
    home.daemon.pass(seconds: 40)
    #expect(home.isUnlocked)
    try home.ask("open", 4)
    home.daemon.runJobs()
    home.daemon.pass(seconds: 20)
    #expect(!home.isUnlocked)
  }

  // Times are true.
  @Test func `is made up for by the first request after a suspend, whatever the timer does`() throws {
    home.daemon.time.advance(seconds: 3600)
    #expect(try home.refusal("shut") == .locked)
    home.daemon.runJobs()
    #expect(!home.isUnlocked)
  }

  @Test func `follows the settings at once`() throws {
    try home.vault(.set(lockAfterSeconds: 10), 3)
    home.daemon.runJobs()
    home.daemon.pass(seconds: 10)
    #expect(!home.isUnlocked)
  }

  @Test func `never comes where that is set`() throws {
    try home.vault(.set(lockAfterSeconds: 0), 3)
    home.daemon.runJobs()
    home.daemon.pass(seconds: 1_000_000)
    #expect(home.isUnlocked)
    #expect(home.grant("shut") != nil)
  }
}

@Suite struct `The lock of a vault that only a passphrase opens again` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work", renewals: 2)
    parts = try DaemonParts(home.context)
    try ask(1)
  }

  private func ask(_ number: Int) throws {
    try parts.broker.sendToken(TokenRequest(account: "work"), .number(number))
    home.runJobs()
  }

  private func hasToken() throws -> Bool { try parts.broker.resolve("work").ownSlot.session.grant != nil }

  @Test func `comes after a time without use, also where another process took the other ways to open it`() throws {
    let seconds = Settings.defaultLockAfterSeconds
    home.pass(seconds: seconds)
    #expect(try hasToken(), "the machine opens it")
    try home.changeVaultElsewhere { vault in
      let automatic = vault.summary().slots.map(\.number)
      _ = try vault.addPassphrase(for: .device, try SecretBytes(copying: Array("open sesame".utf8).span))
      for number in automatic { try vault.removeSlot(number) }
    }
    try ask(2)
    #expect(home.sink.lines[2]?.contains("at-1") == true)
    home.pass(seconds: seconds - 1)
    #expect(try hasToken())
    home.pass(seconds: 1)
    #expect(try !hasToken())
    try ask(3)
    #expect(home.sink.failures[3]?.code == .locked)
  }
}

/// A daemon with two signed-in accounts: `shut`, which is protected by a passphrase and unlocked, and `open`.
private final class LockHome {
  let daemon: DaemonHome
  private let parts: DaemonParts

  private static let passphrase = "open sesame"

  init() throws {
    daemon = try DaemonHome(signedIn: "open")
    parts = try DaemonParts(daemon.context)
    try vault(.create(.passphrase), 0)
    daemon.runJobs()
    try daemon.addSignedIn("shut", protection: .passphrase)
  }

  var sink: RecordedReplies { daemon.sink }

  var isUnlocked: Bool { daemon.services.vault.isUnlocked(.passphrase) }

  /// Whether vault and account reports show the level and its account as locked.
  func isReportedLocked() throws -> Bool {
    let report = VaultReport(daemon.services, lockAfterSeconds: 0).json
    let level = report["levels"]?.array?.first { $0["protection"] == "passphrase" }
    let accounts = AccountScan.summaries(of: try daemon.settings.current(), only: nil, services: daemon.services)
    let account = accounts.first { $0.name.text == "shut" }
    return level?["locked"] == true && account?.problem?.isLocked == true
  }

  /// The account's token in memory.
  func grant(_ name: String) -> AccessGrant? {
    parts.broker.accounts.values.first { $0.name.text == name }?.ownSlot.session.grant
  }

  func ask(_ name: String, _ number: Int, forceRefresh: Bool = false) throws(Failure) {
    try parts.broker.sendToken(TokenRequest(account: name, forceRefresh: forceRefresh), .number(number))
  }

  /// Why a token is refused at once; nil if it is served.
  func refusal(_ name: String) throws(Failure) -> FailureCode? {
    lastRefusal += 1
    try ask(name, lastRefusal)
    return sink.failures[lastRefusal]?.code
  }

  private var lastRefusal = 100

  func getTokens() throws {
    daemon.http.answers = [.tokens("at-1", refresh: "rt-2"), .tokens("at-2", refresh: "rt-3")]
    try ask("shut", 100)
    daemon.runJobs()
    try ask("open", 100)
    daemon.runJobs()
  }

  /// Locks like a request of the desktop or the login manager.
  func lockBySession(runningJobs: Bool = true) {
    parts.locker.lock(.session)
    if runningJobs { daemon.runJobs() }
  }

  var causes: [String] {
    daemon.context.log.json["events"]?.array?.filter { $0["event"] == "locked" && $0["cause"] != nil }
      .compactMap { $0["cause"]?.string } ?? []
  }

  func lock(_ number: Int) { parts.locker.lock(.userRequest, for: .number(number)) }

  func unlock(_ number: Int) throws {
    try vault(.unlock(.passphrase), number)
    daemon.runJobs()
  }

  /// Sends a request with the passphrase.
  func vault(_ request: VaultRequest, _ number: Int, passphrase: String = LockHome.passphrase) throws {
    let pipe = try Pipe()
    try pipe.writing.writeAll(Array(passphrase.utf8).span)
    let secret = SharedDescriptor(try pipe.reading.duplicate())
    try parts.vault.handle(request, .number(number), passed: [secret])
  }

  func setVaultMode(_ mode: String) throws {
    let path = daemon.services.vault.summary().path
    try #require(try ProcessRunner.shell("chmod \(mode) '\(path)'").succeeded)
  }

  /// The accounts for which an event was published.
  func told(_ event: String) -> [String] {
    daemon.context.log.sessionJSON(of: nil)["events"]?.array?.filter { $0["event"]?.string == event }
      .compactMap { $0["account"]?.string } ?? []
  }
}
