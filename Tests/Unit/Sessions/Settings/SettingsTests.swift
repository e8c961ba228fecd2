import Encoding
import Sessions
import Testing
import Vault
import Vocabulary

@Suite struct `The settings` {
  let work: AccountName
  let home: AccountName

  init() throws {
    work = try AccountName("work")
    home = try AccountName("home")
  }

  static let full: AccountConfiguration = {
    var account = AccountConfiguration(issuer: "https://as.example/t\"\\é", clientID: "cli \u{1F600}")
    account.scope = ["openid", "mail"]
    account.tokenEndpointAuthMethod = .secretPost
    account.idTokenAlgorithm = .HS256
    account.userInfoAlgorithm = .ES256
    account.trustedAudiences = ["project"]
    account.caFile = "/etc/ca.pem"
    account.pins = ["sha256//AAAA="]
    account.allowHTTPLoopback = true
    account.authorizationEndpoint = "https://as.example/a"
    account.tokenEndpoint = "https://as.example/t"
    account.deviceAuthorizationEndpoint = "https://as.example/d"
    account.userinfoEndpoint = "https://as.example/u"
    account.revocationEndpoint = "https://as.example/r"
    account.registrationEndpoint = "https://as.example/n"
    account.jwksURI = "https://as.example/j"
    account.proxy = "http://proxy.example:3128"
    account.proxyExclusions = "localhost"
    account.keepsAccessToken = true
    account.usesDPoP = true
    return account
  }()

  func parse(_ text: String) throws(ConfigurationError) -> Settings { try Settings(parsing: Array(text.utf8)) }

  @Test func `are read back as they were written`() throws {
    var settings = Settings()
    try settings.set(Self.full, for: work)
    try settings.set(Home.configuration, for: home)
    settings.activate(home)
    let read = try Settings(parsing: settings.serialized())
    #expect(read == settings)
    #expect(read.accounts.map(\.name) == [work, home])
    #expect(read[work] == Self.full)
    #expect(read[home] == Home.configuration)
    #expect(read.active == home)
    let whole = Array(settings.serialized().dropLast())
    for count in 0..<whole.count {
      #expect(throws: ConfigurationError(.invalid, "the file")) { try Settings(parsing: Array(whole[..<count])) }
    }
  }

  @Test func `are written as they are documented`() throws {
    var settings = Settings()
    #expect(String(decoding: settings.serialized(), as: UTF8.self) == #"{"version":2}"# + "\n")
    var account = Self.full
    account.issuer = "https://as.example"
    account.clientID = "cli"
    try settings.set(account, for: work)
    #expect(
      String(decoding: settings.serialized(), as: UTF8.self)
        == #"{"version":2,"accounts":{"work":{"issuer":"https://as.example","client_id":"cli","#
        + #""scope":["openid","mail"],"token_endpoint_auth_method":"client_secret_post","#
        + #""id_token_algorithm":"HS256","userinfo_algorithm":"ES256","trusted_audiences":["project"],"ca_file":"/etc/ca.pem","#
        + #""pins":["sha256//AAAA="],"allow_http_loopback":true,"authorization_endpoint":"https://as.example/a","#
        + #""token_endpoint":"https://as.example/t","#
        + #""device_authorization_endpoint":"https://as.example/d","userinfo_endpoint":"https://as.example/u","#
        + #""revocation_endpoint":"https://as.example/r","registration_endpoint":"https://as.example/n","#
        + #""jwks_uri":"https://as.example/j","proxy":"http://proxy.example:3128","no_proxy":"localhost","keep":true,"#
        + #""dpop":true}},"active":"work"}"# + "\n")
  }

  @Test func `make the first account the active one`() throws {
    var settings = Settings()
    #expect(settings.active == nil)
    try settings.set(Home.configuration, for: work)
    try settings.set(Home.configuration, for: home)
    #expect(settings.active == work)
    try settings.set(Self.full, for: work)
    #expect(settings.accounts.map(\.name) == [work, home])
    #expect(settings[work] == Self.full)
  }

