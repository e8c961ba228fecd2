import Encoding
import OAuth
import Platform
import Sessions
import Testing
import Vocabulary

// OpenID Connect Core 1.0 section 5.3.
@Suite struct `A question to UserInfo` {
  let home: Home

  init() throws { home = try Home() }

  func ask(_ configuration: AccountConfiguration = Home.configuration) throws -> JSONObject? {
    try SessionRequests(
      account: home.account, configuration: configuration, grant: grant("at-1"), services: home.services
    ).userInfo()
  }

  @Test func `carries the access token and is answered with claims`() throws {
    try home.store()
    home.http.answer(TestIssuer.userInfoURL, try response(200, ["sub": "alice", "email": "a@as.example"]))
    #expect(try ask() == ["sub": "alice", "email": "a@as.example"])
    #expect(
      home.http.requests.last
        == ScriptedHTTP.Recorded(method: .get, url: TestIssuer.userInfoURL, authorization: "Bearer at-1"))
  }

  // Section 5.3.2.
  @Test func `is void when the answer is about someone else`() throws {
    try home.store()
    home.http.answer(TestIssuer.userInfoURL, try response(200, ["sub": "bob"]))
    #expect(throws: SessionError.oauth(OAuthError(.userInfoMismatch, .endpoint(.userinfo)))) { _ = try ask() }
  }

  @Test func `without an ID Token takes any subject`() throws {
    try home.store { $0.identity = nil }
    home.http.answer(TestIssuer.userInfoURL, try response(200, ["sub": "bob"]))
    #expect(try ask()?["sub"] == "bob")
  }

  @Test func `finds nothing at a server without the endpoint`() throws {
    try home.store()
    let metadata = TestIssuer.metadata("userinfo_endpoint", nil)
    home.http.answer(TestIssuer.metadataURL, try response(200, .object(metadata)))
    #expect(try ask() == nil)
  }

  @Test func `verifies a signed answer with the issuer's keys, fetched again when they changed`() throws {
    try home.store()
    home.http.answer(TestIssuer.keysURL, try response(200, TestIssuer.first.keySet))
    home.http.answer(TestIssuer.keysURL, try response(200, TestIssuer.second.keySet))
    home.http.answer(TestIssuer.userInfoURL, try signedUserInfo())
    #expect(try ask()?["email"] == "a@as.example")
    home.http.answer(TestIssuer.userInfoURL, try signedUserInfo(by: .second))
    #expect(try ask()?["email"] == "a@as.example")
  }

  // Section 5.3.4: no downgrade.
  @Test func `takes no plain answer when the client is registered for signed ones`() throws {
    try home.store()
    var configuration = Home.configuration
    configuration.userInfoAlgorithm = .ES256
    home.http.answer(TestIssuer.userInfoURL, try response(200, ["sub": "alice"]))
    #expect(throws: SessionError.oauth(OAuthError(.userInfoRejected, .reason("it is not signed")))) {
      _ = try ask(configuration)
    }
    home.http.answer(TestIssuer.keysURL, try response(200, TestIssuer.first.keySet))
    home.http.answer(TestIssuer.userInfoURL, try signedUserInfo())
    #expect(try ask(configuration)?["sub"] == "alice")
    configuration.userInfoAlgorithm = .RS256
    home.http.answer(TestIssuer.userInfoURL, try signedUserInfo())
    #expect(
      throws: SessionError.oauth(OAuthError(.userInfoRejected, .reason("its signature algorithm is not accepted")))
    ) { _ = try ask(configuration) }
  }

  @Test func `needs a session`() throws {
    #expect(throws: SessionError.signedOut(account: "work")) { _ = try ask() }
    #expect(home.http.requests.isEmpty)
  }

  @Test func `sends the token to no other place than the sign-in's`() throws {
    try home.store()
    var configuration = Home.configuration
    configuration.userinfoEndpoint = "https://evil.example/userinfo"
    #expect(throws: SessionError.configurationChanged(account: "work", setting: "userinfo_endpoint")) {
      _ = try ask(configuration)
    }
    #expect(home.http.requests.isEmpty)
  }
}
