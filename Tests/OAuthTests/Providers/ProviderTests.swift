import OAuth
import Testing
import Vocabulary

@Suite struct `A known provider` {
  @Test func `is found by its name, and has a place or says why not`() {
    #expect(Provider.all.map(\.name) == ProviderName.allCases)
    for provider in Provider.all {
      let places = [provider.issuer, provider.issuerExample, provider.obstacle].compactMap { $0 }
      #expect(places.count == 1, "\(provider.name)")
    }
  }

  @Test(arguments: Provider.all.filter { $0.issuer != nil })
  func `in one place has an issuer that can be used`(_ provider: Provider) throws {
    _ = try Issuer(try #require(provider.issuer), allowHTTPLoopback: false)
    if !provider.scope.isEmpty { _ = try Scope(values: provider.scope) }
  }

  @Test func `without metadata has its endpoints below the issuer, at a server of one's own too`() throws {
    let github = Provider.named(.github)
    let own = try Issuer("https://git.example.com/", allowHTTPLoopback: false)
    let endpoints = try #require(try github.endpoints(of: own, allowHTTPLoopback: false))
    #expect(endpoints.token?.text == "https://git.example.com/login/oauth/access_token")
    #expect(endpoints.deviceAuthorization?.text == "https://git.example.com/login/device/code")
    #expect(endpoints.authorization?.text == "https://git.example.com/login/oauth/authorize")
    let gitlab = Provider.named(.gitlab)
    #expect(try gitlab.endpoints(of: own, allowHTTPLoopback: false) == nil)
  }

  @Test func `advises by the name of an error, or by the number at the beginning of its description`() {
    var error = OAuthError(.unauthorizedClient, "the device authorization endpoint")
    error.serverError = "device_flow_disabled"
    let github = Provider.named(.github)
    #expect(github.advice(for: error)?.contains("Enable Device Flow") == true)
    let entra = Provider.named(.entra)
    #expect(entra.advice(for: error) == nil)
    error.serverError = "invalid_client"
    error.serverDescription = "AADSTS7000218: The request body must contain …"
    #expect(entra.advice(for: error)?.contains("Allow public client flows") == true)
    error.serverDescription = "AADSTS70002189: another number"
    #expect(entra.advice(for: error) == nil)
  }
}
