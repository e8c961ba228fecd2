import Encoding
import WireSupport
import Sessions
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `The status of an account` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work")
    parts = try DaemonParts(home.context)
  }

  private func status(_ number: Int, _ purpose: StatusRequests.Purpose = .status, of name: String? = nil) throws
    -> JSON?
  {
    try parts.status.listAccounts(purpose, name, .number(number))
    home.runJobs()
    return home.sink.results[number]?["accounts"]?.array?.first
  }

  @Test func `that was deleted from the settings by hand tells that its session is left, and how that is ended`() throws
  {
    let work = try AccountName("work")
    _ = try home.settings.change { (settings) throws(ConfigurationError) in settings.remove(work) }
    for (number, name) in [(1, nil), (2, "work")] {
      let account = try #require(try status(number, of: name))
      #expect(account["state"] == "signed_out" && account["in_config"] == false)
      #expect(account["client_id"] == "cli")
      #expect(account["problem"]?["code"] == "no_account")
      #expect(account["problem"]?["hint"] == "agent account remove work")
    }
    let brief = try #require(try status(3, .list))
    #expect(brief["in_config"] == false && brief["problem"] == nil && brief["client_id"] == nil)
  }

  @Test func `whose settings are others than those of its sign-in is that of one who is signed out`() throws {
    #expect(try status(1)?["state"] == "stale")
    let work = try AccountName("work")
    var configuration = try #require(try home.settings.current()[work])
    configuration.clientID = "other"
    let changed = configuration
    _ = try home.settings.change { (settings) throws(ConfigurationError) in try settings.set(changed, for: work) }
    let account = try #require(try status(2))
    #expect(account["state"] == "signed_out" && account["in_config"] == nil)
    #expect(account["problem"]?["code"] == "configuration_changed", "\(account["problem"] ?? .null)")
  }

  @Test func `tells that it may go to a server of this machine without TLS, where the settings say so`() throws {
    #expect(try status(1)?["http_loopback"] == nil)
    let work = try AccountName("work")
    var configuration = try #require(try home.settings.current()[work])
    configuration.allowHTTPLoopback = true
    let changed = configuration
    _ = try home.settings.change { (settings) throws(ConfigurationError) in try settings.set(changed, for: work) }
    #expect(try status(2)?["http_loopback"] == true)
  }

  @Test func `has the ends that the server told, until the session is over`() throws {
    let tokens: JSONObject = [
      "access_token": "at-1", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "rt-2",
      "refresh_token_expires_in": 7200, "authorization_expires_in": 86_400,
    ]
    home.http.answers = [.json(tokens), .error("invalid_grant")]
    try parts.broker.sendToken(TokenRequest(account: "work"), .number(1))
    home.runJobs()
    let now = home.time.wallSeconds()
    let account = try #require(try status(2))
    #expect(account["refresh_token_expires_at"] == .int(now + 7200))
    #expect(account["authorization_expires_at"] == .int(now + 86_400))
    try parts.broker.sendToken(TokenRequest(account: "work", forceRefresh: true), .number(3))
    home.runJobs()
    let ended = try #require(try status(4))
    #expect(ended["state"] == "expired" && ended["refresh_token_expires_at"] == nil)
    #expect(ended["authorization_expires_at"] == nil)
  }

  @Test func `tells in a list, too, which account is the active one, and which is in no file`() throws {
    try home.beginSignIn(to: "guest", parts.signIns, 1) { $0.isEphemeral = true }
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    home.pass(seconds: 5)
    _ = try status(2, .list)
    let accounts = home.sink.results[2]?["accounts"]?.array ?? []
    #expect(accounts.compactMap { $0["name"]?.string }.sorted() == ["guest", "work"])
    for account in accounts {
      let isGuest = account["name"] == "guest"
      #expect(account["active"] == .bool(!isGuest) && account["ephemeral"] == (isGuest ? true : nil))
    }
  }

  @Test func `has the daemon and the vault beside it, a list has not`() throws {
    _ = try status(1)
    _ = try status(2, .list)
    #expect(home.sink.results[1]?["daemon"]?["socket"] != nil && home.sink.results[1]?["vault"] != nil)
    #expect(home.sink.results[2]?["daemon"] == nil && home.sink.results[2]?["vault"] == nil)
  }
}

