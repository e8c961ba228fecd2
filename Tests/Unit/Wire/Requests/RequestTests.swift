import Encoding
import TestSupport
import Testing
import Vocabulary
import Wire
import WireSupport

extension Failure {
  /// The failure of a malformed request.
  static func invalid(_ message: String) -> Failure { Failure(.invalidRequest, verbatim: message) }
}

func parse(_ text: String) throws(Failure) -> RequestEnvelope {
  let bytes = Array(text.utf8)
  return try RequestEnvelope(parsing: bytes.span)
}

let fullLogin: LoginRequest = {
  var login = LoginRequest()
  login.account = "work"
  login.issuer = "https://as.example/tenant"
  login.clientID = "cli \"quoted\" \\ é"
  login.provider = .keycloak
  login.scope = ["openid", "offline_access"]
  login.resources = ["https://api.example/"]
  login.audience = "backend"
  login.parameters = ["hd=example.com"]
  login.claims = "{}"
  login.authorizationDetails = "[]"
  login.tokenEndpointAuthMethod = .secretBasic
  login.passedSecrets = Set(PassedSecret.allCases)
  login.registersClient = true
  login.isGuest = true
  login.beganAtResource = true
  login.proofAlgorithms = ["PS256"]
  login.requestsOfflineAccess = true
  login.omitsBasicEncoding = true
  login.usesClientCertificate = true
  login.clientKeyAlgorithm = .PS256
  login.clientKeyID = "k 1"
  login.assertionAudience = "token_endpoint"
  login.assertionFile = "/run/token"
  login.assertionFrom = .gitHubActions
  login.assertionVariable = "CI_JWT"
  login.assertionAccount = "person"
  login.assertionGrant = .tokenExchange
  login.idTokenAlgorithm = .HS256
  login.userInfoAlgorithm = .ES256
  login.trustedAudiences = ["project"]
  login.caFile = "/etc/ca.pem"
  login.pins = ["sha256//AAAA="]
  login.allowHTTPLoopback = true
  login.authorizationEndpoint = "https://as.example/a"
  login.tokenEndpoint = "https://as.example/t"
  login.deviceAuthorizationEndpoint = "https://as.example/d"
  login.userinfoEndpoint = "https://as.example/u"
  login.revocationEndpoint = "https://as.example/r"
  login.registrationEndpoint = "https://as.example/n"
  login.jwksURI = "https://as.example/j"
  login.proxy = "http://proxy.example:3128"
  login.proxyExclusions = "localhost,.example"
  login.proxySource = .option
  login.keepsAccessToken = true
  login.usesDPoP = true
  login.keyStorage = .tpm2
  login.profile = .fapi2
  login.origins = ["api.example.org"]
  login.refresh = .onDemand
  login.variables = ["API=access_token"]
  login.tokenFiles = ["/run/user/1000/token"]
  login.protection = .passphrase
  login.redirectURI = "http://127.0.0.1:8400/cb"
  login.skipCondition = .token
  login.activates = true
  login.isEphemeral = true
  login.flow = .browser
  login.canOpenBrowser = true
  return login
}()

private let fullDiscovery: DiscoverRequest = {
  var request = DiscoverRequest(url: "https://api.example/")
  request.account = "work"
  request.onlyForNewAccount = true
  request.settings.caFile = "/ca.pem"
  request.settings.allowHTTPLoopback = true
  request.settings.proxy = "http://proxy.example:3128"
  request.settings.proxyExclusions = "localhost"
  return request
}()

@Suite struct `A request` {
  static let all: [Request] = [
    .token(TokenRequest()),
    .token(TokenRequest(account: "work", minimumValiditySeconds: 0, forceRefresh: true)),
    .token(TokenRequest(account: "", minimumValiditySeconds: 86_400)),
    .token(TokenRequest(extras: TokenRequest.Extras(wantsIDToken: true, wantsClaims: true))),
    .login(LoginRequest()), .login(fullLogin),
    .loginStep(
      .redirect(loginID: "0f", url: "http://127.0.0.1/?state=" + String(repeating: "s", count: 16_000))),
    .discover(DiscoverRequest(url: "https://api.example/")), .discover(fullDiscovery),
    .logout(LogoutRequest()), .logout(LogoutRequest(account: "work", skipsRevocation: true)),
    .logout(LogoutRequest(allAccounts: true, skipsRevocation: true)), .logout(LogoutRequest(returnsBrowserURL: true)),
    .state(.status(account: nil)), .state(.status(account: "a\nb\u{2028}\u{1F}c")), .state(.list),
    .state(.use(account: "work")), .state(.useDirectory(account: "work", directory: "/")),
    .state(.useDirectory(account: nil, directory: "/")),
    .state(.doctor(account: nil)), .state(.doctor(account: "work")),
    .state(.whoami(account: nil)), .state(.whoami(account: "work")), .state(.whoami(account: "work", verified: true)),
    .daemon(.status),
    .daemon(.stop),
    .resourceBody(ResourceBodyRequest(bytes: [0, 10, 255], isLast: false)),
    .resourceBody(ResourceBodyRequest(bytes: [], isLast: true)),
    .screenEnvironment(),
  ]

