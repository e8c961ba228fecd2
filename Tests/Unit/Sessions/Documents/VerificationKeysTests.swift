import Encoding
import Crypto
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary

@Suite struct `Keys for verifying` {
  let directory: TemporaryDirectory
  let http = ScriptedHTTP()
  let time = ManualTime()
  let services: SessionServices

  init() throws {
    directory = try TemporaryDirectory()
    http.always(TestIssuer.metadataURL, try response(200, .object(TestIssuer.metadata)))
    let cache = DocumentCache(directory: directory.path("cache"), http: http, time: time)
    services = SessionServices(
      vault: Vault(stateDirectory: directory.path("state"), machineIdentity: nil, userID: Machine.userID), http: http,
      time: time, documents: cache, settingsDirectory: directory.path("config"))
  }

  private func keys() throws -> VerificationKeys {
    try VerificationKeys(
      of: AccountConfiguration(issuer: TestIssuer.text, clientID: ""), account: nil, proxyCredentials: nil,
      services: services, cancellation: Cancellation())
  }

  private func publish(_ issuer: TestIssuer) throws {
    http.answer(TestIssuer.keysURL, try response(200, issuer.keySet))
  }

  private func names(_ version: VerificationKeys.Version) -> [String?] { version.keys.keys.map(\.keyID) }

  /// The result of requesting other keys; nil for none.
  private func renewed(
    _ keys: VerificationKeys, after old: VerificationKeys.Version
  ) throws -> VerificationKeys.Version? {
    switch keys.fetchNewer(than: old) {
    case .keys(let version): return version
    case .none: return nil
    case .failed(let error): throw error
    }
  }

  @Test func `of a file never change and ask nobody`() throws {
    let keys = VerificationKeys(try JWKSet(parsing: TestIssuer.first.keySet.serialized()))
    #expect(names(keys.current) == ["first"] && keys.issuer == nil)
    #expect(try renewed(keys, after: keys.current) == nil)
    #expect(http.requests.isEmpty)
  }

  @Test func `of an issuer come from its metadata, and after that from the cache`() throws {
    try publish(.first)
    for _ in 1...3 { #expect(try names(keys().current) == ["first"]) }
    #expect(http.urls == [TestIssuer.metadataURL, TestIssuer.keysURL])
    #expect(try keys().issuer?.text == TestIssuer.text)
  }

  @Test func `of an issuer without a place for them are none`() throws {
    http.answer(TestIssuer.metadataURL, try response(200, .object(TestIssuer.metadata("jwks_uri", nil))))
    var error = OAuthError(.endpointMissing, .member("jwks_uri", of: .keySet))
    error.advice = "pass the server's keys in a file with --jwks"
    #expect(throws: SessionError.oauth(error)) { try keys() }
  }

  @Test func `are asked for anew once, and by all who had the old ones together`() throws {
    try publish(.first)
    let keys = try keys()
    let old = keys.current
    try publish(.second)
    let new = try #require(try renewed(keys, after: old))
    #expect(names(new) == ["second"] && names(keys.current) == ["second"])
    // Another token was waiting for the same keys.
    #expect(try renewed(keys, after: old).map(names) == ["second"])
    #expect(http.requests.count == 3)
    // The metadata are fetched once more, and the URL has not changed.
    #expect(try renewed(keys, after: new) == nil)
    #expect(
      http.urls == [TestIssuer.metadataURL, TestIssuer.keysURL, TestIssuer.keysURL, TestIssuer.metadataURL])
  }

  @Test func `that others have got are taken without asking again`() throws {
    try publish(.first)
    let (one, other) = (try keys(), try keys())
    let old = other.current
    try publish(.second)
    _ = try renewed(one, after: one.current)
    let new = try #require(try renewed(other, after: old))
    #expect(names(new) == ["second"])
    #expect(http.requests.count == 3)
    #expect(try renewed(other, after: new) == nil)
  }

  // The old URL may still return the old set.
  @Test func `are looked for at the place that the issuer has moved them to, and stay there`() throws {
    try publish(.first)
    let keys = try keys()
    let old = keys.current
    http.always(TestIssuer.keysURL, try response(200, TestIssuer.first.keySet))
    let place = "https://as.example/v2/keys"
    http.always(TestIssuer.metadataURL, try response(200, .object(TestIssuer.metadata("jwks_uri", .string(place)))))
    http.always(place, try response(200, TestIssuer.second.keySet))
    let same = try #require(try renewed(keys, after: old))
    #expect(names(same) == ["first"])
    let moved = try #require(try renewed(keys, after: same))
    #expect(names(moved) == ["second"] && names(keys.current) == ["second"])
    #expect(http.urls.suffix(3) == [TestIssuer.keysURL, TestIssuer.metadataURL, place])
    // A caller with older keys gets these, and the next rotation is fetched from there.
    #expect(try renewed(keys, after: old).map(names) == ["second"])
    http.forgetRequests()
    http.always(place, try response(200, TestIssuer.first.keySet))
    let latest = try #require(try renewed(keys, after: moved))
    #expect(names(latest) == ["first"])
    #expect(try renewed(keys, after: latest) == nil)
    #expect(http.urls == [place])
  }

