import Encoding
import WireSupport
import Sessions
import Testing
import Wire

@testable import Daemon

@Suite struct `Sessions that are on disk when the daemon starts` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work")
    parts = try DaemonParts(home.context)
    parts.start(isPrivate: false)
    home.runJobs()
  }

  private func state(_ number: Int) throws -> JSON? {
    try parts.status.listAccounts(.list, nil, .number(number))
    home.runJobs()
    return home.sink.results[number]?["accounts"]?.array?.first?["state"]
  }

  @Test func `are there without a request to the server`() throws {
    #expect(try state(1) == "stale")
    home.pass(seconds: 3600)
    #expect(try state(2) == "stale")
    #expect(home.http.roles.isEmpty)
  }

  @Test func `have no refresh that waits`() throws {
    try parts.status.listAccounts(.status, "work", .number(1))
    home.runJobs()
    let account = try #require(home.sink.results[1]?["accounts"]?.array?.first)
    #expect(account["name"] == "work" && account["refresh_queued"] == nil)
  }

  @Test func `are asked for by their names`() throws {
    try parts.status.listAccounts(.list, "nobody", .number(1))
    home.runJobs()
    #expect(home.sink.failures[1]?.code == .noAccount)
    #expect(home.sink.results[1] == nil)
  }

  @Test func `are used at the first need, where the server may say that they are over`() throws {
    home.http.answers = [.error("invalid_grant")]
    try parts.broker.sendToken(TokenRequest(account: "work"), .number(1))
    home.runJobs()
    #expect(home.http.sent == ["rt-1"])
    #expect(home.sink.failures[1]?.code == .sessionExpired)
    #expect(try state(2) == "expired")
  }
}
