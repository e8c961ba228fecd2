import Encoding
import Crypto
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vocabulary

/// Cached metadata that no longer fit the server (RFC 8414 section 3.2, RFC 6749 section 5.2).
@Suite struct `An endpoint that is gone` {
  static let newTokenURL = "https://as.example/v2/token"
  let home: Home

  init() throws { home = try Home() }

  private func publish(_ name: String, _ url: String) throws {
    home.http.always(TestIssuer.metadataURL, try response(200, .object(TestIssuer.metadata(name, .string(url)))))
  }

  /// A server whose metadata are cached and now name another URL.
  private func move(_ name: String = "token_endpoint", to url: String = Self.newTokenURL) throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL, try tokens("at-1"))
    _ = try home.refresh()
    try publish(name, url)
    home.http.forgetRequests()
  }

  private func gone() throws -> HTTPResponse { try response(404, .object(["message": "no such page"])) }
  private static var gone: SessionError {
    var error = OAuthError(.refreshBlocked, .endpoint(.token), httpStatus: 404)
    error.serverDescription = "no such page"
    return .oauth(error)
  }

  struct Answer: CustomTestStringConvertible, Sendable {
    var status: Int
    var error: String?
    var testDescription: String { "\(status) \(error ?? "")" }

    func response() throws -> HTTPResponse {
      try SessionsTests.response(status, .object(JSONObject(error.map { [("error", .string($0))] } ?? [])))
    }
  }

  static let doubts = [
    Answer(status: 404), Answer(status: 404, error: "not_found"), Answer(status: 400, error: "unsupported_grant_type"),
  ]

  @Test(arguments: doubts) func `is looked for in new metadata, and the token spent there`(answer: Answer) throws {
    try move()
    home.http.answer(TestIssuer.tokenURL, try answer.response())
    home.http.answer(Self.newTokenURL, try tokens("at-2", refresh: "rt-2"))
    #expect(try home.refresh().accessToken.text == "at-2")
    #expect(home.http.urls == [TestIssuer.tokenURL, TestIssuer.metadataURL, Self.newTokenURL])
    #expect(home.http.requests.last?.form?.contains("refresh_token=rt-1") == true)
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
  }

  // The old URL may still return the old set.
  @Test func `of keys is looked for in new metadata when the set has no key that fits`() throws {
    let place = "https://as.example/v2/keys"
    try move("jwks_uri", to: place)
    home.http.always(place, try response(200, TestIssuer.second.keySet))
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.second.idToken()))
    #expect(try home.refresh().subject == "alice")
    #expect(
      home.http.urls == [
        TestIssuer.tokenURL, TestIssuer.keysURL, TestIssuer.keysURL, TestIssuer.metadataURL, place,
      ])
  }

  // Either the server may have acted on the request, or it described another error.
  @Test(arguments: [
    Answer(status: 500), Answer(status: 503), Answer(status: 403), Answer(status: 400), Answer(status: 401),
    Answer(status: 404, error: "invalid_client"), Answer(status: 400, error: "invalid_request"),
    Answer(status: 404, error: "invalid_grant"), Answer(status: 200), Answer(status: 200, error: "not_found"),
  ]) func `is not what another answer tells of`(answer: Answer) throws {
    try move()
    home.http.answer(TestIssuer.tokenURL, try answer.response())
    #expect(throws: SessionError.self) { try home.refresh() }
    #expect(home.http.urls == [TestIssuer.tokenURL])
  }

  @Test(arguments: [HTTPFailure(.receive), HTTPFailure(.timeout), HTTPFailure(.malformed)])
  func `is not what a lost or a cut answer tells of`(failure: HTTPFailure) throws {
    try move()
    home.http.fail(TestIssuer.tokenURL, failure)
    #expect(throws: SessionError.self) { try home.refresh() }
    #expect(home.http.urls == [TestIssuer.tokenURL])
  }

  @Test(arguments: doubts) func `is asked once where the new metadata still name it`(answer: Answer) throws {
    try move("authorization_endpoint", to: "https://as.example/authorize")
    home.http.answer(TestIssuer.tokenURL, try answer.response())
    #expect(throws: SessionError.self) { try home.refresh() }
    #expect(home.http.urls == [TestIssuer.tokenURL, TestIssuer.metadataURL])
    #expect(try home.stored()?.refreshToken?.text == "rt-1")
  }

  @Test func `is followed once, not from place to place`() throws {
    try move()
    home.http.answer(TestIssuer.tokenURL, try gone())
    home.http.answer(Self.newTokenURL, try gone())
    #expect(throws: Self.gone) { try home.refresh() }
    #expect(home.http.urls == [TestIssuer.tokenURL, TestIssuer.metadataURL, Self.newTokenURL])
  }

  // An attacker who can change the metadata must not redirect a refresh token.
  @Test func `is not followed to a place that was not there at sign-in`() throws {
    try move("token_endpoint", to: "https://evil.example/x")
    home.http.answer(TestIssuer.tokenURL, try gone())
    #expect(throws: SessionError.endpointMoved(account: "work", origin: "https://evil.example")) {
      try home.refresh()
    }
    #expect(home.http.urls == [TestIssuer.tokenURL, TestIssuer.metadataURL])
    #expect(try home.stored()?.refreshToken?.text == "rt-1")
  }

  @Test func `is not followed where the settings name it`() throws {
    var configuration = Home.configuration
    configuration.tokenEndpoint = "https://as.example/by/hand"
    try home.store(configuration)
    home.http.answer("https://as.example/by/hand", try gone())
    #expect(throws: SessionError.self) { try home.refresh(configuration) }
    #expect(home.http.urls.filter { $0 != TestIssuer.metadataURL } == ["https://as.example/by/hand"])
  }

  @Test func `is still reported when the metadata cannot be had`() throws {
    try move()
    home.http.answer(TestIssuer.tokenURL, try gone())
    home.http.fail(TestIssuer.metadataURL, HTTPFailure(.connect))
    let error = Self.gone
    #expect(throws: error) { try home.refresh() }
    // They are not fetched again within a minute.
    home.http.answer(TestIssuer.tokenURL, try gone())
    #expect(throws: error) { try home.refresh() }
    #expect(home.http.urls == [TestIssuer.tokenURL, TestIssuer.metadataURL, TestIssuer.tokenURL])
  }

  @Test func `makes metadata be fetched at most once a minute`() throws {
    try move("x", to: "y")
    for _ in 1...3 {
      home.http.answer(TestIssuer.tokenURL, try gone())
      #expect(throws: SessionError.self) { try home.refresh() }
    }
    #expect(home.http.urls.count { $0 == TestIssuer.metadataURL } == 1)
    home.time.advance(seconds: 60)
    home.http.answer(TestIssuer.tokenURL, try gone())
    #expect(throws: SessionError.self) { try home.refresh() }
    #expect(home.http.urls.count { $0 == TestIssuer.metadataURL } == 2)
  }

  @Test func `is found by what another account fetched meanwhile`() throws {
    try move()
    let issuer = try Issuer(TestIssuer.text, allowHTTPLoopback: false)
    let newTokens = try tokens("at-2")
    home.http.answer(TestIssuer.tokenURL) { [home] _ in
      _ = try home.services.documents.metadata(
        of: issuer, transport: Transport(), fresh: true, cancellation: nil)
      return try response(404, [:])
    }
    home.http.answer(Self.newTokenURL, newTokens)
    #expect(try home.refresh().accessToken.text == "at-2")
    #expect(home.http.urls == [TestIssuer.tokenURL, TestIssuer.metadataURL, Self.newTokenURL])
  }

  @Test func `leads to the new place of the keys`() throws {
    let newKeysURL = "https://as.example/v2/keys"
    try move("jwks_uri", to: newKeysURL)
    home.http.answer(TestIssuer.keysURL, try gone())
    home.http.answer(newKeysURL, try response(200, TestIssuer.first.keySet))
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", idToken: try TestIssuer.first.idToken()))
    #expect(try home.refresh().accessToken.text == "at-2")
    #expect(home.http.urls.suffix(3) == [TestIssuer.keysURL, TestIssuer.metadataURL, newKeysURL])
  }

  @Test func `is followed by a question about the user`() throws {
    let newURL = "https://api.as.example/v2/userinfo"
    try move("userinfo_endpoint", to: newURL)
    home.http.answer(TestIssuer.userInfoURL, try gone())
    home.http.answer(newURL, try response(200, ["sub": "alice"]))
    let question = SessionRequests(
      account: home.account, configuration: Home.configuration, grant: try grant("at-1"), services: home.services)
    #expect(try question.userInfo() == ["sub": "alice"])
    home.http.answer(newURL, try response(200, ["sub": "alice"]))
    #expect(try question.userInfo() == ["sub": "alice"])
    #expect(home.http.urls.suffix(3) == [TestIssuer.metadataURL, newURL, newURL])
  }

  @Test func `of keys is followed by a signed answer about the user`() throws {
    let place = "https://as.example/v2/keys"
    try move("jwks_uri", to: place)
    home.http.always(TestIssuer.keysURL, try response(200, TestIssuer.first.keySet))
    home.http.always(place, try response(200, TestIssuer.second.keySet))
    home.http.answer(TestIssuer.userInfoURL, try signedUserInfo(by: .second))
    let question = SessionRequests(
      account: home.account, configuration: Home.configuration, grant: try grant("at-1"), services: home.services)
    #expect(try question.userInfo()?["sub"] == "alice")
    #expect(
      home.http.urls == [
        TestIssuer.userInfoURL, TestIssuer.keysURL, TestIssuer.keysURL, TestIssuer.metadataURL, place,
      ])
  }

  @Test func `is followed by a revocation`() throws {
    let newURL = "https://as.example/v2/revoke"
    try move("revocation_endpoint", to: newURL)
    home.http.answer(TestIssuer.revocationURL, try gone())
    home.http.answer(newURL, try response(200, [:]))
    let ending = try SignOutOperation(
      account: home.account, configuration: Home.configuration, grant: nil, isLocal: false, services: home.services
    ).run()
    #expect(ending.revocationResult == .revoked)
    #expect(home.http.urls == [TestIssuer.revocationURL, TestIssuer.metadataURL, newURL])
  }

  @Test func `is followed by who verifies tokens, and to any place, since nothing secret goes there`() throws {
    let newKeysURL = "https://keys.example/keys"
    try move("jwks_uri", to: newKeysURL)
    home.http.answer(TestIssuer.keysURL, try gone())
    home.http.answer(newKeysURL, try response(200, TestIssuer.second.keySet))
    let keys = try VerificationKeys(
      of: Home.configuration, account: nil, proxyCredentials: nil, services: home.services,
      cancellation: Cancellation())
    #expect(keys.current.keys.keys.map(\.keyID) == ["second"])
  }

  @Test func `tells its step`() throws {
    try move()
    let told = ToldSteps()
    home.http.answer(TestIssuer.tokenURL, try gone())
    home.http.answer(Self.newTokenURL, try tokens("at-2"))
    _ = try home.refresh(Home.configuration, home.services.observed { told.add($0) })
    #expect(told.steps.contains(.step(.cachedMetadataRejected)))
  }
}
