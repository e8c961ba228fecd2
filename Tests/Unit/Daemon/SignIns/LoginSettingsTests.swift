import OAuth
import WireSupport
@testable import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `Settings of a sign-in` {
  private static let issuer = "https://id.example.org"
  private static let pin = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

  private static func request(_ change: (inout LoginRequest) -> Void) -> LoginRequest {
    var request = LoginRequest()
    change(&request)
    return request
  }

  /// Settings with one account, `work`, that uses a variety of settings.
  private static func stored() throws -> Settings {
    var configuration = AccountConfiguration(issuer: issuer, clientID: "cli")
    configuration.scope = ["openid", "email"]
    configuration.caFile = "/etc/ca.pem"
    configuration.pins = [pin]
    configuration.userinfoEndpoint = issuer + "/me"
    configuration.keepsAccessToken = true
    var settings = Settings()
    try settings.set(configuration, for: try AccountName("work"))
    return settings
  }

  private static func failure(_ request: LoginRequest, _ settings: Settings = Settings()) -> Failure? {
    do throws(Failure) {
      _ = try LoginSettings(request, settings)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a new account has what was asked for and nothing else`() throws {
    let meant = try LoginSettings(
      Self.request {
        $0.account = "work"
        $0.issuer = Self.issuer
        $0.clientID = "cli"
        $0.scope = ["openid", "offline_access"]
      }, Settings())
    var expected = AccountConfiguration(issuer: Self.issuer, clientID: "cli")
    expected.scope = ["openid", "offline_access"]
    #expect(meant.account.text == "work")
    #expect(meant.configuration == expected)
    #expect(meant.proxyCredentials == nil)
  }

  @Test func `an account in memory alone and one that is stored do not take each other's place`() throws {
    let stored = try Self.stored()
    let work = try AccountName("work")
    let ephemeral = Settings().adding([(work, try #require(stored[work]))])
    func code(_ isEphemeral: Bool, _ settings: Settings) -> FailureCode? {
      Self.failure(Self.request { ($0.account, $0.isEphemeral) = ("work", isEphemeral) }, settings)?.code
    }
    #expect(code(true, stored) == .accountExists && code(false, ephemeral) == .accountExists)
    #expect(code(false, stored) == nil && code(true, ephemeral) == nil)
  }

  @Test func `what a sign-in needs is asked for`() throws {
    #expect(Self.failure(LoginRequest())?.code == .noAccount)
    let unknown = Self.failure(Self.request { $0.account = "work" })
    #expect(unknown?.code == .issuerNeeded)
    #expect(
      unknown?.hint == "name the server with --issuer, or run on a terminal: agent login work")
    let okta = Self.failure(Self.request { $0.account = "okta" })
    #expect(okta?.code == .issuerNeeded)
    #expect(okta?.hint?.hasPrefix("use --issuer, for example https://") == true)
  }

  @Test(arguments: [
    ("githb", "agent login github"), ("microsoft", "agent login entra or agent login outlook"),
    ("azure", "agent login entra"), ("AWS", "agent login cognito or agent login identity-center"),
    ("wrok", "agent login work"), ("Entra ID", "agent login entra"), ("gh", "agent login github"),
  ]) func `a name like that of a service is no new account`(_ name: String, _ meant: String) throws {
    let failure = Self.failure(Self.request { $0.account = name }, try Self.stored())
    #expect(failure?.code == .invalidRequest)
    #expect(failure?.hint == "did you mean \(meant)? Otherwise name the server with --issuer")
  }

  @Test func `a longer name than that of an account is a new account`() throws {
    #expect(Self.failure(Self.request { $0.account = "work2" }, try Self.stored())?.code == .issuerNeeded)
  }

  @Test(arguments: ["github", "GitHub", "github.com", "https://github.com", "https://github.com/"])
  func `a provider or its host stands for the account and the issuer`(_ text: String) throws {
    let request = Self.request {
      $0.account = text
      $0.clientID = "cli"
    }
    let meant = try LoginSettings(request, Settings())
    #expect(meant.account.text == "github")
    #expect(meant.configuration.issuer == "https://github.com/login/oauth")
    #expect(meant.configuration.provider == .github)
  }

  @Test(arguments: [
    ("git.example.org", ProviderName?.none, "https://git.example.org"),
    ("https://git.example.org/", nil, "https://git.example.org"),
    ("https://git.example.org/sub", .gitlab, "https://git.example.org/sub"),
    ("git.example.org", .gitlab, "https://git.example.org"),
    ("git.example.org:8443", nil, "https://git.example.org:8443"),
  ]) func `any other host is an issuer, and names the account`(
    _ text: String, _ provider: ProviderName?, _ issuer: String
  )
    throws
  {
    let request = Self.request {
      $0.account = text
      $0.clientID = "cli"
      $0.provider = provider
    }
    let meant = try LoginSettings(request, Settings())
    #expect(meant.account.text == "git.example.org")
    #expect(meant.configuration.issuer == issuer && meant.configuration.provider == provider)
  }

  @Test(arguments: [
    ("keycloak", "https://id.example.org/realms/staff", ProviderName?.some(.keycloak)),
    ("Forgejo", "https://git.example.org", .forgejo), ("okta", "https://login.example.org", .okta),
    ("gitlab", "https://git.example.org/.well-known/openid-configuration", .gitlab),
    ("outlook", "https://login.microsoftonline.com/contoso.example/v2.0", .outlook),
    ("google", "https://id.example.org", nil),
  ]) func `a provider's name beside an issuer means that provider, where the issuer can be its own`(
    _ text: String, _ issuer: String, _ provider: ProviderName?
  ) throws {
    let request = Self.request {
      $0.account = text
      $0.issuer = issuer
      $0.clientID = "cli"
    }
    let meant = try LoginSettings(request, Settings())
    #expect(meant.account.text == text.lowercased())
    #expect(meant.configuration.provider == provider)
    #expect(issuer.hasPrefix(meant.configuration.issuer))
  }

  @Test func `an issuer with a slash means the one without where that is the provider's quirk`() throws {
    var settings = Settings()
    var forge = AccountConfiguration(issuer: "https://git.example.org/", clientID: "cli")
    forge.provider = .forgejo
    try settings.set(forge, for: try AccountName("forge"))
    let request = Self.request {
      $0.account = "forge"
      $0.issuer = "https://git.example.org"
    }
    #expect(try LoginSettings(request, settings).configuration == forge)
    forge.provider = nil
    try settings.set(forge, for: try AccountName("forge"))
    #expect(try LoginSettings(request, settings).configuration.clientID == "")
  }

  @Test func `where the client secret is, is said`() {
    var missing = MissingSecret(provider: "Google", page: "https://console.example/", isForBrowser: false)
    let failure = Failure(
      SessionError.clientSecretNeeded(missing), account: "google", enteredOptions: ["--client-id", "cli"])
    #expect(failure.code == .clientNeeded && failure.needsClientSecret)
    #expect(
      failure.message
        == "Google issues tokens only with the client secret, which is shown at https://console.example/")
    #expect(
      failure.hint == "agent login google --client-id cli --client-secret-prompt; or set its file"
        + " with --client-secret-file")
    #expect(Failure(json: failure.json)?.needsClientSecret == true)
    missing.isForBrowser = true
    #expect(
      Failure(SessionError.clientSecretNeeded(missing), account: "google").message.hasPrefix(
        "signing in to Google with a browser requires the client secret"))
  }

  @Test func `an account of a provider's name wins`() throws {
    var settings = Settings()
    try settings.set(AccountConfiguration(issuer: Self.issuer, clientID: "cli"), for: try AccountName("github"))
    for issuer in [nil, Self.issuer] {
      let request = Self.request {
        $0.account = "github"
        $0.issuer = issuer
      }
      let meant = try LoginSettings(request, settings)
      #expect(meant.configuration.issuer == Self.issuer && meant.configuration.provider == nil)
    }
  }

  @Test func `an issuer that is a provider's one has its settings`() throws {
    let request = Self.request {
      $0.account = "mail"
      $0.issuer = "https://accounts.google.com"
      $0.clientID = "cli"
    }
    #expect(try LoginSettings(request, Settings()).configuration.provider == .google)
    let nameless = Self.request {
      $0.issuer = "https://accounts.google.com"
      $0.clientID = "cli"
    }
    #expect(try LoginSettings(nameless, Settings()).account.text == "google")
  }

  @Test func `where a client id comes from is said`() throws {
    func failure(_ change: (inout MissingClient) -> Void = { _ in }) -> Failure {
      var missing = MissingClient(
        server: "GitHub", registration: Provider.named(.github).registration,
        redirectURI: "http://127.0.0.1/callback", canRegister: false)
      change(&missing)
      return Failure(SessionError.clientIDNeeded(missing), account: "github")
    }
    #expect(failure().code == .clientNeeded)
    #expect(
      failure().message == "GitHub requires your own client ID: register one at"
        + " https://github.com/settings/applications/new as OAuth app, with the redirect URI"
        + " http://127.0.0.1/callback and \"Enable Device Flow\" enabled")
    #expect(failure().hint == "set it with --client-id, or run on a terminal: agent login github")
    let other = failure {
      $0.server = "https://id.example.org"
      $0.registration = nil
      $0.canRegister = true
    }
    #expect(
      other.message == "https://id.example.org requires your own client ID: register a public client there, with the"
        + " redirect URI http://127.0.0.1/callback")
    #expect(other.hint == "to have one registered: agent login github --register")
  }

  @Test(arguments: [
    (ClientURLProblem.malformed, FailureCode.invalidRequest, "agent help account client-metadata"),
    (
      .secret, .invalidRequest,
      "omit the secret, or use a client key with --client-key-file"
    ), (.certificate, .invalidRequest, "omit the certificate: the key alone identifies the client"),
    (
      .unannounced(canRegister: false), .invalidConfiguration,
      "use a client registered there with --client-id; if it is this URL, set its redirect URI with"
        + " --redirect-uri"
    ),
    (
      .unannounced(canRegister: true), .invalidConfiguration,
      "use a client registered there with --client-id; if it is this URL, set its redirect URI with"
        + " --redirect-uri; or have one registered: agent login work --register"
    ),
  ]) func `a URL that cannot be the client is refused with what helps`(
    _ problem: ClientURLProblem, _ code: FailureCode, _ hint: String
  ) {
    let failure = Failure(SessionError.unusableClientURL(problem), account: "work")
    #expect(failure.code == code && failure.hint == hint)
  }

  @Test func `a resource that is named may get the token`() throws {
    var request = Self.request {
      $0.issuer = Self.issuer
      $0.clientID = "cli"
      $0.resources = [
        "https://API.example.org/v1?x=1", "https://api.example.org/v2", "https://other.example:8443/",
        "http://plain.example/", "http://127.0.0.1:8080/x",
      ]
      $0.origins = ["other.example:8443"]
    }
    let meant = try LoginSettings(request, Settings())
    #expect(meant.configuration.origins == ["https://other.example:8443", "https://api.example.org"])
    request.settings.allowHTTPLoopback = true
    #expect(try LoginSettings(request, Settings()).configuration.origins.last == "http://127.0.0.1:8080")
    // Stored settings were given before, or added by editing the file.
    var stored = try Self.stored()
    var configuration = try #require(stored[AccountName("work")])
    configuration.resources = ["https://api.example.org/v1"]
    try stored.set(configuration, for: try AccountName("work"))
    #expect(try LoginSettings(LoginRequest(), stored).configuration.origins.isEmpty)
  }

  @Test func `a second sign-in keeps what is stored`() throws {
    let settings = try Self.stored()
    let configuration = try #require(settings[AccountName("work")])
    for request in [
      LoginRequest(), Self.request { $0.account = "work" },
      Self.request {
        $0.account = "work"
        $0.issuer = Self.issuer
      },
    ] {
      let meant = try LoginSettings(request, settings)
      #expect(meant.account.text == "work")
      #expect(meant.configuration == configuration)
    }
  }

  @Test func `another issuer inherits nothing`() throws {
    let request = Self.request {
      $0.account = "work"
      $0.issuer = "https://other.example"
      $0.clientID = "cli"
    }
    let meant = try LoginSettings(request, try Self.stored())
    #expect(meant.configuration == AccountConfiguration(issuer: "https://other.example", clientID: "cli"))
    var bare = request
    bare.clientID = nil
    // The client ID belongs to the old issuer.
    #expect(try LoginSettings(bare, try Self.stored()).configuration.clientID == "")
  }

  // RFC 7591 section 3.2.1: the new client has its own ID, and may authenticate differently.
  @Test func `a client that is registered anew inherits nothing of the one before`() throws {
    var settings = try Self.stored()
    let name = try AccountName("work")
    var expected = try #require(settings[name])
    expected.clientID = ""
    var stored = try #require(settings[name])
    stored.tokenEndpointAuthMethod = .privateKeyJWT
    stored.trustedAudiences = ["other"]
    try settings.set(stored, for: name)
    let meant = try LoginSettings(Self.request { $0.registersClient = true }, settings)
    #expect(meant.account == name)
    #expect(meant.configuration == expected)
  }

  @Test func `an account without a name is called after its issuer's host`() throws {
    var settings = Settings()
    func meant(_ issuer: String, _ clientID: String) throws -> String {
      let login = try LoginSettings(
        Self.request {
          $0.issuer = issuer
          $0.clientID = clientID
        }, settings)
      try settings.set(login.configuration, for: login.account)
      return login.account.text
    }
    #expect(try meant("https://id.example.org", "cli") == "id.example.org")
    #expect(try meant("https://id.example.org", "cli") == "id.example.org")
    #expect(try meant("https://id.example.org/realm", "cli") == "id.example.org-2")
    #expect(try meant("https://id.example.org", "other") == "id.example.org-3")
    #expect(try meant("https://127.0.0.1:8443", "cli") == "127.0.0.1")
    #expect(settings.accounts.count == 4)
  }

  // Requests are validated before anything is stored or fetched.
  @Test func `values that cannot be right are refused`() throws {
    let wrong: [(String, (inout LoginRequest) -> Void)] = [
      ("the name", { $0.account = "../work" }), ("the issuer", { $0.issuer = "http://id.example.org" }),
      ("the scope", { $0.scope = ["a\"b"] }),
      ("the CA file", { $0.caFile = "ca.pem" }),
      ("a short pin", { $0.pins = ["sha256//AAAA"] }), ("a pin's algorithm", { $0.pins = ["sha1//AAAA"] }),
      ("the proxy", { $0.proxy = "ftp://proxy.example" }), ("the proxy's URL", { $0.proxy = "http://" }),
    ]
    for (name, change) in wrong {
      var request = Self.request {
        $0.account = "work"
        $0.issuer = Self.issuer
        $0.clientID = "cli"
      }
      #expect(Self.failure(request) == nil)
      change(&request)
      let code = try #require(Self.failure(request), "\(name)").code
      #expect(code == .invalidRequest || code == .invalidConfiguration, "\(name)")
    }
  }

  // An assertion asks the user nothing.
  @Test func `an account that signs in by an assertion takes no other way`() throws {
    let others: [(String, (inout LoginRequest) -> Void)] = [
      ("a new client", { $0.registersClient = true }), ("a token that is kept", { $0.keepsAccessToken = true }),
      ("the background", { $0.isDetached = true }),
      ("a browser", { $0.flow = .browser }), ("a demand", { $0.requirements.prompt = "login" }),
      ("another assertion", { $0.passedSecrets = [.assertion] }),
    ]
    for (name, change) in others {
      var request = Self.request { ($0.account, $0.issuer, $0.assertionFrom) = ("work", Self.issuer, .gitLabCI) }
      #expect(try LoginSettings(request, Settings()).unattended == .assertion)
      change(&request)
      #expect(Self.failure(request)?.code == .invalidRequest, "\(name)")
    }
  }

  @Test func `a sign-in without a user uses the account's assertion, or else the client's own credentials`() throws {
    var request = Self.request { ($0.account, $0.issuer, $0.clientID) = ("work", Self.issuer, "cli") }
    request.isGuest = true
    #expect(try LoginSettings(request, Settings()).unattended == .clientCredentials)
    request.assertionFrom = .gitLabCI
    #expect(try LoginSettings(request, Settings()).unattended == .assertion)
  }

  @Test func `what is given changes what is stored`() throws {
    let meant = try LoginSettings(
      Self.request {
        $0.account = "work"
        $0.clientID = "new"
        $0.tokenEndpointAuthMethod = .secretPost
        $0.tokenEndpoint = Self.issuer + "/token"
        $0.allowHTTPLoopback = true
      }, try Self.stored())
    let configuration = meant.configuration
    #expect(configuration.clientID == "new")
    #expect(configuration.tokenEndpointAuthMethod == .secretPost)
    #expect(configuration.tokenEndpoint == Self.issuer + "/token")
    #expect(configuration.userinfoEndpoint == Self.issuer + "/me")
    #expect(configuration.allowHTTPLoopback)
    #expect(configuration.scope == ["openid", "email"])
  }

  @Test(
    arguments: [
      ("http://proxy.example:3128", "http://proxy.example:3128", nil),
      ("proxy.example:3128", "http://proxy.example:3128", nil),
      ("http://user:secret@proxy.example:3128", "http://proxy.example:3128", "user:secret"),
      ("user:p@ss@proxy.example:3128", "http://proxy.example:3128", "user:p@ss"),
      ("https://user:secret@proxy.example/", "https://proxy.example/", "user:secret"),
    ] as [(String, String, String?)])
  func `a proxy's password does not get into the settings`(given: String, kept: String, credentials: String?) throws {
    let request = Self.request {
      $0.account = "work"
      $0.proxy = given
      $0.proxyExclusions = "localhost"
    }
    let meant = try LoginSettings(request, try Self.stored())
    #expect(meant.configuration.proxy == kept)
    #expect(meant.configuration.proxyExclusions == "localhost")
    #expect(meant.proxyCredentials == credentials)
  }

  // As curl interprets the variable.
  @Test func `an empty proxy is none`() throws {
    let meant = try LoginSettings(Self.request { ($0.account, $0.proxy) = ("work", "") }, try Self.stored())
    #expect(meant.configuration.proxy == nil && meant.proxyCredentials == nil)
  }

  @Test func `a proxy that is no longer in the environment is forgotten`() throws {
    var settings = try Self.stored()
    let name = try AccountName("work")
    var configuration = try #require(settings[name])
    configuration.proxy = "http://proxy.example"
    try settings.set(configuration, for: name)
    #expect(try LoginSettings(LoginRequest(), settings).configuration.proxy == nil)
  }

  @Test(arguments: [nil, "http://other.example:3128"])
  func `a proxy that an option named is not replaced by that of the environment`(inEnvironment: String?) throws {
    for own in ["http://proxy.example", nil] {
      var settings = try Self.stored()
      let name = try AccountName("work")
      var configuration = try #require(settings[name])
      (configuration.proxy, configuration.proxySource) = (own, .option)
      try settings.set(configuration, for: name)
      var request = LoginRequest()
      request.proxy = inEnvironment
      #expect(try LoginSettings(request, settings).configuration.proxy == own)
      request.proxySource = .environment
      let meant = try LoginSettings(request, settings).configuration
      #expect(meant.proxy == inEnvironment && meant.proxySource == nil)
      (request.proxy, request.proxySource) = ("http://new.example", .option)
      let named = try LoginSettings(request, settings).configuration
      #expect(named.proxy == "http://new.example" && named.proxySource == .option)
    }
  }

  @Test func `a known service needs no issuer, unless each customer has one`() throws {
    let meant = try LoginSettings(
      Self.request {
        $0.account = "code"
        $0.clientID = "cli"
        $0.provider = .github
      }, Settings())
    #expect(meant.configuration.issuer == "https://github.com/login/oauth" && meant.configuration.provider == .github)
    let failure = Self.failure(
      Self.request {
        $0.account = "code"
        $0.clientID = "cli"
        $0.provider = .okta
      })
    #expect(failure?.code == .issuerNeeded && failure?.hint?.contains("okta.com") == true)
  }

  @Test func `a service that takes no sign-in from a terminal is refused with the reason`() {
    let failure = Self.failure(
      Self.request {
        $0.account = "chat"
        $0.clientID = "cli"
        $0.provider = .apple
      })
    #expect(
      failure?.message
        == "cannot sign in to Apple from a terminal: Apple has no device grant and accepts only https redirect"
        + " URIs of a domain")
  }

  @Test(
    arguments: [
      "https://appleid.apple.com", "https://appleid.apple.com/.well-known/openid-configuration",
      "https://d-9067123456.awsapps.com/start", "https://identitycenter.amazonaws.com/ssoins-72231234567890ab",
      "https://oidc.eu-central-1.amazonaws.com", "https://portal.sso.us-east-1.amazonaws.com",
      // As the address bar shows them.
      "https://d-9067123456.awsapps.com/start#/", "https://acme.awsapps.com/start/#/?tab=accounts",
      "https://ssoins-7223.portal.us-east-1.app.aws/", "https://start.us-gov-home.awsapps.com/directory/acme",
      "https://start.home.awsapps.cn/directory/acme#/", "https://oidc.cn-north-1.amazonaws.com.cn",
      "https://appleid.apple.com/", "https://account.apple.com/#",
    ])
  func `so is its issuer, before any request`(issuer: String) throws {
    let failure = Self.failure(
      Self.request {
        $0.account = "chat"
        $0.clientID = "cli"
        $0.issuer = issuer
      })
    #expect(failure?.code == .invalidRequest && failure?.message.hasPrefix("cannot sign in to ") == true)
    var settings = AccountSettings()
    (settings.issuer, settings.clientID) = (issuer, "cli")
    #expect(throws: Failure.self) { let _: AccountConfiguration = try AccountConfiguration(settings) }
  }

  @Test func `a device grant that is not the standard's is refused with the reason`() throws {
    var request = Self.request {
      $0.account = "crm"
      $0.clientID = "cli"
      $0.provider = .salesforce
      $0.flow = .device
    }
    let failure = Self.failure(request)
    #expect(failure?.message == "cannot sign in to Salesforce by device: its device flow is not that of RFC 8628")
    request.flow = .paste
    #expect(Self.failure(request) == nil)
  }

  @Test func `an account that is there keeps its issuer when its service is named later`() throws {
    let meant = try LoginSettings(
      Self.request {
        $0.account = "work"
        $0.provider = .okta
      }, try Self.stored())
    #expect(meant.configuration.issuer == Self.issuer && meant.configuration.provider == .okta)
  }
}
