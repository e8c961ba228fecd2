import Encoding
import OAuth
import Sessions
import Testing
import Vault
import Vocabulary

@Suite struct `Removing an account` {
  let home: Home
  let other: AccountName

  init() throws {
    home = try Home()
    other = try AccountName("other")
    try home.addSettings()
    try home.addSettings(for: other)
    try home.store()
  }

  func remove(isLocal: Bool = false) throws -> AccountRemoval.Outcome {
    let signOut = SignOutOperation(
      account: home.account, configuration: Home.configuration, grant: nil, isLocal: isLocal, services: home.services)
    return try AccountRemoval(signOut, settingsDirectory: home.settingsDirectory).run()
  }

  @Test func `revokes its tokens, then forgets record and settings`() throws {
    home.http.answer(TestIssuer.revocationURL, try response(200, [:]))
    let outcome = try remove()
    #expect(outcome.confirmation == .revoked)
    #expect(outcome.active == other)
    #expect(try home.settings().accounts.map(\.name) == [other])
    #expect(try home.stored() == nil)
  }

  @Test func `tells the server nothing when asked so`() throws {
    #expect(try remove(isLocal: true).confirmation == .local)
    #expect(home.http.requests.isEmpty)
    #expect(try home.settings()[home.account] == nil)
  }

  @Test func `works while the server is down`() throws {
    home.http.fail(TestIssuer.revocationURL, HTTPFailure(.connect))
    guard case .failed = try remove().confirmation else {
      Issue.record("the server was down")
      return
    }
    #expect(try home.settings()[home.account] == nil)
    #expect(try home.stored() == nil)
  }

  @Test func `waits for no refresh, whose tokens are dropped`() throws {
    home.http.answer(TestIssuer.tokenURL) { _ in
      #expect(try remove(isLocal: true).confirmation == .local)
      return try tokens("at-2", refresh: "rt-2")
    }
    #expect { _ = try home.refresh() } throws: { ($0 as? SessionError) == .signedOut(account: "work") }
    #expect(try home.settings()[home.account] == nil)
    #expect(try home.stored() == nil)
  }

  @Test func `that is locked needs an unlock, or the wish to tell nobody`() throws {
    try home.storeLocked()
    #expect { _ = try remove() } throws: { ($0 as? SessionError)?.isLocked == true }
    #expect(try home.settings()[home.account] != nil)
    #expect(try home.services.vault.accounts() == [home.account])
    #expect(try remove(isLocal: true).confirmation == .local)
    #expect(try home.settings()[home.account] == nil)
    #expect(try home.services.vault.accounts() == [])
  }

  @Test func `of the last one leaves none active`() throws {
    _ = try home.settingsFile.change { $0.remove(other) }
    #expect(try remove(isLocal: true).active == nil)
  }
}