  @Test(arguments: all, [nil, 1, 3600]) func `is read back as it was written`(request: Request, timeout: Int?) throws {
    let envelope = RequestEnvelope(request, timeoutSeconds: timeout, verbose: timeout == 1)
    let line = envelope.serialized()
    #expect(line.last == UInt8(ascii: "\n"))
    #expect(line.count { $0 == UInt8(ascii: "\n") } == 1)
    #expect(try RequestEnvelope(parsing: line.span) == envelope)
    // The newline may be missing.
    #expect(try RequestEnvelope(parsing: Array(line.dropLast()).span) == envelope)
  }

  @Test(arguments: all) func `is refused when any byte is missing at its end`(request: Request) {
    let line = Array(RequestEnvelope(request).serialized().dropLast())
    for count in 0..<line.count {
      expect(throws: Failure.invalid("the request is not one JSON object on one line")) {
        try RequestEnvelope(parsing: Array(line[..<count]).span)
      }
    }
  }

  @Test func `has a name of its own for each kind`() {
    let names = Self.all.map(\.properties.name)
    #expect(Set(names).count == 15)
    #expect(
      Set(names) == [
        "token", "login", "login_redirect", "logout", "status", "list", "use", "whoami", "daemon_status", "daemon_stop",
        "discover", "doctor", "resource_body", "screen_environment", "use_directory",
      ])
  }

  @Test func `gets an account if it names none and can`() throws {
    let nameless = Self.all.filter { $0.properties.subject == .activeAccount }
    #expect(nameless.contains { $0.properties.name == "token" })
    for request in nameless {
      let named = request.withDefaultAccount("dir")
      #expect(
        named.properties.subject == .account("dir") && named.properties.name == request.properties.name, "\(request)")
      #expect(named.withDefaultAccount("other") == named)
    }
    let login = Request.login(fullLogin)
    #expect(login.withDefaultAccount("dir") == login)
    var keys = VerifyRequest()
    keys.passesKeySet = true
    var others: [Request] = [.events(EventsRequest()), .logout(LogoutRequest(allAccounts: true)), .verify(keys)]
    var issuer = LoginRequest()
    issuer.issuer = "https://as.example"
    others.append(.login(issuer))
    for request in others { #expect(!request.properties.followsDirectory, "\(request)") }
    var placed = TokenRequest()
    placed.destination = TokenRequest.Destination(url: "https://api.example")
    #expect(
      Request.token(placed).properties.followsDirectory && Request.token(placed).properties.subject == .listingAccount)
  }

  @Test func `is written as the protocol documents it`() {
    let token = RequestEnvelope(.token(TokenRequest(account: "work", minimumValiditySeconds: 60)), timeoutSeconds: 5)
    #expect(
      String(decoding: token.serialized(), as: UTF8.self)
        == #"{"v":1,"request":"token","account":"work","min_valid":60,"timeout":5}"# + "\n")
    #expect(
      String(decoding: RequestEnvelope(.login(fullLogin)).serialized(), as: UTF8.self)
        == #"{"v":1,"request":"login","account":"work","issuer":"https://as.example/tenant","#
        + #""client_id":"cli \"quoted\" \\ é","provider":"keycloak","scope":["openid","offline_access"],"#
        + #""resource":["https://api.example/"],"audience":"backend","parameters":["hd=example.com"],"#
        + #""claims":"{}","authorization_details":"[]","#
        + #""token_endpoint_auth_method":"client_secret_basic","basic_unencoded":true,"client_certificate":true,"#
        + #""client_key_algorithm":"PS256","client_key_id":"k 1","assertion_file":"/run/token","#
        + #""assertion_from":"github-actions","assertion_variable":"CI_JWT","assertion_account":"person","#
        + #""assertion_grant":"token-exchange","assertion_audience":"token_endpoint","#
        + #""id_token_algorithm":"HS256","userinfo_algorithm":"ES256","trusted_audiences":["project"],"#
        + #""ca_file":"/etc/ca.pem","pins":["sha256//AAAA="],"allow_http_loopback":true,"#
        + #""authorization_endpoint":"https://as.example/a","token_endpoint":"https://as.example/t","#
        + #""device_authorization_endpoint":"https://as.example/d","#
        + #""userinfo_endpoint":"https://as.example/u","revocation_endpoint":"https://as.example/r","#
        + #""registration_endpoint":"https://as.example/n","#
        + #""jwks_uri":"https://as.example/j","redirect_uri":"http://127.0.0.1:8400/cb","#
        + #""proxy":"http://proxy.example:3128","no_proxy":"localhost,.example","#
        + #""proxy_source":"option","#
        + #""keep":true,"dpop":true,"key":"tpm2","profile":"fapi2","#
        + #""origins":["api.example.org"],"refresh":"on-demand","variables":["API=access_token"],"#
        + #""token_files":["/run/user/1000/token"],"protect":"passphrase","#
        + #""client_secret_descriptor":true,"client_key_descriptor":true,"#
        + #""client_certificate_descriptor":true,"initial_access_token_descriptor":true,"#
        + #""assertion_descriptor":true,"#
        + #""register":true,"guest":true,"offline_access":true,"announced_pkce":true,"proof_algorithms":["PS256"],"flow":"browser","can_open_browser":true,"unless":"token","use":true,"ephemeral":true}"#
        + "\n")
  }

  // MARK: Versions and names

  @Test func `of another version is refused with what helps`() {
    expect(
      throws: Failure(
        .unsupportedVersion, "the request uses protocol version 2, but this daemon uses 1",
        hint: "agent daemon restart")
    ) { try parse(#"{"v":2,"request":"from the future","account":{}}"#) }
  }

  @Test(arguments: ["0", "-1", "1.5", "1000001", "99999999999999999999999", #""1""#, "true", "[1]", "{}"])
  func `with a version that is none is refused`(version: String) {
    expect(throws: Failure.invalid(#""v" must be a number from 1 to 1000000"#)) {
      try parse(#"{"v":\#(version),"request":"list"}"#)
    }
  }

  @Test(arguments: [#"{"request":"list"}"#, #"{"v":null,"request":"list"}"#, "{}"])
  func `without a version is refused`(line: String) {
    expect(throws: Failure.invalid("the request has no protocol version")) { try parse(line) }
  }

  @Test(arguments: ["Token", "token ", "", "tok\u{65}\u{301}n", "steal", "daemon-stop"])
  func `of an unknown name is refused without repeating it`(name: String) {
    expect(throws: Failure.unknownRequest) { try parse(#"{"v":1,"request":"\#(name)"}"#) }
  }

  @Test(arguments: ["[]", "1", "null", #""token""#]) func `must be an object`(line: String) {
    expect(throws: Failure.invalid("the request is not a JSON object")) { try parse(line) }
  }

  @Test(arguments: [
    #"{"v":1,"v":1,"request":"list"}"#, #"{"v":1,"request":"list","request":"daemon_stop"}"#,
    #"{"v":1,"request":"list"} {}"#, "", "garbage", "{\"v\":1,\"request\":\"list\",\"x\":\"\u{0}\"}",
  ])
  func `that is no strict JSON is refused`(line: String) {
    expect(throws: Failure.invalid("the request is not one JSON object on one line")) { try parse(line) }
  }

  @Test func `may hold members that this build does not know`() throws {
    #expect(try parse(#"{"v":1,"request":"list","newer":[1,{"x":2}]}"#) == RequestEnvelope(.state(.list)))
  }

  @Test(arguments: [
    (#"{"v":1}"#, "the request has no name"), (#"{"v":1,"request":"use"}"#, #"the request needs the member "account""#),
    (#"{"v":1,"request":"logout","account":"a","all":true}"#, "give an account or all accounts, not both"),
  ])
  func `that says too little or contradicts itself is refused`(line: String, message: String) {
    expect(throws: Failure.invalid(message)) { try parse(line) }
  }
}
