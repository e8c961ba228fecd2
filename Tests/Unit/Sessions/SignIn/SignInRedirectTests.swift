import Encoding
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary

/// The URL to which the browser returns the response of a sign-in (RFC 8252 section 7.3).
@Suite struct `The redirect URI of a sign-in` {
  private let home: Home

  init() throws { home = try Home() }

  private func redirect(
    _ configuration: AccountConfiguration = Home.configuration, namesIssuer: Bool = true
  ) throws -> String? {
    var metadata = TestIssuer.metadata("authorization_endpoint", "https://as.example/authorize")
    metadata["authorization_response_iss_parameter_supported"] = .bool(namesIssuer)
    if configuration.provider?.rawValue == "cognito" { metadata["device_authorization_endpoint"] = nil }
    home.http.always(TestIssuer.metadataURL, try response(200, .object(metadata)))
    let request = SignIn.Request(
      account: home.account, configuration: configuration, services: home.services, cancellation: Cancellation())
    return try request.prepared().redirect?.uri.text
  }

  @Test func `is one that people can register where the server names itself, and tells the issuer elsewhere`() throws {
    #expect(try redirect() == "http://127.0.0.1/callback")
    #expect(try redirect(namesIssuer: false) == "http://127.0.0.1/as.example/tenant")
  }

  @Test func `is that of the settings, else that of the provider`() throws {
    var configuration = Home.configuration
    configuration.provider = .slack
    #expect(try redirect(configuration) == "http://localhost:47600/callback")
    configuration.redirectURI = "http://127.0.0.1:8400/cb"
    #expect(try redirect(configuration) == "http://127.0.0.1:8400/cb")
  }

  @Test func `stays that of the last sign-in as long as the client does`() throws {
    try home.store { $0.redirectURI = "http://127.0.0.1/older" }
    #expect(try redirect() == "http://127.0.0.1/older")
    // Older versions that did not store it included the issuer.
    try home.store()
    #expect(try redirect() == "http://127.0.0.1/as.example/tenant")
    var other = Home.configuration
    other.clientID = "other"
    #expect(try redirect(other) == "http://127.0.0.1/callback")
  }

  // RFC 8252 section 7.3: with another port it would differ from the manually registered redirect URI.
  @Test func `that is taken is told where no client can be registered for another`() throws {
    let metadata = TestIssuer.metadata("authorization_endpoint", "https://as.example/authorize")
    home.http.always(TestIssuer.metadataURL, try response(200, .object(metadata)))
    try home.store { $0.redirectURI = "http://127.0.0.1:49152/callback" }
    let taken = SessionError.redirectUnavailable(port: 49_152, SystemError(errno: 98, operation: "bind"))
    var request = SignIn.Request(
      account: home.account, configuration: Home.configuration, services: home.services, cancellation: Cancellation())
    request.listen = { (_, _, _, _) throws(SessionError) in throw taken }
    #expect(throws: taken) { _ = try request.prepared() }
    #expect(home.http.urls == [TestIssuer.metadataURL])
  }

  @Test func `must be named where the provider takes no other`() throws {
    var configuration = Home.configuration
    configuration.provider = .cognito
    #expect(throws: SessionError.redirectURINeeded(provider: "Amazon Cognito")) { try redirect(configuration) }
    configuration.redirectURI = "http://localhost:8400/"
    #expect(try redirect(configuration) == "http://localhost:8400/")
  }

  @Test func `is told to whom has no client, and whether one can be registered`() throws {
    func missing(_ configuration: AccountConfiguration) throws -> MissingClient? {
      do throws(SessionError) {
        _ = try SignIn.Request(
          account: home.account, configuration: configuration, isNew: true, services: home.services,
          cancellation: Cancellation()
        ).prepare { (_) throws(SessionError) in () }
      } catch .clientIDNeeded(let missing) {
        return missing
      }
      return nil
    }
    var metadata = TestIssuer.metadata("authorization_endpoint", "https://as.example/authorize")
    metadata["authorization_response_iss_parameter_supported"] = true
    metadata["registration_endpoint"] = "https://as.example/register"
    home.http.always(TestIssuer.metadataURL, try response(200, .object(metadata)))
    let found = try missing(AccountConfiguration(issuer: TestIssuer.text, clientID: ""))
    #expect(found?.server == TestIssuer.text && found?.redirectURI == "http://127.0.0.1/callback")
    #expect(found?.canRegister == true && found?.registration == nil)
    var github = AccountConfiguration(issuer: "https://github.com/login/oauth", clientID: "")
    github.provider = .github
    let known = try missing(github)
    #expect(
      known?.server == "GitHub" && known?.redirectURI == "http://127.0.0.1/callback" && known?.canRegister == false)
    #expect(known?.registration?.option == "Enable Device Flow")
  }
}

@Suite struct `What was entered for the sign-in to a new account that failed` {
  private let home: Home

  init() throws { home = try Home() }

  private func device(_ given: SignInSecrets = .init()) throws -> SignIn.PendingApproval.Device {
    try SignIn.Request(
      account: home.account, configuration: Home.configuration, isNew: true, services: home.services,
      cancellation: Cancellation()
    ) { _ in given }.device()
  }

  private func settings() throws -> AccountConfiguration? {
    try SettingsFile(directory: home.settingsDirectory).current()[home.account]
  }

  @Test(arguments: [(400, "unauthorized_client"), (401, "invalid_client"), (400, "access_denied"), (503, "")])
  func `is not kept`(status: Int, code: String) throws {
    home.http.always(TestIssuer.deviceURL, try response(status, code.isEmpty ? [:] : ["error": .string(code)]))
    #expect(throws: SessionError.self) { try device(SignInSecrets(clientSecret: try secret("s"))) }
    #expect(try settings() == nil)
    #expect(try home.stored() == nil)
  }
}
