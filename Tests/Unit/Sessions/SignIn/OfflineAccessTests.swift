import Encoding
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary

/// The scope of a sign-in that was not chosen by the user (RFC 9728 section 2).
@Suite struct `A sign-in that asks to stay` {
  private static let place = "https://as.example/register"

  private func home(_ scopes: [String]?) throws -> Home {
    let home = try Home()
    var metadata = TestIssuer.metadata("registration_endpoint", .string(Self.place))
    metadata["scopes_supported"] = scopes.map { .array($0.map { .string($0) }) }
    home.http.always(TestIssuer.metadataURL, try response(200, .object(metadata)))
    return home
  }

  private func preparation(
    _ home: Home, scope: [String], requestsOfflineAccess: Bool = true, registers: Bool = false, dpop: Bool = false
  ) -> SignIn.Request {
    var configuration = AccountConfiguration(issuer: TestIssuer.text, clientID: registers ? "" : "cli")
    configuration.scope = scope
    configuration.usesDPoP = dpop
    var request = SignIn.Request(
      account: home.account, configuration: configuration, services: home.services, cancellation: Cancellation())
    request.registersClient = registers
    request.registration = registers ? .init(clientName: "agent on host", softwareVersion: "1") : nil
    request.requestsOfflineAccess = requestsOfflineAccess
    return request
  }

  @Test(
    arguments: [
      (["read"], ["read", "offline_access"], ["read", "offline_access"]),
      (["offline_access", "read"], ["offline_access", "read"], ["read", "offline_access"]),
      (["read"], ["read"], ["read"]), (["read"], ["read"], nil),
    ] as [([String], [String], [String]?)])
  func `adds offline_access where the server knows it, and keeps it`(
    named: [String], asked: [String], known: [String]?
  ) throws {
    let signIn = try preparation(home(known), scope: named).prepared()
    #expect(signIn.scope?.values == asked)
    #expect(signIn.configuration.scope == asked)
  }

  @Test func `leaves what the person chose as it is`() throws {
    let signIn = try preparation(home(["read", "offline_access"]), scope: ["read"], requestsOfflineAccess: false)
      .prepared()
    #expect(signIn.scope?.values == ["read"])
  }

  @Test(arguments: [["openid", "profile", "offline_access"], ["openid"]])
  func `at a resource that names no scopes asks for nothing else`(
    known: [String]
  ) throws {
    var preparation = try preparation(home(known), scope: [])
    preparation.beganAtResource = true
    #expect(try preparation.prepared().scope?.values == (known.contains("offline_access") ? ["offline_access"] : nil))
  }

  @Test func `asks for what is usual where nothing is named`() throws {
    let signIn = try preparation(home(["openid", "offline_access"]), scope: []).prepared()
    #expect(signIn.scope?.values == ["openid", "offline_access"])
    #expect(signIn.configuration.scope.isEmpty)
  }

  // RFC 7591 section 2: a server may limit a client to its registered scope.
  @Test func `registers its client with the same scope`() throws {
    let home = try home(["read", "offline_access"])
    home.http.answer(Self.place, try response(201, ["client_id": "c1"]))
    let signIn = try preparation(home, scope: ["read"], registers: true).prepared()
    #expect(home.http.requests.first { $0.url == Self.place }?.json?["scope"] == "read offline_access")
    #expect(signIn.scope?.text == "read offline_access")
  }

  // RFC 9449 section 5.2.
  @Test(arguments: [true, false]) func `registers a client of bound tokens where it binds them`(dpop: Bool) throws {
    let home = try home(nil)
    home.http.answer(Self.place, try response(201, ["client_id": "c1"]))
    let signIn = try preparation(home, scope: [], registers: true, dpop: dpop).prepared()
    let asked = try #require(home.http.requests.first { $0.url == Self.place }?.json)
    #expect(asked["dpop_bound_access_tokens"] == (dpop ? true : nil))
    #expect((signIn.server.prover != nil) == dpop)
  }

  @Test func `says so where no client can be registered`() throws {
    let home = try Home()
    #expect(throws: SessionError.oauth(OAuthError(.registrationMissing, .server))) {
      try preparation(home, scope: ["read"], registers: true).prepared()
    }
  }
}
