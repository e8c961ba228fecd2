import OAuth
import TestSupport
import Testing
import Vocabulary

@Suite struct `A known provider` {
  @Test func `is found by its name, and has a place or says why not`() {
    let names = Provider.builtIn.map(\.name.rawValue)
    #expect(names == names.sorted() && names.count > 20)
    for provider in Provider.builtIn {
      let places = [provider.issuer, provider.issuerExample, provider.obstacle].compactMap { $0 }
      #expect(places.count == 1, "\(provider.name)")
    }
  }

  @Test(arguments: Provider.builtIn) func `names the page that tells of each of its quirks`(_ provider: Provider) {
    for (quirk, source) in provider.quirks { #expect(source.hasPrefix("https://"), "\(quirk)") }
  }

  @Test(arguments: Provider.builtIn.filter { $0.obstacle == nil })
  func `says where to register what, with which redirect URI, and where its sessions are ended`(
    _ provider: Provider
  ) throws {
    let registration = try #require(provider.registration)
    #expect(!registration.page.isEmpty && !registration.kind.isEmpty)
    #expect(provider.sessionsPage?.isEmpty == false)
    if provider.has(.ownRedirectURI) { return }
    #expect(try RedirectURI(try #require(provider.redirectURI)).loopbackHost != nil)
  }

  @Test(arguments: [
    (ProviderName.keycloak, "https://id.example.org/realms/staff", true), (.okta, "https://login.example.org", true),
    (.google, "https://accounts.google.com", true), (.google, "https://id.example.org", false),
    (.outlook, "https://login.microsoftonline.com/contoso.example/v2.0", true),
    (.outlook, "https://id.example.org", false), (.codeberg, "https://codeberg.org/", true),
    (.codeberg, "https://git.example.org", false), (.forgejo, "https://git.example.org/", true),
  ]) func `may be at issuers of its own, or at any where people run servers of it`(
    _ name: ProviderName, _ issuer: String, _ may: Bool
  ) {
    #expect(Provider.named(name).mayHaveIssuer(issuer) == may)
  }

  @Test func `has the issuer with a slash at its end and without only where that is its quirk`() {
    for issuer in ["https://codeberg.org", "https://codeberg.org/"] {
      #expect(Provider.of(issuer: issuer)?.name == .codeberg)
    }
    #expect(Provider.of(issuer: "https://codeberg.org//") == nil)
    #expect(Provider.of(issuer: "https://gitlab.com/") == nil)
    #expect(Provider.named(.forgejo).isSameServer("https://a.example/", as: "https://a.example"))
    #expect(!Provider.named(.forgejo).isSameServer("https://a.example/", as: "https://b.example"))
    #expect(!Provider.named(.keycloak).isSameServer("https://a.example/", as: "https://a.example"))
  }

  @Test(arguments: [
    ("https://login.microsoftonline.com/common/v2.0", ProviderName?.some(.entra)),
    ("https://login.microsoftonline.com/contoso.onmicrosoft.com/v2.0", .entra),
    ("https://login.microsoftonline.us/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0", .entra),
    ("https://login.microsoftonline.com.evil.example/common/v2.0", nil),
    ("https://login.microsoftonline.com/a/b/v2.0", nil), ("https://login.microsoftonline.com//v2.0", nil),
    ("https://dev-1.okta.com/oauth2/default", .okta), ("https://evil.example/x.okta.com", nil),
    ("https://a.b.okta.com", nil), ("https://t.eu.auth0.com/", .auth0), ("https://t.eu.auth0.com", nil),
    ("https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbC", .cognito),
  ])
  func `is chosen by a template of its issuers, and by nothing that is only like one`(
    _ issuer: String, _ name: ProviderName?
  ) {
    #expect(Provider.of(issuer: issuer)?.name == name)
  }

  @Test func `of which another is a variant is meant by the issuer that both have`() {
    #expect(Provider.named(.gmail).issuer == Provider.named(.google).issuer)
    #expect(Provider.named(.outlook).issuer == Provider.named(.entra).issuer)
    #expect(Provider.of(issuer: "https://login.microsoftonline.com/common/v2.0")?.name == .entra)
  }

  @Test(arguments: Provider.builtIn.filter { $0.issuer != nil })
  func `in one place has an issuer that can be used`(_ provider: Provider) throws {
    _ = try Issuer(try #require(provider.issuer), allowHTTPLoopback: false)
    if !provider.scope.isEmpty { _ = try Scope(values: provider.scope) }
  }

  @Test(arguments: ["https://git.example.com/", "https://git.example.com", "https://git.example.com/login/oauth"])
  func `without metadata has its endpoints at the server, whichever way its issuer is written`(text: String) throws {
    let github = Provider.named(.github)
    let own = try Issuer(text, allowHTTPLoopback: false)
    let endpoints = try github.endpoints(of: own, allowHTTPLoopback: false)
    #expect(endpoints[.token]?.text == "https://git.example.com/login/oauth/access_token")
    #expect(endpoints[.deviceAuthorization]?.text == "https://git.example.com/login/device/code")
    #expect(endpoints[.authorization]?.text == "https://git.example.com/login/oauth/authorize")
    let isFull = text.hasSuffix("/login/oauth")
    #expect(github.responseIssuer(of: own) == (isFull ? nil : "https://git.example.com/login/oauth"))
  }

  @Test func `may have an endpoint that its metadata lack, below the issuer`() throws {
    let own = try Issuer("https://example.com/gitlab", allowHTTPLoopback: false)
    let known = try Provider.named(.gitlab).endpoints(of: own, allowHTTPLoopback: false)
    let device = try Endpoint("https://example.com/gitlab/oauth/authorize_device", allowHTTPLoopback: false)
    #expect(known == [.deviceAuthorization: device])
    let bare = AuthorizationServerMetadata(issuer: own, overrides: [:])
    #expect(bare.applying([:], else: known)[.deviceAuthorization] == device)
    let announced: [EndpointRole: Endpoint] = [
      .deviceAuthorization: try Endpoint("https://example.com/device", allowHTTPLoopback: false)
    ]
    let full = AuthorizationServerMetadata(issuer: own, overrides: announced)
    #expect(full.applying([:], else: known)[.deviceAuthorization] == announced[.deviceAuthorization])
  }

  @Test func `is chosen by its one issuer, byte by byte, and named by its hosts`() {
    #expect(Provider.of(issuer: "https://accounts.google.com")?.name == .google)
    for other in [
      "https://accounts.google.com/", "https://ACCOUNTS.google.com", "https://accounts.google.com.evil.example",
    ] {
      #expect(Provider.of(issuer: other) == nil, "\(other)")
    }
    #expect(Provider.of(baseURL: "https://GitHub.com/")?.name == .github)
    #expect(Provider.of(baseURL: "https://google.com")?.name == .google)
    for other in [
      "http://github.com", "https://github.com.evil.example", "https://github.com:8443", "https://github.com/x",
    ] {
      #expect(Provider.of(baseURL: other) == nil, "\(other)")
    }
  }

  @Test func `advises by the name of an error, or by the number at the beginning of its description`() throws {
    var error = OAuthError(.unauthorizedClient, .endpoint(.deviceAuthorization))
    error.serverError = "device_flow_disabled"
    let github = Provider.named(.github)
    let advice = try #require(github.advice(for: error))
    #expect(advice.text.english.contains("Enable Device Flow") && !advice.needsSecret)
    let entra = Provider.named(.entra)
    #expect(entra.advice(for: error) == nil)
    error.serverError = "invalid_client"
    error.serverDescription = "AADSTS7000218: The request body must contain …"
    #expect(entra.advice(for: error)?.text.english.contains("Allow public client flows") == true)
    #expect(entra.advice(for: error)?.needsSecret == true)
    error.serverDescription = "AADSTS9002327: Tokens issued for the 'Single-Page Application' client-type …"
    #expect(entra.advice(for: error)?.text.english.contains("mobile and desktop applications") == true)
    error.serverDescription = "AADSTS70002189: another number"
    #expect(entra.advice(for: error) == nil)
  }
}
