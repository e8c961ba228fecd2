import Encoding
import OAuth
import WireSupport
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `A sign-out` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work", origins: ["https://api.example"], renewals: 3)
    parts = try DaemonParts(home.context)
  }

  private func signOut(_ number: Int, _ request: LogoutRequest = LogoutRequest(account: "work")) throws {
    try parts.signOuts.logout(request, .number(number))
    home.runJobs()
  }

  private func results(_ number: Int) -> [JSON]? { home.sink.results[number]?["accounts"]?.array }

  private var revocations: Int { home.http.roles.count { $0 == .revocation } }

  @Test func `of all tells of those that were signed in, and is answered where there is none`() throws {
    try home.add("mail")
    try signOut(1, LogoutRequest(allAccounts: true))
    #expect(results(1)?.compactMap { $0["account"] } == ["work"])
    #expect(home.published == [.accountAdded, .signedOut(.user)])
    try signOut(2)
    #expect(results(2)?.map { $0["revoked"] } == [false], "one that is named is told of")
    #expect(home.published == [.accountAdded, .signedOut(.user)])
    let empty = try DaemonHome()
    let others = try DaemonParts(empty.context)
    try others.signOuts.logout(LogoutRequest(allAccounts: true), .number(1))
    empty.runJobs()
    #expect(empty.sink.results[1]?["accounts"]?.array?.isEmpty == true)
  }

  @Test func `of all is of those that the settings name when it acts`() throws {
    try home.add("mail")
    let mail = try AccountName("mail")
    try parts.signOuts.logout(LogoutRequest(allAccounts: true), .number(1))
    _ = try home.settings.change { (settings) throws(ConfigurationError) in settings.remove(mail) }
    home.runJobs()
    #expect(results(1)?.compactMap { $0["account"] } == ["work"])
    #expect(parts.broker.accounts[mail] == nil)
  }

  @Test(arguments: [true, false])
  func `is one also of an account that was deleted from the settings by hand`(isOfAll: Bool) throws {
    let work = try AccountName("work")
    _ = try home.settings.change { (settings) throws(ConfigurationError) in settings.remove(work) }
    try signOut(1, isOfAll ? LogoutRequest(allAccounts: true) : LogoutRequest(account: "work"))
    #expect(results(1)?.map { $0["revoked"] } == [true])
    #expect(try home.services.record(of: work) == nil)
    try signOut(2, LogoutRequest(account: "nobody"))
    #expect(home.sink.failures[2]?.code == .noAccount)
    let unnameable = #expect(throws: Failure.self) { try signOut(3, LogoutRequest(account: "no/body")) }
    #expect(unnameable?.code == .noAccount)
  }

  @Test func `ends all that goes on for the account, before the server is told`() throws {
    try parts.tokenFiles.handle(TokenFileRequest(account: "work"), .number(1))
    home.runJobs()
    let account = try parts.broker.resolve("work")
    let questions = account.questionCancellation
    try home.beginSignIn(to: "work", parts.signIns, 3)
    try home.beginSignIn(to: "other", parts.signIns, 4)
    home.http.isResourceHeld = true
    try parts.resources.call(
      CallRequest(account: "work", url: "https://api.example/items", method: "POST"), .number(2), timeoutSeconds: nil,
      passed: [SharedDescriptor(try Pipe().writing.duplicate())])
    try home.runJobs { home.http.resourceTokens.count == 1 }
    home.http.isHeld = true
    try parts.broker.sendToken(TokenRequest(account: "work", forceRefresh: true), .number(5))
    try parts.signOuts.logout(LogoutRequest(account: "work"), .number(6))
    #expect(home.sink.failures[2]?.code == .signedOut && home.sink.failures[5]?.code == .signedOut)
    #expect(home.sink.failures[3]?.message == "the account was signed out" && home.sink.failures[4] == nil)
    #expect(questions.isCancelled && account.ownSlot.session.grant == nil)
    // Its events are not handled.
    try home.wait {
      try home.runtime().fileNames().allSatisfy { $0.hasSuffix(".lock") || $0 == WireProtocol.changesFileName }
    }
    home.http.isHeld = false
    home.http.isResourceHeld = false
    home.runJobs()
    #expect(results(6) != nil)
  }

  @Test(arguments: [true, false])
  func `forgets what is known of a server that no other account is at`(isShared: Bool) throws {
    if isShared { try home.add("mail") }
    func asks() -> Int { home.http.roles.count { $0 == .metadata } }
    try parts.broker.sendToken(TokenRequest(account: "work"), .number(1))
    home.runJobs()
    try signOut(2)
    let before = asks()
    try home.addSignedIn("work")
    try parts.broker.sendToken(TokenRequest(account: "work"), .number(3))
    home.runJobs()
    #expect(home.sink.lines[3] != nil)
    #expect((asks() == before) == isShared)
  }

  @Test func `names where the session in the browser is ended, where that is asked for`() throws {
    var metadata = PlayedServer.metadata
    metadata["end_session_endpoint"] = "https://as.example/end"
    for path in ["openid-configuration", "oauth-authorization-server"] {
      home.http.documents["https://as.example/.well-known/\(path)"] = metadata
    }
    try signOut(1, LogoutRequest(account: "work", returnsBrowserURL: true))
    #expect(results(1)?.first?["end_session_url"]?.string?.hasPrefix("https://as.example/end") == true)
    try home.addSignedIn("work")
    try signOut(2)
    #expect(results(2)?.first?["revoked"] == true && results(2)?.first?["end_session_url"] == nil)
  }

  @Test func `at this machine alone tells the server nothing`() throws {
    try signOut(1, LogoutRequest(account: "work", skipsRevocation: true))
    #expect(results(1)?.first?["revoked"] == false && home.http.roles.isEmpty)
    #expect(home.logged == [.signedOut(.notRevoked)])
    home.pass(seconds: 3600)
    #expect(home.http.roles.isEmpty)
  }

  // A locked record cannot be read.
  @Test func `that fails keeps the session, and does not hide that of another account`() throws {
    try home.createPassphrase(parts.vault, 10)
    try home.addSignedIn("shut", protection: .passphrase)
    home.context.announceSettings()
    try parts.tokenFiles.handle(TokenFileRequest(account: "work"), .number(9))
    home.runJobs()
    home.services.vault.lock()
    try signOut(1, LogoutRequest(account: "shut"))
    #expect(home.sink.failures[1]?.code == .locked && home.sink.results[1] == nil)
    #expect(home.logged.last == .signedOut(.failed))
    try signOut(2, LogoutRequest(allAccounts: true))
    #expect(results(2)?.count == 2)
    for result in results(2) ?? [] {
      let isShut = result["account"] == "shut"
      #expect(result["revoked"] == .bool(!isShut) && result["error"]?["code"] == (isShut ? "locked" : nil))
    }
    #expect(home.published.map(\.name) == [.accountAdded, .refreshed, .signedOut])
    try parts.accounts.manage(.remove(account: "shut", local: false), .number(3), passed: [])
    home.runJobs()
    #expect(home.sink.failures[3]?.code == .locked && home.logged.last == .signedOut(.failed))
    #expect(try home.settings.current()[AccountName("shut")] != nil)
  }

  @Test
  func `that the server does not hear of is told to it after 30 seconds, then half as often, twice an hour at last`()
    throws
  {
    home.http.isSilentAtRevocation = true
    try signOut(1)
    var told = revocations
    for pause in [30, 60, 120, 240, 480, 960, 1800, 1800] {
      home.pass(seconds: pause - 1)
      #expect(revocations == told, "\(pause)")
      home.pass(seconds: 1)
      told += 1
      #expect(revocations == told, "\(pause)")
    }
    home.http.isSilentAtRevocation = false
    home.pass(seconds: 1800)
    told += 1
    #expect(revocations == told && home.logged.last == .signedOut(.revoked))
    home.pass(seconds: 3600)
    #expect(revocations == told)
    // The first pause is the shortest again once no revocation is pending.
    parts.signOuts.revokePending()
    home.runJobs()
    home.http.isSilentAtRevocation = true
    try home.addSignedIn("work")
    try signOut(2)
    told = revocations
    home.pass(seconds: 30)
    #expect(revocations == told + 1)
  }

  @Test func `that the server did not hear of is told to it by the daemon that starts next`() throws {
    home.http.isSilentAtRevocation = true
    try signOut(1)
    home.http.isSilentAtRevocation = false
    let told = revocations
    let next = try DaemonParts(home.context)
    next.start(isPrivate: false)
    home.runJobs()
    #expect(revocations == told)
    home.pass(seconds: 1)
    #expect(revocations == told + 1)
  }
}
