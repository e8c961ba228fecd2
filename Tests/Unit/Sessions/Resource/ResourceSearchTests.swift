import Encoding
import OAuth
import Sessions
import Testing
import Vocabulary

@Suite struct `What a URL is` {
  private static let resource = "https://api.example/v1"
  private static let wellKnown = "https://api.example/.well-known/oauth-protected-resource/v1"
  private static let rootWellKnown = "https://api.example/.well-known/oauth-protected-resource"
  private static let issuerPlaces = [
    "https://api.example/v1/.well-known/openid-configuration",
    "https://api.example/.well-known/oauth-authorization-server/v1",
    "https://api.example/.well-known/openid-configuration/v1",
  ]
  private static let document: JSONObject = [
    "resource": .string(resource), "authorization_servers": ["https://as.example/tenant"],
  ]
  let home: Home

  init() throws { home = try Home() }

  private func search(_ url: String = resource) throws(SessionError) -> URLKind {
    try home.services.classify(
      url, AccountConfiguration(issuer: url, clientID: ""), proxyCredentials: nil, cancellation: Cancellation())
  }

  private func noIssuer(resource status: Int = 401) throws {
    for place in Self.issuerPlaces { home.http.answer(place, try response(404, [:])) }
    home.http.answer(Self.resource, try response(status, [:]))
  }

  @Test func `an issuer is one when its own metadata says so, and nothing else is asked`() throws {
    #expect(try search(TestIssuer.text) == .issuer)
    #expect(home.http.requests.map(\.url) == [TestIssuer.metadataURL])
  }

  // RFC 9728 section 7.6: the server that a resource names is not contacted before the user trusts it.
  @Test func `a resource names its servers, none of which is contacted`() throws {
    try noIssuer()
    home.http.answer(Self.wellKnown, try response(200, .object(Self.document)))
    guard case .resource(let found) = try search() else {
      Issue.record("it is a resource")
      return
    }
    #expect(found.authorizationServers.map(\.text) == [TestIssuer.text])
    #expect(home.http.requests.map(\.url) == Self.issuerPlaces + [Self.resource, Self.wellKnown])
    #expect(home.http.requests.allSatisfy { $0.authorization == nil && $0.form == nil })
  }

  @Test(arguments: [HTTPFailure(.connect), HTTPFailure(.certificate), HTTPFailure(.timeout)])
  func `is not told where its server cannot be asked, and no resource is looked for`(failure: HTTPFailure) throws {
    for place in Self.issuerPlaces { home.http.fail(place, failure) }
    #expect(throws: SessionError.self) { _ = try search() }
    #expect(!home.http.urls.contains(Self.resource) && !home.http.urls.contains(Self.wellKnown))
  }

  // RFC 8414 section 3.3.
  @Test func `metadata of another issuer makes no issuer of a resource`() throws {
    home.http.answer(Self.issuerPlaces[0], try response(200, ["issuer": "https://as.example"]))
    home.http.answer(Self.resource, try response(401, [:]))
    home.http.answer(Self.wellKnown, try response(200, .object(Self.document)))
    guard case .resource = try search() else {
      Issue.record("it is a resource")
      return
    }
  }

  @Test func `metadata of another issuer is the error where there is no resource`() throws {
    home.http.answer(Self.issuerPlaces[0], try response(200, ["issuer": "https://as.example"]))
    home.http.answer(Self.resource, try response(200, [:]))
    home.http.answer(Self.wellKnown, try response(404, [:]))
    home.http.answer(Self.rootWellKnown, try response(404, [:]))
    var error = OAuthError(.issuerMismatch, .configuredIssuer)
    error.serverDescription = "https://as.example"
    #expect(throws: SessionError.oauth(error)) { _ = try search() }
  }

  @Test func `what is neither is an error of its own`() throws {
    try noIssuer(resource: 200)
    home.http.answer(Self.wellKnown, try response(404, [:]))
    home.http.answer(Self.rootWellKnown, try response(404, [:]))
    #expect(
      throws: SessionError.oauth(
        OAuthError(.metadataMissing, .unknownURL, httpStatus: 404))
    ) { _ = try search() }
  }

  @Test(arguments: [("http://api.example/", OAuthError.Code.insecureURL), ("work:x", .invalidURL)])
  func `what is no https URL is not asked`(url: String, code: OAuthError.Code) {
    var error = OAuthError(code, .url)
    if code == .insecureURL { error.advice = "use https" }
    #expect(throws: SessionError.oauth(error)) { _ = try search(url) }
    #expect(home.http.requests.isEmpty)
  }
}
