import Sessions
import TestSupport
import Testing
import Vocabulary

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
    let names = (0...RefreshPolicy.mostRenewalsPerServer).map { "work-\($0)" }
    for name in names {
      try home.addSignedIn(name)
      try keepFresh(name)
    }
    home.http.answers = names.map { .tokens("at-\($0)", refresh: "rt-2") }
    parts.start(isPrivate: false)
    for _ in 1...10 { home.pass(seconds: 1) }
    #expect(home.http.sent.count == names.count)
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
    parts.broker.isStopping = isStopping
    parts.housekeep()
    passTime()
    #expect(home.http.sent == (isStopping ? [] : ["rt-1"]))
  }
}
