import Platform
import Sessions
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `A token file` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work", renewals: 2)
    parts = try DaemonParts(home.context)
  }

  private func begin() throws {
    try parts.tokenFiles.tokenFile(TokenFileRequest(account: "work"), .number(1))
    home.runJobs()
  }

  private var told: [Event.TokenFile] {
    home.sink.events[1, default: []].compactMap { if case .tokenFile(let event) = $0 { event } else { nil } }
  }

  private func files() throws -> [String] {
    try home.runtime().fileNames().filter { !$0.hasSuffix(".lock") && $0 != WireProtocol.changesName }
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
    try parts.broker.token(TokenRequest(account: "work", forceRefresh: true), .number(2))
    home.runJobs()
    #expect(try text() == "at-2")
    home.pass(seconds: 2595)
    #expect(try text() == "at-2" && home.http.sent == ["rt-1", "rt-2"])
    home.pass(seconds: 1000)
    #expect(try text() == "at-3")
  }

  @Test func `goes at the end of its session and of its connection`() throws {
    try begin()
    parts.tokenFiles.remove(of: try AccountName("work"))
    home.runJobs()
    #expect(told.last?.removal == .signedOut)
    #expect(try files() == [])
    parts.tokenFiles.abandon(.number(1))
    home.runJobs()
    #expect(try files() == [])
  }

  @Test func `tells a closed connection nothing of the end of its session`() throws {
    try begin()
    parts.tokenFiles.remove(of: try AccountName("work"))
    parts.tokenFiles.abandon(.number(1))
    home.runJobs()
    #expect(told.allSatisfy { $0.removal == nil })
    #expect(try files() == [])
  }

  // Its name is claimed on a worker, and its token written on one.
  @Test func `leaves nothing when its connection closes before it is there`() throws {
    let claimed = TokenFileRequest(account: "work")
    try parts.tokenFiles.tokenFile(claimed, .number(1))
    parts.tokenFiles.abandon(.number(1))
    home.runJobs()
    #expect(try home.runtime().fileNames().allSatisfy { $0 == WireProtocol.changesName })
    #expect(told.isEmpty && home.http.sent.isEmpty)
    try parts.tokenFiles.tokenFile(claimed, .number(1))
    try home.runJobs { home.http.sent == ["rt-1"] }
    parts.tokenFiles.abandon(.number(1))
    home.runJobs()
    #expect(try home.runtime().fileNames().allSatisfy { $0 == WireProtocol.changesName })
    #expect(told.isEmpty)
  }

  @Test func `of another daemon is not written`() throws {
    let name = "token-" + String(repeating: "5e", count: 16)
    let held = try home.runtime().tryLock(name + ".lock")
    try parts.tokenFiles.tokenFile(TokenFileRequest(account: "work", name: name), .number(1))
    home.runJobs()
    #expect(home.sink.failures[1]?.code == .tooBusy)
    #expect(home.sink.failures[1]?.message == "another daemon writes that token file")
    #expect(try files() == [] && told.isEmpty)
    _ = consume held
  }

  // A program that reads the file needs some time for it.
  @Test func `has an ID Token that is good for a minute, and one with less time left costs a refresh`() throws {
    try home.put(idTokenFor: 60, issuedBefore: 1, parts.broker.resolve("work"))
    try parts.tokenFiles.tokenFile(TokenFileRequest(account: "work", kind: .idToken), .number(1))
    home.runJobs()
    #expect(try text().split(separator: ".").count == 3)
    #expect(home.http.sent.isEmpty)
    parts.tokenFiles.abandon(.number(1))
    try home.put(idTokenFor: 59, issuedBefore: 1, parts.broker.resolve("work"))
    try parts.tokenFiles.tokenFile(TokenFileRequest(account: "work", kind: .idToken), .number(2))
    home.runJobs()
    #expect(home.http.sent == ["rt-1"])
    #expect(home.sink.failures[2]?.code == .missingValue, "the refresh brought none")
  }

  @Test func `is not there when there is no token for it`() throws {
    home.http.answers = [.error("invalid_grant")]
    try begin()
    #expect(home.sink.failures[1]?.code == .sessionExpired)
    #expect(told.isEmpty)
    #expect(try files() == [])
  }
}
