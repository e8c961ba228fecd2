import Encoding
import Sessions
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `A check of sessions` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome()
    parts = try DaemonParts(home.context)
  }

  /// What the check says of the only account.
  private func check(_ number: Int, _ member: String = "check") throws -> JSON? {
    try parts.status.check(nil, .number(number))
    home.runJobs()
    return home.sink.results[number]?["accounts"]?.array?.first?[member]
  }

  @Test func `of no accounts is answered, and of several once all are checked`() throws {
    #expect(try check(1) == nil)
    #expect(home.sink.results[1]?["accounts"]?.array?.isEmpty == true)
    for name in ["a", "b"] { try home.addSignedIn(name) }
    home.http.answers = (1...2).map { .tokens("at-\($0)", refresh: "rt-2") }
    home.http.isHeld = true
    try parts.status.check(nil, .number(2))
    try home.runJobs { home.http.sent.count == 2 }
    #expect(home.sink.results[2] == nil)
    home.http.isHeld = false
    home.runJobs()
    #expect(home.sink.results[2]?["accounts"]?.array?.count == 2)
  }

  @Test func `finds none where the server ended it before, and asks nobody`() throws {
    try home.addSignedIn("work")
    home.http.answers = [.error("invalid_grant")]
    #expect(try check(1) == "signed_out_elsewhere")
    let asked = home.http.roles.count
    #expect(try check(2) == "not_signed_in")
    #expect(home.http.roles.count == asked)
  }

  @Test func `calls a session expired whose token was no longer good`() throws {
    try home.addSignedIn("work")
    home.http.answers = [.error("invalid_grant")]
    #expect(try check(1, "check_cause") == "expired")
  }

  @Test func `counts a session whose token is in memory alone`() throws {
    home.http.answers = [.json(["access_token": "at-1", "token_type": "Bearer", "expires_in": 3600])]
    var request = LoginRequest()
    (request.account, request.issuer, request.clientID) = ("work", "https://as.example", "cli")
    request.flow = .device
    try parts.signIns.login(request, .number(1), passed: [])
    home.runJobs()
    home.pass(seconds: 5)
    #expect(home.sink.results[1]?["account"] == "work")
    #expect(try check(2) == "not_possible", "the server has no endpoint for it")
    home.time.advance(seconds: 3600)
    #expect(try check(3) == "not_signed_in", "the token has expired")
  }
}
