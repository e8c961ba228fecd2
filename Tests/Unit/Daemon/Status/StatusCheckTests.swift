import Encoding
import WireSupport
import Sessions
import TestSupport
import Testing
import Vault
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

  /// The result of the check of the only account.
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

  /// A server that reports whether a session exists.
  private func introspect(isActive: Bool) {
    var metadata = PlayedServer.metadata
    metadata["introspection_endpoint"] = "https://as.example/introspect"
    metadata["userinfo_endpoint"] = "https://as.example/userinfo"
    for path in ["openid-configuration", "oauth-authorization-server"] {
      home.http.documents["https://as.example/.well-known/\(path)"] = metadata
    }
    home.http.documents["https://as.example/introspect"] = ["active": .bool(isActive)]
    home.http.documents["https://as.example/userinfo"] = ["sub": "alice"]
  }

  @Test func `finds a session that the server honours, and is logged`() throws {
    try home.addSignedIn("work")
    introspect(isActive: true)
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    let result = try check(1)
    #expect(result == "ok")
    #expect(home.logged.last == .checked(milliseconds: 0, .valid))
  }

  // Late answers have an owner.
  @Test func `asks again about a session that began while the server was asked about the earlier one`() throws {
    try home.addSignedIn("work")
    introspect(isActive: true)
    home.http.answers = [.tokens("at-1", refresh: "rt-2"), .tokens("at-2", refresh: "rt-3")]
    home.http.heldRole = .userinfo
    try parts.status.check(nil, .number(1))
    try home.runJobs { home.http.roles.contains(.userinfo) }
    // As after a change of its settings.
    try parts.broker.resolve("work").ownSlot.session.forgetToken()
    home.http.heldRole = nil
    home.runJobs()
    #expect(home.sink.results[1]?["accounts"]?.array?.first?["check"] == "ok")
    #expect(home.http.roles.count { $0 == .userinfo } == 2 && home.http.sent == ["rt-1", "rt-2"])
  }

  @Test func `tells why there is no answer for an account, and has those of the others`() throws {
    try home.addSignedIn("work")
    try home.createPassphrase(parts.vault, 10)
    try home.addSignedIn("shut", protection: .passphrase)
    home.services.vault.lock()
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    home.http.isHeld = true
    try parts.status.check(nil, .number(1))
    try home.runJobs { home.http.sent.count == 1 }
    try parts.status.listAccounts(.list, nil, .number(9))
    try home.runJobs { home.sink.results[9] != nil }
    #expect(home.sink.results[1] == nil, "one has not answered")
    home.http.isHeld = false
    home.runJobs()
    let accounts = home.sink.results[1]?["accounts"]?.array ?? []
    #expect(accounts.map { $0["check"] } == ["not_possible", "failed"])
    #expect(accounts.map { $0["check_problem"]?["code"] } == [nil, "locked"])
    try parts.status.check("work", .number(2))
    home.runJobs()
    #expect(home.sink.results[2]?["accounts"]?.array?.count == 1)
    #expect(throws: Failure.self) { try parts.status.check("nobody", .number(3)) }
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
