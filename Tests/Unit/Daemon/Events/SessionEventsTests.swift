import Encoding
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary
import Wire
import WireSupport

@testable import Daemon

@Suite struct `Events that are followed` {
  private let home: EventHome

  init() throws { home = try EventHome() }

  @Test func `come to those who follow that account, or all`() throws {
    try home.follow("work", 1)
    try home.follow("mail", 2)
    try home.follow(nil, 3)
    try home.tell(.online, "work")
    #expect(home.events(1) == [.online])
    #expect(home.events(2) == [])
    #expect(home.events(3) == [.online])
  }

  @Test func `come to nobody who has gone`() throws {
    try home.follow(nil, 1)
    home.parts.abandon(.number(1))
    try home.tell(.online, "work")
    #expect(home.events(1) == [])
  }

  @Test func `are for so many requests and no more, until one of them goes`() throws {
    for number in 1...32 { try home.follow(nil, number) }
    #expect(throws: Failure.self) { try home.follow(nil, 100) }
    home.parts.abandon(.number(1))
    try home.follow(nil, 100)
  }

  @Test func `end when the daemon does`() throws {
    try home.follow(nil, 1)
    home.parts.stop()
    #expect(home.daemon.sink.failures[1]?.words == Failure.stopping.words)
  }

  @Test func `of the past are answered at once, to who does not follow`() throws {
    try home.tell(.online, "work")
    try home.tell(.locked, "mail")
    try home.parts.events.handle(EventsRequest(account: "mail"), .number(1))
    let events = home.daemon.sink.results[1]?["events"]?.array ?? []
    #expect(events.map { $0["event"]?.string } == ["locked"])
    #expect(home.events(1) == [])
  }

  @Test func `name an account that is there`() {
    #expect(throws: Failure.self) { try home.follow("nobody", 1) }
  }
}

@Suite struct `Changes of the settings` {
  private let home: EventHome

  init() throws {
    home = try EventHome()
    try home.follow(nil, 1)
  }

  @Test func `are told once, whoever made them`() throws {
    #expect(home.events(1) == [], "the accounts of the beginning are no news")
    try home.daemon.add("new")
    for _ in 1...2 { home.parts.events.announceSettings() }
    #expect(home.events(1) == [.accountAdded])
    try home.change { $0.remove(try AccountName("mail")) }
    #expect(home.events(1) == [.accountAdded, .accountRemoved])
  }

  @Test func `are told with the account that is the active one then`() throws {
    try home.change { $0.activate(try AccountName("mail")) }
    #expect(home.events(1) == [.activeChanged])
  }

  @Test func `are told with the answer to the request that made them`() throws {
    try home.parts.accounts.use("mail", .number(3))
    home.daemon.runJobs()
    #expect(home.daemon.sink.results[3] != nil)
    #expect(home.events(1) == [.activeChanged])
  }

  @Test func `keep the answer to one back until the mark of the last one is written`() throws {
    // The change mark of the daemon's start is being written.
    try home.tell(.locked, "work")
    #expect(home.parts.events.postpone(.result(JSONObject()), of: .number(3)))
    try home.daemon.takeResult()
    #expect(home.daemon.sink.results[3] == nil)
    home.daemon.runJobs()
    #expect(home.daemon.sink.results[3] != nil)
    #expect(!home.parts.events.postpone(.result(JSONObject()), of: .number(4)))
  }

  @Test func `by another program are read by a worker, once a minute too`() throws {
    try home.changeOutside { try $0.set($0[AccountName("mail")]!, for: AccountName("new")) }
    home.parts.housekeep()
    home.parts.events.announceSettings()
    #expect(home.events(1) == [], "the loop has not looked at the disk")
    home.daemon.runJobs()
    home.parts.events.announceSettings()
    #expect(home.events(1) == [.accountAdded])
  }

  @Test func `that cannot be read are looked at by a worker again, and by no one else`() throws {
    let place = try PrivateDirectory(opening: home.daemon.settings.directoryPath, create: false)
    let good = try place.readFile(SettingsFile.name, limit: Settings.maximumBytes)
    try place.replaceFile(SettingsFile.name, with: Array("{".utf8).span)
    home.parts.housekeep()
    #expect(throws: Never.self) { _ = try home.daemon.context.settings() }
    home.daemon.runJobs()
    #expect(throws: Failure.self) { _ = try home.daemon.context.settings() }
    try place.replaceFile(SettingsFile.name, with: good.span)
    #expect(throws: Failure.self) { _ = try home.daemon.context.settings() }
    home.parts.housekeep()
    home.daemon.runJobs()
    #expect(throws: Never.self) { _ = try home.daemon.context.settings() }
    #expect(home.events(1) == [])
  }

