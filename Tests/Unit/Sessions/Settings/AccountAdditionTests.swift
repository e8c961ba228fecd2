import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary

@Suite struct `Adding an account` {
  let home: Home

  init() throws { home = try Home() }

  func add(_ configuration: AccountConfiguration = Home.configuration) throws -> Settings {
    try home.services.add(home.account, configuration)
  }

  @Test func `writes its settings and asks nobody`() throws {
    let settings = try add()
    #expect(settings[home.account] == Home.configuration)
    #expect(settings.active == home.account)
    #expect(try home.settings() == settings)
    #expect(home.http.requests.isEmpty)
    #expect(try home.stored() == nil)
  }

  @Test func `never replaces one`() throws {
    try home.addSettings()
    try home.store()
    var other = Home.configuration
    other.clientID = "other"
    #expect(throws: SessionError.configuration(ConfigurationError(.accountExists, "work"))) { _ = try add(other) }
    #expect(try home.settings()[home.account] == Home.configuration)
    #expect(try home.refreshToken(of: home.account) == "rt-1")
  }

  @Test func `is refused where there are as many as there may be`() throws {
    try home.fillSettings()
    #expect(throws: SessionError.configuration(ConfigurationError(.tooManyAccounts, "accounts"))) { _ = try add() }
    #expect(try home.settings()[home.account] == nil)
  }

  /// An interrupted rename left the record; its refresh token may since have been spent.
  @Test func `drops a record that no settings know`() throws {
    try home.store()
    _ = try add()
    #expect(try home.stored() == nil)
  }

  @Test func `says what is wrong with its settings, and writes nothing`() throws {
    var plain = Home.configuration
    plain.issuer = "http://as.example"
    #expect(throws: SessionError.self) { _ = try add(plain) }
    var client = Home.configuration
    client.clientID = "caf\u{E9}"
    #expect(throws: SessionError.oauth(OAuthError(.invalidClientID, .clientID))) { _ = try add(client) }
    var authorities = Home.configuration
    authorities.caFile = home.directory.path("none.pem")
    let missing = SystemError(errno: SystemError.Number.ENOENT, operation: "open")
    #expect(
      throws: SessionError.configuration(ConfigurationError(.caFile(missing), home.directory.path("none.pem")))
    ) { _ = try add(authorities) }
    // A pipe would wait for another program.
    try ProcessRunner.shell("mkfifo '\(home.directory.path("none.pem"))'")
    #expect(
      throws: SessionError.configuration(ConfigurationError(.caFile(nil), home.directory.path("none.pem")))
    ) { _ = try add(authorities) }
    #expect(try home.settings() == Settings())
  }
}

@Suite struct `Changing an account's settings` {
  let home: Home

  init() throws {
    home = try Home()
    try home.addSettings()
  }

  func change(from old: AccountConfiguration = Home.configuration, _ edit: (inout AccountConfiguration) -> Void) throws
    -> SettingsEffect
  {
    var new = old
    edit(&new)
    return try home.services.change(home.account, from: old, to: new)
  }

  @Test func `that say where secrets go tells that the session ends`() throws {
    try home.store()
    #expect(try change { $0.clientID = "other" } == .signedOut(setting: "client_id"))
    #expect(try home.settings()[home.account]?.clientID == "other")
    // Nothing was removed from the vault, so the change can be undone.
    var changed = Home.configuration
    changed.clientID = "other"
    #expect(try change(from: changed) { $0.clientID = "cli" } == .none)
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2"))
    #expect(try home.refresh().accessToken.text == "at-2")
  }

  @Test func `that do not leaves the session alone`() throws {
    try home.store()
    #expect(
      try change {
        $0.scope = ["mail"]
        $0.keepsAccessToken = true
      } == .none)
    #expect(try home.settings()[home.account]?.scope == ["mail"])
    #expect(home.http.requests.isEmpty)
  }

  @Test func `of an account without a session ends none`() throws {
    #expect(try change { $0.clientID = "other" } == .none)
  }

  @Test func `never undoes what somebody else changed meanwhile`() throws {
    var other = Home.configuration
    other.scope = ["theirs"]
    try home.addSettings(other)
    #expect(throws: SessionError.configuration(ConfigurationError(.accountChanged, "work"))) {
      _ = try change { $0.scope = ["ours"] }
    }
    #expect(try home.settings()[home.account] == other)
  }

  @Test func `to what cannot be used changes nothing`() throws {
    #expect(throws: SessionError.self) { _ = try change { $0.issuer = "ftp://as.example" } }
    #expect(try home.settings()[home.account] == Home.configuration)
  }
}
