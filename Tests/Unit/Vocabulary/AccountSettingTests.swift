import Encoding
import Testing
import Vocabulary

@Suite struct `The settings of an account` {
  /// A value of the setting other than its default.
  private static func value(of setting: AccountSetting) -> JSON {
    switch setting.kind {
    case .text, .file: "/some/text"
    case .texts: ["one", "two"]
    case .flag: true
    case .choice(let words): .string(words.last { $0 != setting.defaultValue } ?? "")
    }
  }

  private static func full() throws -> AccountSettings {
    var settings = AccountSettings()
    for setting in AccountSetting.all { try setting.set(value(of: setting), in: &settings) }
    return settings
  }

  @Test func `each have one row, under a name and an option of their own`() {
    #expect(Mirror(reflecting: AccountSettings()).children.count == AccountSetting.all.count)
    #expect(Set(AccountSetting.all.map(\.name)).count == AccountSetting.all.count)
    #expect(Set(AccountSetting.all.map(\.optionName)).count == AccountSetting.all.count)
    for setting in AccountSetting.all { #expect(AccountSetting.named(setting.name) == setting) }
  }

  @Test func `each have a property of their own`() throws {
    let full = try Self.full()
    for setting in AccountSetting.all {
      var settings = full
      setting.unset(in: &settings)
      let changed = AccountSetting.all.filter { $0.value(in: settings) != $0.value(in: full) }
      #expect(changed == [setting], "\(setting.name)")
    }
  }

  @Test func `are read back as they were written`() throws {
    let full = try Self.full()
    let json = full.json()
    #expect(json.names == AccountSetting.all.map(\.name))
    #expect(try AccountSettings(members: { json[$0] }) == full)
  }

  @Test func `that are not named have their defaults, and change nothing`() throws {
    let json = AccountSettings().json()
    #expect(json == ["token_endpoint_auth_method": "none", "refresh": "proactive"])
    var full = try Self.full()
    full.apply(AccountSettings())
    #expect(full == (try Self.full()))
    var empty = AccountSettings()
    empty.apply(full)
    #expect(empty == full)
  }

  // Editing the settings file must not redirect a secret.
  @Test func `that say where secrets go are sealed in the vault`() {
    #expect(
      AccountSetting.all.filter(\.isSealed).map(\.name) == [
        "issuer", "client_id", "provider", "token_endpoint_auth_method", "ca_file", "pins", "allow_http_loopback",
        "authorization_endpoint", "token_endpoint", "device_authorization_endpoint", "userinfo_endpoint",
        "revocation_endpoint",
        "registration_endpoint", "jwks_uri", "profile",
      ])
  }

  @Test func `that an account cannot do without cannot be unset`() {
    #expect(
      AccountSetting.all.filter { !$0.canBeUnset }.map(\.name)
        == ["issuer", "client_id", "no_proxy", "proxy_source", "protect"])
  }
}
