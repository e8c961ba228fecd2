import Crypto
import Encoding
import OAuth
import WireSupport
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `The document of a client that is a URL` {
  private static let client = "https://app.example/client"
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome()
    parts = try DaemonParts(home.context)
  }

  private func ask(_ account: String?, _ settings: AccountSettings, _ number: Int) throws(Failure) -> JSONObject? {
    try parts.accounts.manage(
      .clientMetadata(account: account, settings, passedSecrets: []), .number(number), passed: [])
    home.runJobs()
    return home.sink.results[number]
  }

  @Test func `has the public half of the account's own key, and no other part of it`() throws {
    let work = try AccountName("work")
    var configuration = AccountConfiguration(issuer: "https://as.example", clientID: Self.client)
    configuration.tokenEndpointAuthMethod = .privateKeyJWT
    let added = configuration
    _ = try home.settings.change { (settings) throws(ConfigurationError) in try settings.set(added, for: work) }
    let metadata = try AuthorizationServerMetadata(
      parsing: JSON.object(PlayedServer.metadata).serialized(),
      issuer: Issuer("https://as.example", allowHTTPLoopback: false), allowHTTPLoopback: false)
    var record = AccountRecord(
      authority: Authority(configuration, caDigest: nil, metadata: metadata), signedInAt: home.time.wallSeconds())
    let key = try PrivateKey.generateEC(.p256).serializedForVault()
    let text = key.withBytes { bytes in Base64URL.encode(bytes.indices.map { bytes[$0] }) }
    record.credentials.key = SharedSecret(try SecretBytes(copying: Array(text.utf8).span))
    try home.services.vault.write(work, content: try record.serialized(), protection: .device)

    let document = try #require(try ask("work", AccountSettings(), 1))
    #expect(document["client_id"] == .string(Self.client))
    let published = try #require(document["jwks"]?["keys"]?.array?.first)
    #expect(published["kty"] == "EC" && published["x"] != nil && published["d"] == nil)
    #expect(home.http.roles.isEmpty)
  }

  @Test func `is not made of settings that are not valid`() {
    var settings = AccountSettings()
    (settings.clientID, settings.scope) = (Self.client, ["a\"b"])
    #expect(throws: Failure.self) { try ask(nil, settings, 1) }
    #expect(home.sink.results.isEmpty)
  }
}