  @Test func `know the account that was active before, by its present name, until it is removed`() throws {
    var settings = Settings()
    let third = try AccountName("third")
    for name in [work, home, third] { try settings.set(Home.configuration, for: name) }
    #expect(settings.previous == nil)
    settings.activate(home)
    settings.activate(home)
    #expect(settings.previous == work)
    settings.rename(work, to: try AccountName("job"))
    settings.rename(home, to: try AccountName("house"))
    settings = try Settings(parsing: settings.serialized())
    #expect(settings.active?.text == "house" && settings.previous?.text == "job")
    settings.remove(try AccountName("job"))
    #expect(settings.active?.text == "house" && settings.previous == nil)
    settings.activate(third)
    settings.remove(third)
    #expect(settings.active?.text == "house" && settings.previous == nil)
  }

  @Test func `have no active account that nobody has signed in to, beside one that somebody has`() throws {
    let configuration = AccountConfiguration(issuer: "https://as.example", clientID: "c")
    let names = try ["added", "work", "home", "other"].map { try AccountName($0) }
    var settings = Settings()
    try settings.add(configuration, as: names[0])
    #expect(settings.active == names[0], "there is no other")
    try settings.signIn(configuration, to: names[1])
    #expect(settings.active == names[1])
    try settings.signIn(configuration, to: names[2])
    try settings.add(configuration, as: names[3])
    #expect(settings.active == names[1], "the first one stays")
    settings = try Settings(parsing: settings.serialized())
    try settings.set(AccountConfiguration(issuer: "https://as.example", clientID: "d"), for: names[0])
    settings.rename(names[0], to: try AccountName("renamed"))
    settings.remove(names[1])
    #expect(settings.active == names[2], "before those that nobody has signed in to")
    settings.remove(names[2])
    #expect(settings.active == names[3])
    try settings.signIn(configuration, to: try AccountName("renamed"))
    #expect(settings.active?.text == "renamed")
    let ephemeral = (name: try AccountName("guest"), configuration: configuration)
    #expect(settings.adding([ephemeral]).active?.text == "renamed")
    settings.remove(try AccountName("renamed"))
    #expect(settings.active == names[3] && settings.adding([ephemeral]).active == ephemeral.name)
  }

  @Test func `keep members that this build does not know`() throws {
    let text =
      #"{"future":{"a":[1.50,null]},"version":2,"accounts":{"work":{"issuer":"https://as.example","hook":["x"],"#
      + #""client_id":"cli"}},"active":"work"}"#
    var settings = try parse(text)
    #expect(String(decoding: settings.serialized(), as: UTF8.self) == text + "\n")
    var account = try #require(settings[work])
    account.clientID = "other"
    account.tokenEndpoint = "https://as.example/t"
    try settings.set(account, for: work)
    #expect(
      String(decoding: settings.serialized(), as: UTF8.self)
        == #"{"future":{"a":[1.50,null]},"version":2,"accounts":{"work":{"issuer":"https://as.example","hook":["x"],"#
        + #""client_id":"other","token_endpoint":"https://as.example/t"}},"active":"work"}"# + "\n")
    // Our own members are removed when unset.
    account.tokenEndpoint = nil
    try settings.set(account, for: work)
    #expect(try Settings(parsing: settings.serialized())[work] == account)
  }

  // MARK: Rejected settings

  @Test(arguments: [
    "", "[]", "garbage", "null", #"{"version":2,"version":2}"#, #"{"version":2,"accounts":{"a":{},"a":{}}}"#,
    #"{"version":2,"accounts":{"work":{"issuer":"a","issuer":"b"}}}"#, #"{"version":2}{}"#, "\u{FEFF}{\"version\":2}",
  ])
  func `that are no strict JSON object are refused`(text: String) {
    #expect(throws: ConfigurationError(.invalid, "the file")) { try parse(text) }
  }

