import Crypto
import Encoding
import OAuth
import Platform
import Sessions
import Testing
import Vault
import Vocabulary

/// Which account's token may be sent where.
@Suite struct `The places of a token` {
  let home: Home

  init() throws { home = try Home() }

  private static let api = "https://api.example"

  private func listing(_ origins: [String]) -> AccountConfiguration {
    var configuration = Home.configuration
    configuration.origins = origins
    return configuration
  }

  private func choose(_ url: String, named: String? = nil, preferred: String? = nil) throws -> String {
    let place = ResourceURL(of: try Endpoint(url, allowHTTPLoopback: true))
    let named = try named.map { try AccountName($0) }
    let preferred = try preferred.map { try AccountName($0) }
    return try AccountSelector(settings: try home.settings(), services: home.services, preferred: preferred)
      .selectAccount(for: place, named: named).account.text
  }

  /// Another account, signed in with these settings.
  private func add(_ name: String, _ configuration: AccountConfiguration) throws {
    let account = try AccountName(name)
    try home.addSettings(configuration, for: account)
    let content = try Home.record(configuration).serialized()
    try home.services.vault.write(account, content: content)
  }

  @Test func `are those that settings and vault list`() throws {
    try add("work", listing([Self.api]))
    #expect(try choose("https://api.example/x?y") == "work")
    #expect(try choose("https://API.example:443/", named: "work") == "work")
    for other in ["https://api.example:8443/", "https://x.api.example/", "https://example/", "http://127.0.0.1/"] {
      #expect(
        throws: SessionError.originNotListed(account: nil, origin: try origin(other), url: try origin(other) + "/")
      ) {
        try choose(other)
      }
      #expect(throws: SessionError.originNotListed(account: "work", origin: try origin(other))) {
        try choose(other, named: "work")
      }
    }
  }

  // The query may contain a secret.
  @Test func `that no account lists are told with the path, for a sign-in there, and without the query`() throws {
    try add("work", listing([]))
    let url = Self.api + "/mcp"
    #expect(throws: SessionError.originNotListed(account: nil, origin: Self.api, url: url)) {
      try choose(url + "?key=s")
    }
  }

  private func origin(_ url: String) throws -> String {
    ResourceOrigin(of: try Endpoint(url, allowHTTPLoopback: true)).text
  }

  @Test func `are not those that somebody wrote into the settings`() throws {
    try add("work", listing([]))
    try home.addSettings(listing(["https://evil.example"]))
    for named in [nil, "work"] {
      #expect(throws: SessionError.originUnconfirmed(account: "work", origin: "https://evil.example")) {
        try choose("https://evil.example/", named: named)
      }
    }
  }

  @Test func `are not those that the settings no longer list`() throws {
    try add("work", listing([Self.api]))
    try home.addSettings(listing([]))
    #expect(throws: SessionError.originNotListed(account: nil, origin: Self.api, url: Self.api)) {
      try choose(Self.api)
    }
  }

  // OpenID Connect Core section 5.3.
  @Test func `are that of UserInfo too`() throws {
    try add("work", listing([]))
    #expect(try choose(TestIssuer.userInfoURL) == "work")
    #expect(try choose(TestIssuer.userInfoURL, named: "work") == "work")
  }

  @Test func `leave a choice that the caller must make`() throws {
    try add("work", listing([Self.api]))
    try add("home", listing([Self.api]))
    #expect(throws: SessionError.severalAccounts(["work", "home"], origin: Self.api)) { try choose(Self.api) }
    #expect(try choose(Self.api, named: "home") == "home")
    #expect(try choose(Self.api, preferred: "home") == "home" && choose(Self.api, preferred: "work") == "work")
    #expect(try choose(Self.api, named: "work", preferred: "home") == "work")
    #expect(throws: SessionError.severalAccounts(["work", "home"], origin: Self.api)) {
      try choose(Self.api, preferred: "third")
    }
    #expect(throws: SessionError.severalAccounts(["work", "home"], origin: try origin(TestIssuer.userInfoURL))) {
      try choose(TestIssuer.userInfoURL)
    }
  }

  // RFC 8707: the tokens of each are for its own resource.
  @Test func `are chosen by the resource of an account before the origin`() throws {
    for (name, path) in [("work", "/one"), ("home", "/two")] {
      var configuration = listing([Self.api])
      configuration.resources = [Self.api + path + "?k=1"]
      try add(name, configuration)
    }
    #expect(try choose(Self.api + "/one") == "work" && choose(Self.api + "/two/x") == "home")
    for path in ["/three", "/twofold", "/"] {
      #expect(throws: SessionError.severalAccounts(["work", "home"], origin: Self.api)) { try choose(Self.api + path) }
    }
    #expect(try choose(Self.api + "/one", named: "home") == "home")
  }

  @Test func `that a person listed go before the one of UserInfo`() throws {
    try add("work", listing([]))
    try add("home", listing([try origin(TestIssuer.userInfoURL)]))
    #expect(try choose(TestIssuer.userInfoURL) == "home")
  }

  @Test func `of the active account count no more than others`() throws {
    try add("work", listing([]))
    try add("home", listing([Self.api]))
    #expect(try home.settings().active?.text == "work")
    #expect(try choose(Self.api) == "home")
  }

  @Test func `of an account without a session are found all the same`() throws {
    try home.addSettings(listing([Self.api]))
    #expect(try choose(Self.api) == "work")
    #expect(throws: SessionError.originNotListed(account: "work", origin: "https://other.example")) {
      try choose("https://other.example", named: "work")
    }
  }

  /// The account and entry selected by a text and a user name.
  private func place(_ text: String, user: String? = nil, named: String? = nil) throws -> String {
    let named = try named.map { try AccountName($0) }
    let choice = try AccountSelector(settings: try home.settings(), services: home.services)
      .selectAccount(among: ResourceURL.candidates(for: text, user: user), named: named)
    return "\(choice.account.text) \(choice.entry?.text ?? "-")"
  }

  @Test func `of UserInfo get no token from a program unless settings and vault list them`() throws {
    let userInfo = try origin(TestIssuer.userInfoURL)
    try add("work", listing([]))
    for named in [nil, "work"] {
      #expect(
        throws: SessionError.originNotListed(
          account: named, origin: userInfo, url: named == nil ? TestIssuer.userInfoURL : nil)
      ) {
        try place(TestIssuer.userInfoURL, named: named)
      }
    }
    try home.addSettings(listing([userInfo]))
    #expect(throws: SessionError.originUnconfirmed(account: "work", origin: userInfo)) {
      try place(TestIssuer.userInfoURL)
    }
    try add("work", listing([userInfo]))
    #expect(try place(TestIssuer.userInfoURL) == "work \(userInfo)")
  }

  @Test func `are those of the longest path, then of the origin`() throws {
    try add("work", listing(["api.example/team", "api.example"]))
    try add("home", listing(["api.example/team/mine user=me"]))
    #expect(try place("https://api.example/team/x") == "work https://api.example/team")
    #expect(try place("https://api.example/team/mine/x?y#z") == "home https://api.example/team/mine user=me")
    #expect(try place("https://api.example/team/mine/x", named: "work") == "work https://api.example/team")
    #expect(try place("api.example/other") == "work https://api.example")
    // Without a path the entry of the entire origin applies.
    #expect(try place("api.example") == "work https://api.example")
    #expect(throws: SessionError.originNotListed(account: "home", origin: Self.api)) {
      try place("https://api.example/team", named: "home")
    }
    // Another user name selects another entry.
    #expect(try place("https://api.example/team/mine", user: "you") == "work https://api.example/team")
  }

  @Test func `are refused where two accounts list them equally`() throws {
    try add("work", listing(["api.example/team"]))
    try add("home", listing(["api.example/team", "https://api.example/other"]))
    for text in ["https://api.example/team/x", "api.example"] {
      #expect(throws: SessionError.severalAccounts(["work", "home"], origin: Self.api)) { try place(text) }
    }
    #expect(try place("api.example/other") == "home https://api.example/other")
    #expect(try place("api.example/team", named: "work") == "work https://api.example/team")
  }

  @Test func `can be mail servers, and hosts without a scheme`() throws {
    var configuration = listing(["imaps://mail.example user=me", "http://127.0.0.1:8080"])
    configuration.allowHTTPLoopback = true
    try add("work", configuration)
    #expect(try place("imaps://mail.example:993") == "work imaps://mail.example user=me")
    #expect(try place("127.0.0.1:8080/v2/") == "work http://127.0.0.1:8080")
    for other in ["mail.example", "submission://mail.example", "imaps://mail.example:143"] {
      #expect(throws: SessionError.self) { try place(other) }
    }
    for none in ["", "ftp://mail.example", "http://mail.example", "a b", "//"] {
      #expect(throws: SessionError.unsuitableURL) { try place(none) }
    }
  }

  @Test func `are not those of a path that somebody wrote into the settings`() throws {
    try add("work", listing([]))
    try home.addSettings(listing(["https://evil.example/team user=x"]))
    #expect(throws: SessionError.originUnconfirmed(account: "work", origin: "https://evil.example")) {
      try place("https://evil.example/team/x")
    }
  }

  @Test(arguments: ["*", "https://*.example", "api.example/path?x", "http://api.example", "garbage \n"])
  func `are not what is no origin`(entry: String) throws {
    try add("work", listing([entry]))
    #expect(try #require(try home.stored()).authority.resourceOrigins.isEmpty)
    #expect(throws: SessionError.originNotListed(account: nil, origin: Self.api, url: Self.api)) {
      try choose(Self.api)
    }
  }

  // MARK: Confirmation

  private func confirm(_ origins: [String], settings: [String]) throws -> RecordRewrite? {
    let configuration = listing(settings)
    let added = try origins.map { try #require(ResourceOrigin($0, allowHTTPLoopback: false)) }
    return try home.services.sealOrigins(added, of: home.account, configuration)
  }

  @Test func `are sealed when a person names them, without a new sign-in`() throws {
    try home.store(listing([Self.api]))
    let move = try #require(
      try confirm(["https://b.example"], settings: [Self.api, "https://b.example", "https://evil.example"]))
    #expect(move.to > move.from)
    let record = try #require(try home.stored())
    #expect(record.authority.resourceOrigins == [Self.api, "https://b.example"])
    #expect(record.refreshToken?.text == "rt-1")
  }

  @Test func `are taken out of the vault with the settings`() throws {
    try home.store(listing([Self.api]))
    #expect(try confirm([], settings: []) != nil)
    #expect(try #require(try home.stored()).authority.resourceOrigins == [])
  }

  @Test func `cost no write when nothing changes, and need a record`() throws {
    #expect(try confirm([Self.api], settings: [Self.api]) == nil)
    try home.store(listing([Self.api]))
    #expect(try confirm([Self.api], settings: [Self.api]) == nil)
  }
}
