import Crypto
import Encoding
@testable import OAuth
import Platform
import Sessions
import TestSupport
import Vault
import Vocabulary

/// A user's directories, with a clock and a simulated server, for blocking operations.
final class Home: Sendable {
  let directory: TemporaryDirectory
  let time = ManualTime()
  let http = ScriptedHTTP()
  let services: SessionServices
  let account: AccountName

  init() throws {
    directory = try TemporaryDirectory()
    account = try AccountName("work")
    services = Self.services(directory, http, time)
    http.always(TestIssuer.metadataURL, try response(200, .object(TestIssuer.metadata)))
    http.always(TestIssuer.keysURL, try response(200, TestIssuer.first.keySet))
    http.always(TestIssuer.revocationURL, try response(200, [:]))
  }

  /// The services of another process of the same user, with empty caches.
  func otherProcess() -> SessionServices { Self.services(directory, http, time) }

  private static func services(
    _ directory: TemporaryDirectory, _ http: ScriptedHTTP, _ time: ManualTime
  ) -> SessionServices {
    SessionServices(
      vault: Vault(stateDirectory: directory.path("state"), machineIdentity: Array(1...16), userID: 1000),
      http: http, time: time, documents: DocumentCache(directory: directory.path("cache"), http: http, time: time),
      settingsDirectory: directory.path("config"))
  }

  static let configuration = AccountConfiguration(issuer: TestIssuer.text, clientID: "cli")

  static let alice = IdentityRecord(issuer: TestIssuer.text, subject: "alice", audience: ["cli"])

  /// A record like one written by a sign-in.
  static func record(_ configuration: AccountConfiguration = configuration) throws -> AccountRecord {
    let issuer = try Issuer(configuration.issuer, allowHTTPLoopback: false)
    let metadata = try AuthorizationServerMetadata(
      parsing: JSON.object(TestIssuer.metadata).serialized(), issuer: issuer, allowHTTPLoopback: false)
    var record = AccountRecord(
      authority: Authority(configuration, caDigest: nil, metadata: metadata), signedInAt: TestIssuer.now - 100)
    record.identity = alice
    record.refreshToken = try secret("rt-1")
    return record
  }

  /// Stores a record, changed by `change`.
  func store(
    _ configuration: AccountConfiguration = Home.configuration,
    _ change: (inout AccountRecord) throws -> Void = { _ in }
  ) throws {
    var record = try Self.record(configuration)
    try change(&record)
    let content = try record.serialized()
    try services.vault.write(account, content: content)
  }

  /// Stores a record that is unreadable without the passphrase `open sesame`.
  func storeLocked() throws {
    let passphrase = try secret("open sesame")
    let content = try Self.record().serialized()
    try services.vault.createProtection(.passphrase, secret: passphrase.bytes)
    try services.vault.write(account, content: content, protection: .passphrase)
    services.vault.lock()
  }

  /// The current record on disk.
  func stored() throws -> AccountRecord? { try otherProcess().record(of: account) }

  func refresh(
    _ configuration: AccountConfiguration = Home.configuration, _ services: SessionServices? = nil
  ) throws -> AccessGrant {
    try operation(configuration, services).run()
  }

  func operation(
    _ configuration: AccountConfiguration = Home.configuration, _ services: SessionServices? = nil,
    target: TokenTarget? = nil
  ) -> RefreshOperation {
    RefreshOperation(
      account: account, configuration: configuration, target: target, services: services ?? self.services,
      cancellation: Cancellation())
  }
}