@Suite struct `An examination of servers` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work")
    parts = try DaemonParts(home.context)
  }

  private func servers(_ number: Int) -> [JSON?] {
    (home.sink.results[number]?["accounts"]?.array ?? []).map { $0["server"] }
  }

  @Test func `asks each server once, however many accounts are there, and is answered where there is none`() throws {
    try home.add("mail")
    try home.add("other", at: "https://other.example")
    try parts.status.examine(nil, .number(1))
    home.runJobs()
    #expect(home.http.roles.count { $0 == .metadata } == 2)
    #expect(servers(1).count == 3 && servers(1).allSatisfy { $0?["milliseconds"] != nil })
    let empty = try DaemonHome()
    try DaemonParts(empty.context).status.examine(nil, .number(1))
    empty.runJobs()
    #expect(empty.sink.results[1]?["accounts"]?.array?.isEmpty == true)
  }

  @Test func `tells after two seconds of a server that has not answered, and once`() throws {
    home.http.areDocumentsHeld = true
    try parts.status.examine("work", .number(1))
    try home.runJobs { home.http.roles.contains(.metadata) }
    home.time.advance(seconds: 1)
    home.sink.runDue()
    home.time.advance(seconds: 1)
    home.sink.runDue()
    try home.runJobs { home.sink.results[1] != nil }
    #expect(servers(1).map { $0?["problem"]?["code"] } == ["timeout"])
    let answered = home.sink.results[1]
    home.http.areDocumentsHeld = false
    home.runJobs()
    #expect(home.sink.results[1] == answered, "it is answered once")
  }
}

@Suite struct `Who a person is` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work", renewals: 1)
    parts = try DaemonParts(home.context)
  }

  @Test func `is asked of the server where no ID Token says it, unless only what is verified counts`() throws {
    var metadata = PlayedServer.metadata
    metadata["userinfo_endpoint"] = "https://as.example/userinfo"
    for path in ["openid-configuration", "oauth-authorization-server"] {
      home.http.documents["https://as.example/.well-known/\(path)"] = metadata
    }
    home.http.documents["https://as.example/userinfo"] = ["sub": "alice"]
    try parts.identity.whoami("work", isVerified: true, .number(1))
    home.runJobs()
    #expect(home.sink.results[1]?["source"] == nil && home.sink.results[1]?["subject"] == nil)
    #expect(home.http.roles.isEmpty)
    try parts.identity.whoami("work", isVerified: false, .number(2))
    home.runJobs()
    #expect(home.sink.results[2]?["source"] == "userinfo" && home.sink.results[2]?["subject"] == "alice")
    #expect(home.sink.results[2]?["issuer"] == "https://as.example")
  }

  /// Asks the server, and waits until the request is sent.
  private func ask(_ number: Int) throws {
    var metadata = PlayedServer.metadata
    metadata["userinfo_endpoint"] = "https://as.example/userinfo"
    for path in ["openid-configuration", "oauth-authorization-server"] {
      home.http.documents["https://as.example/.well-known/\(path)"] = metadata
    }
    home.http.documents["https://as.example/userinfo"] = ["sub": "alice"]
    home.http.heldRole = .userinfo
    try parts.identity.whoami("work", isVerified: false, .number(number))
    try home.runJobs { home.http.roles.contains(.userinfo) }
  }

  // Late answers have an owner.
  @Test func `is asked again of a session that began while the server was asked`() throws {
    home.http.answers.append(.tokens("at-2", refresh: "rt-3"))
    try ask(1)
    try parts.broker.resolve("work").ownSlot.session.forgetToken()
    home.http.heldRole = nil
    home.runJobs()
    #expect(home.sink.results[1]?["subject"] == "alice")
    #expect(home.http.roles.count { $0 == .userinfo } == 2)
  }

  // Each ticket is answered once.
  @Test func `is answered where the account went while the server was asked`() throws {
    try ask(1)
    parts.broker.removeDeletedAccount(try AccountName("work"))
    home.http.heldRole = nil
    home.runJobs()
    #expect(home.sink.failures[1]?.code == .noAccount)
  }

  @Test func `is not told by a server that has no place for it, and not behind a lock`() throws {
    try parts.identity.whoami("work", isVerified: false, .number(1))
    home.runJobs()
    #expect(home.sink.results[1]?["account"] == "work" && home.sink.results[1]?["source"] == nil)
    try home.createPassphrase(parts.vault, 10)
    try home.addSignedIn("shut", protection: .passphrase)
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    try parts.broker.sendToken(TokenRequest(account: "shut"), .number(2))
    home.runJobs()
    parts.locker.lock(.userRequest)
    let failure = #expect(throws: Failure.self) { try parts.identity.whoami("shut", isVerified: true, .number(3)) }
    #expect(failure?.code == .locked)
    home.runJobs()
  }
}