  @Test func `that come while the settings are read are seen by who asks then`() throws {
    var seen: [Int] = []
    let context = home.daemon.context
    func ask() { context.whenSettingsAreRead { seen.append((try? context.settings().accounts.count) ?? -1) } }
    // The read in progress is finished, so the next result is that of a new one.
    home.daemon.runJobs()
    ask()
    try home.daemon.awaitResult()
    try home.changeOutside { try $0.set($0[AccountName("mail")]!, for: AccountName("new")) }
    ask()
    home.daemon.runJobs()
    #expect(seen == [2, 3])
  }

  @Test func `of a name are told as such, to who follows either`() throws {
    try home.follow("mail", 2)
    try home.parts.accounts.manage(.rename(account: "mail", to: "post"), .number(3), passed: [])
    // The settings may be read before the job's result is handled.
    let post = try AccountName("post")
    try home.daemon.wait { try home.daemon.settings.current()[post] != nil }
    home.parts.events.announceSettings()
    home.daemon.runJobs()
    #expect(home.daemon.sink.results[3]?["account"] == "post")
    #expect(home.events(1) == [.accountRenamed(from: "mail")])
    try home.tell(.online, "post")
    #expect(home.events(2) == [.accountRenamed(from: "mail"), .online])
  }

  @Test func `of a name that fail are not told, and hide no later change`() throws {
    try home.parts.accounts.manage(.rename(account: "mail", to: "work"), .number(3), passed: [])
    home.daemon.runJobs()
    #expect(home.daemon.sink.failures[3] != nil)
    try home.daemon.add("new")
    home.parts.events.announceSettings()
    #expect(home.events(1) == [.accountAdded])
  }
}

@Suite struct `A session's events` {
  private let home: EventHome

  init() throws {
    home = try EventHome()
    try home.follow("work", 1)
  }

  @Test func `tell of a token, its end, an unreachable server and its return, each once`() throws {
    home.daemon.http.answers = [.tokens("at-1", refresh: "rt-2")]
    try home.ask(2)
    home.daemon.time.advance(seconds: 3600)
    // The server no longer responds.
    for number in 3...4 {
      try home.ask(number)
      home.daemon.pass(seconds: 60)
    }
    home.daemon.http.answers = [.tokens("at-2", refresh: "rt-3")]
    home.daemon.pass(seconds: 600)
    try home.ask(5)
    #expect(home.events(1).map(\.name) == [.refreshed, .expired, .offline, .online, .refreshed])
  }

  @Test func `tell once that the server ended it`() throws {
    home.daemon.http.answers = [.error("invalid_grant")]
    for number in 2...3 { try home.ask(number) }
    #expect([2, 3].map { home.daemon.sink.failures[$0]?.code } == [.sessionExpired, .sessionExpired])
    #expect(home.events(1) == [.signedOut(.expired)])
  }
}

/// A daemon with the active, signed-in account `work`, and `mail`.
private final class EventHome {
  let daemon: DaemonHome
  let parts: DaemonParts

  init() throws {
    daemon = try DaemonHome(signedIn: "work")
    try daemon.add("mail")
    parts = try DaemonParts(daemon.context)
  }

  func follow(_ account: String?, _ number: Int) throws(Failure) {
    try parts.events.handle(EventsRequest(account: account, follows: true), .number(number))
  }

  func tell(_ event: SessionEvent, _ account: String) throws {
    daemon.context.log.publish(event, try AccountName(account))
  }

  /// The events sent to a request.
  func events(_ number: Int) -> [SessionEvent] {
    (daemon.sink.events[number] ?? []).compactMap { if case .session(let entry) = $0 { entry?.event } else { nil } }
  }

  /// Requests a token of `work`, and waits for the result.
  func ask(_ number: Int) throws {
    try parts.broker.sendToken(TokenRequest(account: "work"), .number(number))
    daemon.runJobs()
  }

  /// Changes the settings without the daemon's knowledge.
  func changeOutside(_ edit: (inout Settings) throws -> Void) throws {
    _ = try SettingsFile(directory: daemon.settings.directoryPath).change { (settings) throws(ConfigurationError) in
      do { try edit(&settings) } catch { Issue.record(error) }
    }
  }

  /// Changes the settings without the daemon's knowledge, then makes it read them.
  func change(_ edit: (inout Settings) throws -> Void) throws {
    try changeOutside(edit)
    daemon.context.whenSettingsAreRead { [parts] in parts.events.announceSettings() }
    daemon.runJobs()
  }
}