  @Test func `at the same place are the last ones to be had when the metadata name no other`() throws {
    try publish(.first)
    let keys = try keys()
    http.always(TestIssuer.keysURL, try response(200, TestIssuer.first.keySet))
    let same = try #require(try renewed(keys, after: keys.current))
    for _ in 1...3 { #expect(try renewed(keys, after: same) == nil) }
    // The metadata too are fetched at most once a minute.
    #expect(
      http.urls == [TestIssuer.metadataURL, TestIssuer.keysURL, TestIssuer.keysURL, TestIssuer.metadataURL])
  }

  // RFC 9111 section 5.2.2: a key that the issuer has withdrawn is not used beyond the set's lifetime.
  @Test func `are replaced when their time is over, however long tokens go on coming`() throws {
    http.answer(
      TestIssuer.keysURL, try response(200, TestIssuer.first.keySet, headers: [("Cache-Control", "max-age=600")]))
    let keys = try keys()
    time.advance(seconds: 599)
    #expect(keys.replaceIfExpired() == nil && names(keys.current) == ["first"])
    try publish(.second)
    time.advance(seconds: 1)
    #expect(keys.replaceIfExpired() == nil && names(keys.current) == ["second"])
    #expect(http.urls == [TestIssuer.metadataURL, TestIssuer.keysURL, TestIssuer.keysURL])
  }

  @Test func `whose time is over serve nobody while others cannot be had, and the issuer is left alone for a minute`()
    throws
  {
    try publish(.first)
    let keys = try keys()
    time.advance(seconds: 86_400)
    http.always(TestIssuer.keysURL, try response(503, .null))
    http.forgetRequests()
    let problem = keys.replaceIfExpired()
    #expect(problem == .oauth(OAuthError(.serverUnavailable, .endpoint(.keys), httpStatus: 503)))
    for _ in 1...100 { #expect(keys.replaceIfExpired() == problem) }
    #expect(http.urls == [TestIssuer.keysURL])
    time.advance(seconds: 60)
    http.always(TestIssuer.keysURL, try response(200, TestIssuer.second.keySet))
    #expect(keys.replaceIfExpired() == nil && names(keys.current) == ["second"])
  }

  @Test func `that cannot be had at the place they moved to are asked for once in a minute`() throws {
    try publish(.first)
    let keys = try keys()
    http.always(TestIssuer.keysURL, try response(200, TestIssuer.first.keySet))
    let same = try #require(try renewed(keys, after: keys.current))
    let place = "https://as.example/v2/keys"
    http.always(TestIssuer.metadataURL, try response(200, .object(TestIssuer.metadata("jwks_uri", .string(place)))))
    http.always(place, try response(503, .null))
    http.forgetRequests()
    let problem = SessionError.oauth(OAuthError(.serverUnavailable, .endpoint(.keys), httpStatus: 503))
    for _ in 1...100 { #expect(throws: problem) { try renewed(keys, after: same) } }
    #expect(http.urls == [TestIssuer.metadataURL, place])
  }

  @Test(arguments: [HTTPFailure.Code.resolve, .connect, .tls, .certificate, .certificateHost, .redirect])
  func `are found at their new place where the old one is gone, in whatever way`(way: HTTPFailure.Code) throws {
    try publish(.first)
    let keys = try keys()
    let place = "https://as.example/v2/keys"
    http.always(TestIssuer.metadataURL, try response(200, .object(TestIssuer.metadata("jwks_uri", .string(place)))))
    http.fail(TestIssuer.keysURL, HTTPFailure(way))
    http.always(place, try response(200, TestIssuer.second.keySet))
    let moved = try #require(try renewed(keys, after: keys.current))
    #expect(names(moved) == ["second"])
    // A token that fits neither set causes a fetch there, which shows that there are no other keys.
    let same = try #require(try renewed(keys, after: moved))
    #expect(try renewed(keys, after: same) == nil)
    #expect(http.urls.suffix(4) == [TestIssuer.keysURL, TestIssuer.metadataURL, place, place])
  }

  @Test func `that may have moved leave it open whether a token holds while newer metadata cannot be had`() throws {
    try publish(.first)
    let keys = try keys()
    http.always(TestIssuer.keysURL, try response(200, TestIssuer.first.keySet))
    let same = try #require(try renewed(keys, after: keys.current))
    http.always(TestIssuer.metadataURL, try response(503, .null))
    #expect(
      throws: SessionError.oauth(OAuthError(.serverUnavailable, .endpoint(.metadata), httpStatus: 503))
    ) { try renewed(keys, after: same) }
  }

  @Test func `stay when others cannot be had`() throws {
    try publish(.first)
    let keys = try keys()
    http.fail(TestIssuer.keysURL, HTTPFailure(.connect))
    #expect(throws: SessionError.oauth(OAuthError(.network, .host("as.example")))) {
      try renewed(keys, after: keys.current)
    }
    #expect(names(keys.current) == ["first"])
    // No server was asked again, and the result is still unknown.
    #expect(throws: SessionError.oauth(OAuthError(.network, .host("as.example")))) {
      try renewed(keys, after: keys.current)
    }
    // Whether the keys are at another URL was asked once.
    #expect(
      http.urls == [TestIssuer.metadataURL, TestIssuer.keysURL, TestIssuer.keysURL, TestIssuer.metadataURL])
    time.advance(seconds: 60)
    try publish(.first)
    let same = try #require(try renewed(keys, after: keys.current))
    #expect(try renewed(keys, after: same) == nil)
  }
}
