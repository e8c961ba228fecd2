import Encoding
import Platform
import Sessions
import TestSupport
import Testing
import Vocabulary
import Wire
import WireSupport

@testable import Daemon

@Suite struct `A token file` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work", renewals: 2)
    parts = try DaemonParts(home.context)
  }

  private func begin() throws {
    try parts.tokenFiles.handle(TokenFileRequest(account: "work"), .number(1))
    home.runJobs()
  }

  private var told: [Event.TokenFile] {
    home.sink.events[1, default: []].compactMap { if case .tokenFile(let event) = $0 { event } else { nil } }
  }

  private func files() throws -> [String] {
    try home.runtime().fileNames().filter { !$0.hasSuffix(".lock") && $0 != WireProtocol.changesFileName }
  }

  private func text() throws -> String {
    let name = try #require(told.last?.path.split(separator: "/").last)
    return String(decoding: try home.runtime().readFile(String(name), limit: 100), as: UTF8.self)
  }

  @Test func `gets a new token before the old one ends, though nobody asks`() throws {
    try begin()
    #expect(try text() == "at-1")
    home.pass(seconds: 60)
    #expect(home.http.sent == ["rt-1"])
    home.pass(seconds: 3535)
    #expect(try text() == "at-2")
    #expect(told.count == 2 && told.allSatisfy { $0.removal == nil })
    #expect(home.http.sent == ["rt-1", "rt-2"])
  }

  @Test func `that got a new token meanwhile gets none at the time of the old one`() throws {
    home.http.answers.append(.tokens("at-3", refresh: "rt-4"))
    try begin()
    home.pass(seconds: 1000)
    try parts.broker.sendToken(TokenRequest(account: "work", forceRefresh: true), .number(2))
    home.runJobs()
    #expect(try text() == "at-2")
    home.pass(seconds: 2595)
    #expect(try text() == "at-2" && home.http.sent == ["rt-1", "rt-2"])
    home.pass(seconds: 1000)
    #expect(try text() == "at-3")
  }

  @Test func `goes at the end of its session and of its connection`() throws {
    try begin()
    parts.tokenFiles.removeFiles(of: try AccountName("work"))
    home.runJobs()
    #expect(told.last?.removal == .signedOut)
    #expect(try files() == [])
    parts.tokenFiles.abandon(.number(1))
    home.runJobs()
    #expect(try files() == [])
  }

  @Test func `tells a closed connection nothing of the end of its session`() throws {
    try begin()
    parts.tokenFiles.removeFiles(of: try AccountName("work"))
    parts.tokenFiles.abandon(.number(1))
    home.runJobs()
    #expect(told.map(\.removal) == [nil])
    #expect(try files() == [])
  }

  // One worker claims the file's name, another writes its token.
  @Test func `leaves nothing when its connection closes before it is there`() throws {
    let claimed = TokenFileRequest(account: "work")
    try parts.tokenFiles.handle(claimed, .number(1))
    parts.tokenFiles.abandon(.number(1))
    home.runJobs()
    #expect(try home.runtime().fileNames().allSatisfy { $0 == WireProtocol.changesFileName })
    #expect(told.isEmpty && home.http.sent.isEmpty)
    try parts.tokenFiles.handle(claimed, .number(1))
    try home.runJobs { home.http.sent == ["rt-1"] }
    parts.tokenFiles.abandon(.number(1))
    home.runJobs()
    #expect(try home.runtime().fileNames().allSatisfy { $0 == WireProtocol.changesFileName })
    #expect(told.isEmpty)
  }

  @Test(arguments: [true, false]) func `of a session that ends while it is written is not told of as written`(
    isAbandoned: Bool
  ) throws {
    try parts.tokenFiles.handle(TokenFileRequest(account: "work"), .number(1))
    try home.runJobs { try parts.broker.resolve("work").ownSlot.session.grant != nil }
    if isAbandoned {
      parts.tokenFiles.abandon(.number(1))
    } else {
      parts.tokenFiles.removeFiles(of: try AccountName("work"))
    }
    home.runJobs()
    #expect(told.map(\.removal) == (isAbandoned ? [] : [.signedOut]))
    #expect(try files() == [])
  }

  @Test func `of another daemon is not written`() throws {
    let name = "token-" + String(repeating: "5e", count: 16)
    let held = try home.runtime().tryLock(name + ".lock")
    try parts.tokenFiles.handle(TokenFileRequest(account: "work", name: name), .number(1))
    home.runJobs()
    #expect(home.sink.failures[1]?.code == .tooBusy)
    #expect(home.sink.failures[1]?.message == "another daemon is writing that token file")
    #expect(try files() == [] && told.isEmpty)
    _ = consume held
  }

  // A program that reads the file needs some time for it.
  @Test func `has an ID Token that is good for a minute, and one with less time left costs a refresh`() throws {
    try home.put(idTokenFor: 60, issuedBefore: 1, parts.broker.resolve("work"))
    try parts.tokenFiles.handle(TokenFileRequest(account: "work", kind: .idToken), .number(1))
    home.runJobs()
    #expect(try text().split(separator: ".").count == 3)
    #expect(home.http.sent.isEmpty)
    parts.tokenFiles.abandon(.number(1))
    try home.put(idTokenFor: 59, issuedBefore: 1, parts.broker.resolve("work"))
    try parts.tokenFiles.handle(TokenFileRequest(account: "work", kind: .idToken), .number(2))
    home.runJobs()
    #expect(home.http.sent == ["rt-1"])
    #expect(home.sink.failures[2]?.code == .interactionRequired, "the refresh brought none")
  }

  @Test func `is one of 32, with those that have no name yet`() throws {
    func begin(_ number: Int) throws {
      try parts.tokenFiles.handle(TokenFileRequest(account: "work"), .number(number))
    }
    for number in 1...31 { try begin(number) }
    home.runJobs()
    try begin(32)
    let failure = #expect(throws: Failure.self) { try begin(33) }
    #expect(failure?.message == "there are already 32 token files")
    parts.tokenFiles.abandon(.number(32))
    try begin(34)
    parts.tokenFiles.abandon(.number(1))
    try begin(35)
    home.runJobs()
    #expect(try files().count == 32)
    #expect(home.http.sent == ["rt-1"], "they share the token")
  }

  @Test func `that cannot be written ends with its request`() throws {
    let name = "token-" + String(repeating: "5e", count: 16)
    try ProcessRunner.shell("mkdir '\(home.runtime().path)/\(name)'")
    try parts.tokenFiles.handle(TokenFileRequest(account: "work", name: name), .number(1))
    home.runJobs()
    #expect(home.sink.failures[1]?.code == .storage && told.isEmpty)
    #expect(home.logged.last == .tokenFile(.failed))
    #expect(try home.runtime().fileNames().allSatisfy { !$0.hasSuffix(".lock") })
  }

  @Test func `stays as it is while the server cannot be reached, which is tried again within a minute`() throws {
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    try begin()
    home.pass(seconds: 3595)
    for _ in 0..<3 { home.pass(seconds: 2) }
    let tries = home.http.sent.count
    #expect(tries > 1)
    #expect(try text() == "at-1" && told.count == 1)
    home.http.answers = [.tokens("at-2", refresh: "rt-3")]
    home.pass(seconds: 65)
    #expect(try text() == "at-2")
    #expect(told.count == 2 && home.sink.failures.isEmpty)
  }

  @Test func `is tried again when the network changes, where the server was not reached, and only there`() throws {
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    try begin()
    #expect(!parts.tokenFiles.retry(within: .seconds(1)), "nothing failed")
    home.pass(seconds: 3595)
    for _ in 0..<3 { home.pass(seconds: 2) }
    #expect(parts.tokenFiles.retry(within: .seconds(1)))
    home.http.answers = Array(repeating: .status(503), count: 4)
    for _ in 0..<5 { home.pass(seconds: 15) }
    #expect(!parts.tokenFiles.retry(within: .seconds(1)), "the server was reached")
    home.http.answers = [.tokens("at-2", refresh: "rt-3")]
    for _ in 0..<10 { home.pass(seconds: 60) }
    #expect(try text() == "at-2")
    #expect(!parts.tokenFiles.retry(within: .seconds(1)))
    // Another request does not get its token, which does not concern the file.
    try parts.broker.sendToken(TokenRequest(account: "work", forceRefresh: true), .number(2))
    home.runJobs()
    for _ in 0..<3 { home.pass(seconds: 5) }
    #expect(home.sink.failures[2]?.code == .network)
    #expect(!parts.tokenFiles.retry(within: .seconds(1)))
  }

  @Test func `goes when its session ends at the server, and comes back with the next sign-in`() throws {
    home.http.answers = [.tokens("at-1", refresh: "rt-2"), .error("invalid_grant"), .tokens("at-3", refresh: "rt-4")]
    try begin()
    home.pass(seconds: 3595)
    #expect(told.map(\.removal) == [nil, .signedOut])
    #expect(try files() == [] && home.sink.failures.isEmpty)
    #expect(home.logged.compactMap(\.tokenFileChange) == [.written, .removed])
    try home.beginSignIn(to: "work", parts.signIns, 2)
    home.pass(seconds: 5)
    #expect(home.sink.results[2]?["account"] == "work")
    #expect(try text() == "at-3")
  }

  @Test func `goes when the server wants the person, with the reason`() throws {
    home.http.answers = [.tokens("at-1", refresh: "rt-2"), .error("login_required")]
    try begin()
    home.pass(seconds: 3595)
    #expect(told.map(\.removal) == [nil, .interactionRequired])
    #expect(try files() == [] && home.sink.failures.isEmpty)
  }

  @Test func `goes at a lock that took its token, and comes back with the unlock`() throws {
    let work = try AccountName("work")
    try begin()
    home.context.log.publish(.locked, work)
    home.runJobs()
    #expect(try text() == "at-1", "its token is still served")
    try parts.broker.resolve("work").ownSlot.session.forgetToken()
    home.context.log.publish(.locked, work)
    home.runJobs()
    #expect(told.map(\.removal) == [nil, .locked])
    #expect(try files() == [])
    home.context.log.publish(.unlocked, work)
    home.runJobs()
    #expect(try text() == "at-2" && told.count == 3)
  }

  @Test func `is of one account: what happens to others leaves it, and a new name goes with it`() throws {
    try home.addSignedIn("other")
    try begin()
    home.context.log.publish(.signedOut(.user), try AccountName("other"))
    parts.tokenFiles.removeFiles(of: try AccountName("other"))
    parts.tokenFiles.requestNewTokens(for: try AccountName("other"))
    home.runJobs()
    #expect(try text() == "at-1" && told.count == 1 && home.http.sent == ["rt-1"])
    try parts.accounts.manage(.rename(account: "work", to: "job"), .number(2), passed: [])
    try parts.accounts.manage(.rename(account: "other", to: "third"), .number(3), passed: [])
    home.runJobs()
    home.pass(seconds: 3595)
    #expect(told.map(\.account) == ["work", "job"])
    #expect(try text() == "at-2")
  }

  @Test func `gets another token when the settings of its account change`() throws {
    try begin()
    let work = try AccountName("work")
    _ = try home.settings.change { (settings) throws(ConfigurationError) in
      guard var configuration = settings[work] else { return }
      configuration.scope = ["mail"]
      try settings.set(configuration, for: work)
    }
    _ = try parts.broker.resolve("work")
    home.runJobs()
    #expect(try text() == "at-2")
  }

  @Test func `asks for one token at a time, and for none once it has ended`() throws {
    try begin()
    home.http.isHeld = true
    let work = try AccountName("work")
    try parts.broker.resolve("work").ownSlot.session.forgetToken()
    for _ in 1...2 { parts.tokenFiles.requestNewTokens(for: work) }
    #expect(try parts.broker.resolve("work").ownSlot.waiters.count == 1)
    parts.tokenFiles.abandon(.number(1))
    #expect(try parts.broker.resolve("work").ownSlot.waiters.isEmpty)
    home.http.isHeld = false
    home.runJobs()
    #expect(told.count == 1)
  }

  @Test func `without an end of its token is not renewed`() throws {
    home.http.answers = [.json(["access_token": "at-1", "token_type": "Bearer", "refresh_token": "rt-2"])]
    try begin()
    #expect(try text() == "at-1")
    for _ in 1...10 { home.pass(seconds: 86_400) }
    #expect(home.http.sent == ["rt-1"])
  }

  // A program that reads the file is only notified once.
  @Test func `is gone when the end of the daemon is told`() throws {
    try begin()
    try parts.tokenFiles.handle(TokenFileRequest(account: "work"), .number(2))
    parts.tokenFiles.stop()
    #expect(home.sink.failures[1] == nil && home.sink.failures[2]?.words == Failure.stopping.words)
    home.runJobs()
    #expect(home.sink.failures[1]?.words == Failure.stopping.words)
    #expect(try home.runtime().fileNames().allSatisfy { $0 == WireProtocol.changesFileName })
  }

  @Test func `is not there when there is no token for it`() throws {
    home.http.answers = [.error("invalid_grant")]
    try begin()
    #expect(home.sink.failures[1]?.code == .sessionExpired)
    #expect(told.isEmpty)
    #expect(try files() == [])
  }
}

extension LogEvent {
  fileprivate var tokenFileChange: TokenFileChange? { if case .tokenFile(let change) = self { change } else { nil } }
}
