import OAuth
import Testing

@Suite struct `A known service` {
  @Test func `is found by exactly its name`() {
    #expect(KnownService.named("github")?.title == "GitHub")
    #expect(KnownService.named("GitHub") == nil && KnownService.named("") == nil)
  }

  @Test func `names are in order, each once, and each has a place or says why not`() {
    let names = KnownService.all.map(\.name)
    #expect(names == Set(names).sorted())
    for service in KnownService.all {
      let places = [service.issuer, service.issuerExample, service.obstacle].compactMap { $0 }
      #expect(places.count == 1, "\(service.name)")
    }
  }

  @Test(arguments: KnownService.all.filter { $0.issuer != nil })
  func `in one place has an issuer that can be used`(_ service: KnownService) throws {
    _ = try Issuer(try #require(service.issuer), allowHTTPLoopback: false)
    if !service.scope.isEmpty { _ = try Scope(values: service.scope) }
  }

  @Test func `without metadata has its endpoints below the issuer, at a server of one's own too`() throws {
    let github = try #require(KnownService.named("github"))
    let own = try Issuer("https://git.example.com/", allowHTTPLoopback: false)
    let endpoints = try #require(try github.endpoints(of: own, allowHTTPLoopback: false))
    #expect(endpoints.token?.text == "https://git.example.com/login/oauth/access_token")
    #expect(endpoints.deviceAuthorization?.text == "https://git.example.com/login/device/code")
    #expect(endpoints.authorization?.text == "https://git.example.com/login/oauth/authorize")
    let gitlab = try #require(KnownService.named("gitlab"))
    #expect(try gitlab.endpoints(of: own, allowHTTPLoopback: false) == nil)
  }

  @Test func `advises by the name of an error, or by the number at the beginning of its description`() throws {
    var error = OAuthError(.unauthorizedClient, "the device authorization endpoint")
    error.serverError = "device_flow_disabled"
    let github = try #require(KnownService.named("github"))
    #expect(github.advice(for: error)?.contains("Enable Device Flow") == true)
    let entra = try #require(KnownService.named("entra"))
    #expect(entra.advice(for: error) == nil)
    error.serverError = "invalid_client"
    error.serverDescription = "AADSTS7000218: The request body must contain …"
    #expect(entra.advice(for: error)?.contains("Allow public client flows") == true)
    error.serverDescription = "AADSTS70002189: another number"
    #expect(entra.advice(for: error) == nil)
  }
}
