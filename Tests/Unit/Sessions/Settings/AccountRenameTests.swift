import Crypto
import Encoding
import OAuth
import Platform
import TestSupport
import Testing
import Vault

@testable import Sessions
import Vocabulary

@Suite struct `Renaming an account` {
  let home: Home
  let new: AccountName

  init() throws {
    home = try Home()
    new = try AccountName("job")
    try home.addSettings()
    try home.store()
  }

  private func rename() throws -> RenamedAccount { try home.services.rename(home.account, to: new) }

  @Test func `moves settings, mark and record together`() throws {
    let outcome = try rename()
    #expect(outcome.settings == (try home.settings()))
    #expect(outcome.settings[new] == Home.configuration)
    #expect(outcome.settings[home.account] == nil)
    #expect(outcome.settings.active == new)
    #expect(try home.refreshToken(of: new) == "rt-1")
    #expect(try home.refreshToken(of: home.account) == nil)
    let generation = try home.otherProcess().vault.read(new)?.generation
    #expect(outcome.recordGeneration == generation)
    #expect(home.http.requests.isEmpty)
  }

  @Test func `of an account without a session moves its settings`() throws {
    try home.services.vault.remove(home.account)
    #expect(try rename().recordGeneration == nil)
    #expect(try home.settings()[new] == Home.configuration)
  }

  @Test func `never replaces an account`() throws {
    var other = Home.configuration
    other.clientID = "other"
    try home.addSettings(other, for: new)
    #expect(throws: SessionError.configuration(ConfigurationError(.accountExists, "job"))) { _ = try rename() }
    #expect(try home.settings()[home.account] == Home.configuration)
    #expect(try home.settings()[new] == other)
    #expect(try home.refreshToken(of: home.account) == "rt-1")
    #expect(try home.refreshToken(of: new) == nil)
  }

  @Test func `to the name that it has is refused at once`() throws {
    let error = SessionError.configuration(ConfigurationError(.accountExists, home.account.text))
    #expect(throws: error) { _ = try home.services.rename(home.account, to: home.account) }
    #expect(try home.refreshToken(of: home.account) == "rt-1")
  }

  @Test func `of what is not there changes nothing`() throws {
    let none = try AccountName("none")
    let error = SessionError.configuration(ConfigurationError(.accountChanged, "none"))
    #expect(throws: error) { _ = try home.services.rename(none, to: new) }
    #expect(try home.settings().accounts.map(\.name) == [home.account])
  }

  @Test func `waits for a refresh in flight, and takes its token along`() throws {
    let lock = try home.services.vault.lockAccount(home.account, LockWait(.zero))
    let moved = Monitor(false)
    try Threads.start(name: "rename") { [home, new] in
      do { _ = try home.services.rename(home.account, to: new) } catch { Issue.record(error) }
      moved.update { $0 = true }
    }
    try home.store { $0.refreshToken = try secret("rt-2") }
    #expect(moved.wait(.milliseconds(100), for: { $0 ? true : nil }) == nil)
    lock.release()
    #expect(moved.wait(.testLimit, for: { $0 ? true : nil }) == true)
    #expect(try home.refreshToken(of: new) == "rt-2")
  }

  /// The state that a killed program leaves: only the steps before.
  @Test(arguments: 0...3) func `cut off after any step loses nothing and can be done again`(steps: Int) throws {
    if steps >= 1 { _ = try home.services.copyRecord(of: home.account, to: new) }
    if steps >= 2 { _ = try home.services.renameSettings(of: home.account, to: new) }
    if steps >= 3 { try home.services.removeLeftover(of: home.account) }
    let name = steps >= 2 ? new : home.account
    let settings = try home.settings()
    #expect(settings.accounts.map(\.name) == [name])
    #expect(settings.active == name)
    #expect(try home.refreshToken(of: name) == "rt-1")
    // The current record is usable, regardless of remains of the other.
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2"))
    let grant = try RefreshOperation(
      account: name, configuration: Home.configuration, services: home.services, cancellation: Cancellation()
    ).run()
    #expect(grant.accessToken.text == "at-2")
    // A repeated rename uses the currently valid token.
    if steps < 2 { _ = try rename() }
    #expect(try home.refreshToken(of: new) == "rt-2")
    #expect(try home.settings().accounts.map(\.name) == [new])
    // The old name is free; a new account of this name starts empty.
    _ = try home.services.add(home.account, Home.configuration)
    #expect(try home.refreshToken(of: home.account) == nil)
  }

  @Test func `that cannot write the settings leaves all as it was`() throws {
    // Another process holds the settings' lock longer than the rename waits.
    let lock = try home.directory.open("config").lock("config.lock", wait: .zero)
    #expect(throws: SessionError.self) { _ = try rename() }
    lock.release()
    #expect(try home.settings().accounts.map(\.name) == [home.account])
    #expect(try home.refreshToken(of: home.account) == "rt-1")
    #expect(try home.refreshToken(of: new) == nil)
  }

  /// Another user's leftover must not prevent a sign-in under a new name.
  @Test func `leaves nothing that a new sign-in would stumble over`() throws {
    home.http.always(TestIssuer.deviceURL, try response(200, Home.codes))
    let preparation = SignIn.Request(
      account: home.account, configuration: Home.configuration, isNew: true, services: home.services,
      cancellation: Cancellation())
    let signIn = try preparation.device()
    let bob = try TestIssuer.first.idToken("sub", "bob")
    let outcome = try home.finish(signIn, try tokens("at-b", refresh: "rt-b", idToken: bob))
    #expect(outcome.grant.subject == "bob")
    #expect(try home.refreshToken(of: home.account) == "rt-b")
  }
}
