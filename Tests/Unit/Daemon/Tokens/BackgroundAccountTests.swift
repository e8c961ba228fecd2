import WireSupport
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `An account that is always kept fresh` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work", renewals: 1)
    parts = try DaemonParts(home.context)
  }

  private func keepFresh(_ name: String = "work") throws {
    let account = try AccountName(name)
    _ = try home.settings.change { (settings) throws(ConfigurationError) in
      guard var configuration = settings[account] else { return }
      configuration.refresh = .background
      try settings.set(configuration, for: account)
    }
  }

  private func passTime() { for _ in 1...3 { home.pass(seconds: 1) } }

  @Test func `gets a token when the daemon starts, though nobody asks`() throws {
    try keepFresh()
    parts.start(isPrivate: false)
    passTime()
    #expect(home.http.sent == ["rt-1"])
  }

  @Test func `gets one though as many as may be renewed at a time for one server were renewed before`() throws {
    let names = (0...RefreshPolicy.maximumRenewalsPerServer).map { "work-\($0)" }
    for name in names {
      try home.addSignedIn(name)
      try keepFresh(name)
    }
    home.http.answers = names.map { .tokens("at-\($0)", refresh: "rt-2") }
    parts.start(isPrivate: false)
    for _ in 1...10 { home.pass(seconds: 1) }
    #expect(home.http.sent.count == names.count)
  }

  // Fair shares.
  @Test func `takes one of the places of such renewals while it is renewed for nobody`() throws {
    try keepFresh()
    home.http.isHeld = true
    parts.start(isPrivate: false)
    home.time.advance(seconds: 1)
    home.sink.runDue()
    try home.runJobs(until: { !home.http.sent.isEmpty })
    let account = try parts.broker.resolve("work")
    var permits: [RenewalLimiter.Permit] = []
    while let permit = parts.broker.renewalLimiter.permit(at: account.configuration.serverIdentifier) {
      permits.append(permit)
    }
    #expect(permits.count == RefreshPolicy.maximumRenewalsPerServer - 1)
    home.http.isHeld = false
    home.runJobs()
    #expect(account.ownSlot.session.grant != nil && account.ownSlot.run == nil)
  }

  @Test func `is tried once while it is locked, not each minute, and again after the unlock`() throws {
    try home.createPassphrase(parts.vault, 9)
    try home.addSignedIn("shut", protection: .passphrase)
    try keepFresh("shut")
    parts.locker.lock(.userRequest, for: .number(8))
    home.runJobs()
    func tries() -> Int { home.logged.filter { $0 == .refreshBegan(attempt: 1) }.count }
    parts.start(isPrivate: false)
    passTime()
    for _ in 1...3 {
      parts.housekeep()
      passTime()
    }
    #expect(tries() == 1 && home.http.sent.isEmpty)
    let secret = SharedDescriptor(try FileDescriptor.inMemory(Array("open sesame".utf8).span))
    try parts.vault.handle(.unlock(.passphrase), .number(7), passed: [secret])
    home.runJobs()
    passTime()
    #expect(tries() == 2 && home.http.sent == ["rt-1"])
  }

  @Test func `gets none from a daemon that is for one client`() throws {
    try keepFresh()
    parts.start(isPrivate: true)
    passTime()
    #expect(home.http.sent.isEmpty)
  }

  @Test(arguments: [false, true]) func `gets one soon after it is set so, unless the daemon stops`(isStopping: Bool)
    throws
  {
    parts.start(isPrivate: false)
    passTime()
    try keepFresh()
    if isStopping { home.context.jobs.endWaits() }
    parts.housekeep()
    passTime()
    #expect(home.http.sent == (isStopping ? [] : ["rt-1"]))
  }
}
