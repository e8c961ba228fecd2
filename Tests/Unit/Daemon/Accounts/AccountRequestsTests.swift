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

@Suite struct `An account` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work", renewals: 2)
    parts = try DaemonParts(home.context)
  }

  private func ask(_ number: Int, _ name: String = "work") throws(Failure) {
    try parts.broker.sendToken(TokenRequest(account: name), .number(number))
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

  @Test func `that gets another name keeps its token, its file and what was told of it`() throws {
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    try ask(1)
    home.runJobs()
    // The server no longer responds.
    try parts.broker.sendToken(TokenRequest(account: "work", forceRefresh: true), .number(2))
    home.runJobs()
    for _ in 0..<3 { home.pass(seconds: 5) }
    #expect(home.published.map(\.name) == [.refreshed, .offline])
    try manage(.rename(account: "work", to: "job"), 3)
    #expect(home.sink.results[3]?["renamed_from"] == "work" && home.sink.results[3]?["active"] == true)
    #expect(home.logged.filter(\.isOfSettings) == [.settingsChanged(.renamed), .settingsChanged(.named)])
    let tries = home.http.sent.count
    try ask(4, "job")
    home.runJobs()
    #expect(home.sink.lines[4]?.contains("at-1") == true && home.http.sent.count == tries)
    home.http.answers = [.tokens("at-2", refresh: "rt-3")]
    home.pass(seconds: 3600)
    try ask(5, "job")
    home.runJobs()
    #expect(home.sink.lines[5]?.contains("at-2") == true)
    #expect(home.published.suffix(2).map(\.name) == [.online, .refreshed])
  }

  @Test func `that is added is told of, and is the active one where it is the first`() throws {
    let home = try DaemonHome()
    let parts = try DaemonParts(home.context)
    var settings = AccountSettings()
    (settings.issuer, settings.clientID) = ("https://as.example", "cli")
    for (number, name) in [(1, "work"), (2, "mail")] {
      try parts.accounts.manage(.add(account: name, settings), .number(number), passed: [])
      home.runJobs()
      #expect(home.sink.results[number]?["account"] == .string(name))
      #expect(home.sink.results[number]?["active"] == .bool(number == 1))
    }
    #expect(home.published == [.accountAdded, .activeChanged, .accountAdded])
    #expect(home.logged == [.settingsChanged(.added), .settingsChanged(.added)])
    try parts.accounts.use("mail", .number(3))
    home.runJobs()
    #expect(home.logged.last == .settingsChanged(.activated) && home.published.last == .activeChanged)
  }

  @Test func `is shown with its settings, its protection once it has one, and whether it is the active one`() throws {
    try home.add("mail")
    for (number, name, protection) in [(1, "work", JSON.string("device")), (2, "mail", nil)] {
      try manage(.show(account: name), number)
      let shown = home.sink.results[number]
      #expect(shown?["account"] == .string(name) && shown?["active"] == .bool(number == 1))
      #expect(shown?["protection"] == protection && shown?["settings"]?["client_id"] == "cli")
    }
  }

  @Test func `that is set to another client is signed out, which is told with the setting`() throws {
    try ask(1)
    home.runJobs()
    var settings = AccountSettings()
    settings.clientID = "other"
    try manage(.set(account: "work", settings, unset: []), 2)
    #expect(home.sink.results[2]?["signed_out"] == true && home.sink.results[2]?["setting"] == "client_id")
    #expect(home.published.last == .signedOut(.settings) && home.logged.last == .settingsChanged(.changed))
    #expect(try parts.broker.resolve("work").ownSlot.session.grant == nil)
  }

  @Test func `that is set to other places goes on with its token`() throws {
    try ask(1)
    home.runJobs()
    var settings = AccountSettings()
    settings.origins = ["https://api.example"]
    try manage(.set(account: "work", settings, unset: []), 2)
    #expect(home.sink.results[2]?["signed_out"] == false)
    try ask(3)
    home.runJobs()
    #expect(home.sink.lines[3]?.contains("at-1") == true && home.http.sent == ["rt-1"])
    #expect(home.published.map(\.name) == [.refreshed])
    #expect(try parts.broker.resolve("work").configuration.origins == ["https://api.example"])
  }

  // Clients that do not know `proxy_source` change the proxy too.
  @Test func `has the proxy of the last change, whoever named the one before`() throws {
    var settings = AccountSettings()
    (settings.proxy, settings.proxySource) = ("http://one.example:3128", .option)
    try manage(.set(account: "work", settings, unset: []), 1)
    #expect(try parts.broker.resolve("work").configuration.proxySource == .option)
    (settings.proxy, settings.proxySource) = ("http://two.example:3128", nil)
    try manage(.set(account: "work", settings, unset: []), 2)
    #expect(try parts.broker.resolve("work").configuration.proxy == "http://two.example:3128")
    #expect(try parts.broker.resolve("work").configuration.proxySource == nil)
  }

  @Test func `is not changed by a request of which a part fails`() throws {
    let before = try home.settings.current()
    var settings = AccountSettings()
    // There is no passphrase.
    (settings.protection, settings.refresh) = (.passphrase, .background)
    try manage(.set(account: "work", settings, unset: []), 1)
    #expect(home.sink.failures[1] != nil)
    settings = AccountSettings()
    settings.proxy = "http://user:secret@proxy.example:3128"
    let failure = #expect(throws: Failure.self) { try manage(.set(account: "work", settings, unset: []), 2) }
    #expect(failure?.hint == "agent login work")
    #expect(try home.settings.current() == before && home.logged.isEmpty)
  }

  @Test func `that a sign-in is under way to is neither added, nor changed, nor renamed, and gives no name`() throws {
    try home.add("mail")
    try home.beginSignIn(to: "work", parts.signIns, 1)
    try home.beginSignIn(to: "new", parts.signIns, 2)
    var settings = AccountSettings()
    (settings.issuer, settings.clientID) = ("https://as.example", "cli")
    for request in [
      AccountRequest.add(account: "new", settings),
      .set(account: "work", AccountSettings(), unset: [AccountSetting.table.scope]),
      .rename(account: "work", to: "job"), .rename(account: "mail", to: "new"),
    ] {
      let failure = #expect(throws: Failure.self) { try manage(request, 3) }
      #expect(failure?.code == .tooBusy, "\(request)")
    }
    try manage(.rename(account: "mail", to: "post"), 4)
    #expect(home.sink.results[4]?["account"] == "post")
  }

  // The approval is being used: otherwise the session would be created after its end.
  @Test func `that an approved sign-in is being stored for is neither signed out nor removed`() throws {
    try home.beginSignIn(to: "work", parts.signIns, 1)
    #expect(try #require(parts.signIns.logins.values.first).approval.approve())
    let kept = #expect(throws: Failure.self) {
      try parts.signOuts.logout(LogoutRequest(account: "work"), .number(2))
    }
    #expect(kept?.code == .tooBusy)
    let listed = #expect(throws: Failure.self) { try manage(.remove(account: "work", local: false), 2) }
    #expect(listed?.words == kept?.words)
    #expect(try home.storedToken("work") == "rt-1")
  }

  @Test func `that is ephemeral is the active one from its choice until its end, and in no file`() throws {
    home.http.answers = (1...3).map { .tokens("at-\($0)", refresh: "rt-\($0)") }
    func active() throws -> String? { try parts.broker.resolve(nil).name.text }
    try home.addSignedIn("work")
    home.context.files.poll()
    #expect(try active() == "work")
    for (name, activates) in [("one", false), ("two", true)] {
      try home.beginSignIn(to: name, parts.signIns, 1) { ($0.isEphemeral, $0.activates) = (true, activates) }
      home.pass(seconds: 5)
      #expect(home.sink.results[1]?["active_account"] == .string(activates ? name : "work"))
    }
    for name in ["one", "two", "work", "one"] {
      try parts.accounts.use(name, .number(2))
      home.runJobs()
      #expect(home.sink.results[2]?["account"] == .string(name))
      #expect(try active() == name)
    }
    #expect(try home.settings.current().active?.text == "work")
    let changes = home.published.filter { $0.name == .activeChanged }.count
    #expect(changes == 5)
    try parts.signOuts.logout(LogoutRequest(account: "one"), .number(3))
    home.runJobs()
    #expect(try active() == "work")
    #expect(home.published.last?.name == .activeChanged)
  }

  @Test func `that is ephemeral is not changed, and is gone once it is signed out or removed`() throws {
    home.http.answers = (1...3).map { .tokens("at-\($0)", refresh: "rt-\($0)") }
    for name in ["one", "two", "three"] {
      try home.beginSignIn(to: name, parts.signIns, 1) { $0.isEphemeral = true }
      home.pass(seconds: 5)
      #expect(home.sink.results[1]?["account"] == .string(name))
    }
    for request in [
      AccountRequest.set(account: "one", AccountSettings(), unset: [AccountSetting.table.scope]),
      .rename(account: "one", to: "job"),
    ] {
      let failure = #expect(throws: Failure.self) { try manage(request, 2) }
      #expect(failure?.hint == "agent logout one" && failure?.code == .invalidRequest)
    }
    home.http.isSilentAtRevocation = true
    try parts.signOuts.logout(LogoutRequest(account: "one"), .number(3))
    home.runJobs()
    home.http.isSilentAtRevocation = false
    try manage(.remove(account: "two", local: false), 4)
    try parts.signOuts.logout(LogoutRequest(account: "three"), .number(5))
    home.runJobs()
    #expect(home.sink.results[3] != nil && home.sink.results[4]?["revoked"] == true)
    #expect(home.sink.results[5]?["accounts"]?.array?.first?["revoked"] == true)
    #expect(home.services.ephemeral.accounts.isEmpty)
    for name in ["one", "two", "three"] {
      let failure = #expect(throws: Failure.self) { _ = try parts.broker.resolve(name) }
      #expect(failure?.code == .noAccount)
    }
    #expect(parts.broker.accounts.keys.map(\.text) == [])
  }

  @Test func `that is removed is told as the end of its session and of itself, with who is active then`() throws {
    try home.add("mail")
    home.context.announceSettings()
    try manage(.remove(account: "work", local: false), 1)
    #expect(home.sink.results[1]?["revoked"] == true && home.sink.results[1]?["active_account"] == "mail")
    #expect(home.published == [.accountAdded, .signedOut(.removed), .accountRemoved, .activeChanged])
    #expect(home.logged == [.signedOut(.revoked), .settingsChanged(.removed)])
    try manage(.remove(account: "mail", local: false), 2)
    #expect(home.sink.results[2]?["revoked"] == false)
    #expect(home.published.dropFirst(4) == [.accountRemoved, .activeChanged], "not signed in")
  }

  private func importToken(_ text: String, to account: String, _ number: Int) throws {
    var settings = AccountSettings()
    (settings.issuer, settings.clientID) = ("https://as.example", "cli")
    let source = SharedDescriptor(try FileDescriptor.inMemory(Array(text.utf8).span))
    try parts.accounts.manage(.import(account: account, settings, passedSecrets: []), .number(number), passed: [source])
    home.runJobs()
  }

  @Test func `that is set up with a token of another program is signed in, which is told`() throws {
    try importToken("rt-0", to: "new", 1)
    #expect(home.sink.results[1]?["account"] == "new" && home.http.sent == ["rt-0"])
    #expect(try home.storedToken("new") == "rt-2")
    #expect(home.logged.last == .settingsChanged(.imported))
    #expect(home.published.map(\.name) == [.accountAdded, .signedIn])
    try ask(2, "new")
    home.runJobs()
    #expect(home.sink.lines[2]?.contains("at-1") == true && home.http.sent == ["rt-0"])
    let failure = #expect(throws: Failure.self) { try importToken("rt-0", to: "new", 3) }
    #expect(failure?.code == .accountExists)
  }

  @Test func `that is set up with a token that the server refuses is told so, and is not there`() throws {
    home.http.answers = [.json(["error": "invalid_grant", "error_description": "too old"], 400)]
    try importToken("rt-0", to: "new", 1)
    #expect(
      home.sink.failures[1]?.message == "the server does not accept this refresh token (invalid_grant): too old")
    #expect(home.published.isEmpty)
    #expect(throws: Failure.self) { try ask(2, "new") }
    let failure = #expect(throws: Failure.self) {
      try parts.accounts.manage(
        .import(account: "new", AccountSettings(), passedSecrets: []), .number(3), passed: [])
    }
    #expect(failure?.code == .issuerNeeded || failure?.code == .invalidRequest)
  }

  @Test func `has a document to publish where its client is a URL, and needs no account for it`() throws {
    var settings = AccountSettings()
    settings.clientID = "https://app.example/client"
    for (number, account) in [(1, nil), (2, "work")] {
      try manage(.clientMetadata(account: account, settings, passedSecrets: []), number)
      #expect(home.sink.results[number]?["client_id"] == "https://app.example/client")
    }
    try manage(.clientMetadata(account: nil, AccountSettings(), passedSecrets: []), 3)
    #expect(home.sink.failures[3] != nil, "the client of the active account is no URL")
    #expect(home.http.roles.isEmpty)
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

  /// The events that end the requests waiting for an account's tokens.
  enum End: CaseIterable, CustomTestStringConvertible {
    case settingsRemoved, otherSettings, otherName, lock, signOut, removal

    var testDescription: String { "\(self)" }
  }

  // Store first.
  @Test(arguments: End.allCases)
  func `that ends while a refresh for a target is under way keeps or revokes the refresh token that comes`(
    _ end: End
  ) throws {
    home.http.isHeld = true
    var request = TokenRequest(account: "work")
    request.target = TokenRequest.Target(scope: ["mail"])
    try parts.broker.sendToken(request, .number(1))
    home.http.awaitRequests(1)
    let account = try parts.broker.resolve("work")
    switch end {
    case .settingsRemoved: parts.broker.removeDeletedAccount(account.name)
    case .otherSettings:
      var other = account.configuration
      other.scope = ["mail"]
      parts.broker.applySettings(other, to: account)
    case .otherName: try parts.accounts.manage(.rename(account: "work", to: "job"), .number(2), passed: [])
    case .lock: parts.broker.failWaiters(account, .vault(VaultError(.locked(.device))))
    case .signOut: try parts.signOuts.logout(LogoutRequest(account: "work"), .number(2))
    case .removal: try parts.accounts.manage(.remove(account: "work", local: false), .number(2), passed: [])
    }
    home.http.isHeld = false
    home.runJobs()
    switch end {
    case .settingsRemoved, .lock: #expect(try home.storedToken("work") == "rt-2")
    case .otherSettings: #expect(try home.storedToken("work") == "rt-3", "the one who waits starts over")
    case .otherName: #expect(try home.storedToken("job") == "rt-2" || home.storedToken("job") == "rt-3")
    case .signOut, .removal: #expect(home.http.revoked == ["rt-2"])
    }
    if end != .signOut, end != .removal { #expect(home.http.revoked.isEmpty) }
  }

  // Late answers have an owner.
  @Test func `takes no answer that was obtained for one of its name before`() throws {
    home.http.isHeld = true
    try ask(1)
    home.http.awaitRequests(1)
    let account = try AccountName("work")
    let configuration = try parts.broker.resolve("work").configuration
    parts.broker.removeDeletedAccount(account)
    let anew = parts.broker.updatedAccount(account, configuration)
    try ask(2)
    home.http.isHeld = false
    home.runJobs()
    // The second refresh waited for the first one, and sent its token.
    #expect(home.http.sent == ["rt-1", "rt-2"])
    #expect(home.sink.lines[2]?.contains("at-2") == true)
    #expect(anew.ownSlot.session.grant != nil)
  }

  @Test func `that is signed out hands out no token from memory`() throws {
    try ask(1)
    home.runJobs()
    #expect(home.sink.lines[1]?.contains("at-1") == true)
    try parts.signOuts.logout(LogoutRequest(account: "work"), .number(2))
    #expect(try parts.broker.resolve("work").ownSlot.session.grant == nil, "at once, before the server is told")
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
    _ = parts.signOuts.beginSignOut(work, try parts.broker.resolve("work"), isLocal: false)
    let told = home.http.roles.count { $0 == .revocation }
    home.pass(seconds: 31)
    #expect(home.http.roles.count { $0 == .revocation } == told)
    parts.signOuts.endSignOut(work)
    home.pass(seconds: 61)
    #expect(home.http.roles.count { $0 == .revocation } == told + 1)
  }
}

extension LogEvent {
  fileprivate var isOfSettings: Bool { if case .settingsChanged = self { true } else { false } }
}