  @Test(arguments: ["{}", #"{"version":null}"#, #"{"version":"1"}"#, #"{"version":1.5}"#])
  func `without a version are refused`(text: String) {
    #expect(throws: ConfigurationError(.invalid, "version")) { try parse(text) }
  }

  @Test(arguments: [0, 1, 3, -1]) func `of another version are refused`(version: Int) {
    #expect(throws: ConfigurationError(.unsupportedVersion, "version")) { try parse(#"{"version":\#(version)}"#) }
  }

  @Test(arguments: [
    ("accounts", #""accounts":[]"#), ("accounts.work", #""accounts":{"work":1}"#),
    ("accounts.", #""accounts":{"":{}}"#),
    ("accounts.../x", #""accounts":{"../x":{}}"#),
    ("active", #""active":1"#), ("active", #""active":"../x""#), ("previous", #""previous":1"#),
    ("accounts.work.issuer", #""accounts":{"work":{"client_id":"cli"}}"#),
  ])
  func `with a wrong part name it`(place: String, part: String) {
    #expect(throws: ConfigurationError(.invalid, place)) { try parse(#"{"version":2,\#(part)}"#) }
  }

  @Test func `are good though the active account was deleted from them`() throws {
    let text = #"{"version":2,"accounts":{"work":{"issuer":"https://as.example","client_id":"cli"}},"active":"nobody"}"#
    let settings = try parse(text)
    #expect(settings.active == nil && settings.accounts.count == 1)
  }

  func parse(_ name: String, _ value: JSON) throws(ConfigurationError) -> Settings {
    var account: JSONObject = ["issuer": "https://as.example", "client_id": "cli"]
    // Has no effect without the other.
    if name == AccountSetting.table.assertionVariable.name {
      account[AccountSetting.table.assertionFrom.name] = "gitlab-ci"
    }
    account[name] = value
    let settings: JSON = ["version": 2, "accounts": ["work": .object(account)]]
    return try Settings(parsing: settings.serialized())
  }

  @Test(arguments: AccountSetting.all) func `name a setting of the wrong type or size`(setting: AccountSetting) throws {
    let long = String(repeating: "x", count: 4097)
    let wrong: [JSON] =
      switch setting.kind {
      case .text, .file, .choice: [1, true, .null, [], [:], "a\u{0}", .string(long)]
      case .flag: [1, "true", .null, []]
      case .texts:
        ["openid", 1, .null, [1], [.null], ["a\u{0}"], [.string(long)], .array(Array(repeating: "x", count: 65))]
      }
    for value in wrong {
      #expect(throws: ConfigurationError(.invalid, "accounts.work.\(setting.name)")) { try parse(setting.name, value) }
    }
    let longest = String(repeating: "x", count: 4096)
    switch setting.kind {
    case .text, .file: _ = try parse(setting.name, .string(longest))
    case .flag: _ = try parse(setting.name, true)
    case .texts: _ = try parse(setting.name, .array(Array(repeating: .string(longest), count: 64)))
    case .choice(let words):
      for word in words { _ = try parse(setting.name, .string(word)) }
      #expect(throws: ConfigurationError(.invalid, "accounts.work.\(setting.name)")) {
        // A name that the administrator may define.
        try parse(setting.name, setting === AccountSetting.table.provider ? "Other" : "other")
      }
    }
  }

  // MARK: Limits

  @Test func `lock the vault after 0 seconds to 30 days`() throws {
    for seconds in [0, 1, 30 * 86_400] {
      let text = #"{"version":2,"lock_after":\#(seconds)}"#
      #expect(try Settings(parsing: Array(text.utf8)).lockAfterSeconds == seconds)
    }
    for value in ["-1", "\(30 * 86_400 + 1)", "1.5", "true", #""900""#, "null"] {
      let text = #"{"version":2,"lock_after":\#(value)}"#
      #expect(throws: ConfigurationError(.invalid, "lock_after"), "\(value)") {
        _ = try Settings(parsing: Array(text.utf8))
      }
    }
  }

  @Test func `hold a thousand accounts and no more`() throws {
    let names = (0..<Settings.maximumAccounts).map {
      #""account-\#($0)":{"issuer":"https://as.example","client_id":"c"}"#
    }
    var settings = try parse(#"{"version":2,"accounts":{\#(names.joined(separator: ","))}}"#)
    #expect(settings.accounts.count == Settings.maximumAccounts)
    #expect(throws: ConfigurationError(.tooManyAccounts, "accounts")) {
      try settings.set(Home.configuration, for: work)
    }
    // An existing account can still change.
    try settings.set(Self.full, for: AccountName("account-7"))
    #expect(settings.accounts.count == Settings.maximumAccounts)
  }

  @Test func `larger than their limit are refused`() {
    let text = #"{"version":2,"x":"\#(String(repeating: "x", count: Settings.maximumBytes))"}"#
    #expect(throws: ConfigurationError(.invalid, "the file")) { try parse(text) }
  }
}
