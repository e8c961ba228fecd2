import Encoding
import Sessions
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `An account` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work", renewals: 2)
    parts = try DaemonParts(home.context)
  }

  private func ask(_ number: Int, _ name: String = "work") throws(Failure) {
    try parts.broker.token(TokenRequest(account: name), .number(number))
  }

  private func manage(_ request: AccountRequest, _ number: Int) throws(Failure) {
    try parts.accounts.manage(request, .number(number), passed: [])
    home.runJobs()
  }

  @Test func `that gets another name answers those who waited under the old one`() throws {
    home.http.answers.insert(.status(503), at: 0)
    try ask(1)
    home.runJobs()
    #expect(home.sink.lines.isEmpty && home.sink.failures.isEmpty, "it waits for the next attempt")
    try manage(.rename(account: "work", to: "job"), 2)
    #expect(home.sink.results[2]?["account"] == "job")
    home.pass(seconds: 5)
    #expect(home.sink.lines[1] != nil || home.sink.failures[1] != nil, "a caller is left waiting")
    try ask(3, "job")
    home.runJobs()
    #expect(home.sink.lines[3]?.contains("at-") == true)
  }

  @Test func `is its own source of assertions under no name`() throws {
    var settings = AccountSettings()
    settings.issuer = "https://as.example"
    settings.clientID = "cli"
    settings.assertionAccount = "job"
    let itself = #expect(throws: Failure.self) { try manage(.add(account: "job", settings), 1) }
    #expect(itself?.code == .invalidRequest && itself?.hint?.hasSuffix("agent list") == true)
    try manage(.add(account: "build", settings), 2)
    #expect(home.sink.results[2]?["account"] == "build")
    let renamed = #expect(throws: Failure.self) { try manage(.rename(account: "build", to: "job"), 3) }
    #expect(renamed == itself)
    try manage(.rename(account: "build", to: "ci"), 4)
    #expect(home.sink.results[4]?["account"] == "ci")
  }

  @Test func `that is signed out hands out no token from memory`() throws {
    try ask(1)
    home.runJobs()
    #expect(home.sink.lines[1]?.contains("at-1") == true)
    try parts.signOuts.logout(LogoutRequest(account: "work"), .number(2))
    #expect(try parts.broker.resolve("work").session.grant == nil, "at once, before the server is told")
    home.runJobs()
    try ask(3)
    home.runJobs()
    #expect(home.sink.failures[3]?.code == .signedOut)
    #expect(home.sink.lines[3] == nil)
    #expect(home.http.roles.contains(.revocation))
  }

  @Test func `whose server is silent is signed out all the same, and the server is told later`() throws {
    home.http.isSilentAtRevocation = true
    try parts.signOuts.logout(LogoutRequest(account: "work"), .number(1))
    home.runJobs()
    #expect(home.sink.results[1]?["accounts"]?.array?.first?["revoked"] == false)
    #expect(try home.services.record(of: AccountName("work"))?.revocation != nil)
    home.http.isSilentAtRevocation = false
    let told = home.http.roles.count { $0 == .revocation }
    home.pass(seconds: 31)
    #expect(home.http.roles.count { $0 == .revocation } == told + 1)
    #expect(try home.services.record(of: AccountName("work")) == nil)
  }

  @Test func `whose sign-out is under way is left to it by those who tell servers of earlier ones`() throws {
    let work = try AccountName("work")
    home.http.isSilentAtRevocation = true
    try parts.signOuts.logout(LogoutRequest(account: "work"), .number(1))
    home.runJobs()
    home.http.isSilentAtRevocation = false
    _ = parts.signOuts.begin(work, try parts.broker.resolve("work"), isLocal: false)
    let told = home.http.roles.count { $0 == .revocation }
    home.pass(seconds: 31)
    #expect(home.http.roles.count { $0 == .revocation } == told)
    parts.signOuts.ended(work)
    home.pass(seconds: 61)
    #expect(home.http.roles.count { $0 == .revocation } == told + 1)
  }
}
