import Crypto
import Encoding
import Synchronization
import Testing
import Vocabulary

@testable import OAuth

private let tokenSubject = OAuthError.Subject.endpoint(.token)
private let userInfoSubject = OAuthError.Subject.endpoint(.userinfo)

/// An account with a key, its clock, and the servers' script.
private struct Bound {
  let key: DPoPKey
  let memory = DPoPMemory()
  let clock = TestClock()
  let http: ScriptedHTTP
  let server: AuthorizationServer

  init(_ script: [ScriptedHTTP.Reply], _ authentication: ClientAuthentication = .none) throws {
    key = try DPoPKey.generate()
    http = ScriptedHTTP(script)
    let authorization = try endpoint("https://as.example/authorize")
    var server = try testServer(http, authentication) { $0[.authorization] = authorization }
    server.prover = DPoPProver(key: key, memory: memory) { [clock] in clock.seconds.withLock { $0 } }
    self.server = server
  }

  init(_ responses: HTTPResponse...) throws { try self.init(responses.map { .success($0) }) }

  /// The claims of each request's proof, whose signature is verified.
  func proofs() throws -> [JSONObject] {
    try http.requests.map { request in
      let proof = try ReadProof(request.proof)
      #expect(proof.key.thumbprint() == key.thumbprint)
      return proof.claims
    }
  }

  func nonces() throws -> [String?] { try proofs().map { $0["nonce"]?.string } }
}

private final class TestClock: Sendable {
  let seconds = Mutex(1_700_000_000)
}

private let bound = #"{"access_token":"a2","token_type":"dpop","refresh_token":"r2"}"#

private func nonceWanted(_ nonce: String?, status: Int = 400) throws -> HTTPResponse {
  try response(
    status, headers: nonce.map { [("DPoP-Nonce", $0)] } ?? [],
    #"{"error":"use_dpop_nonce","error_description":"a nonce is needed"}"#)
}

private func challenge(_ text: String, nonce: String? = nil, date: String? = nil) throws -> HTTPResponse {
  try response(
    401, type: nil,
    headers: [("WWW-Authenticate", text)] + (nonce.map { [("DPoP-Nonce", $0)] } ?? [])
      + (date.map { [("Date", $0)] } ?? []), "")
}

// RFC 9449 sections 5 and 8.
@Suite struct `A token request with a key` {
  @Test func `carries a proof for its method and URL, and no token hash`() throws {
    let bound = try Bound(try response(bound))
    let tokens = try bound.server.refresh(secret("r1")).tokens()
    #expect(tokens.tokenType == "DPoP")
    let proof = try #require(try bound.proofs().first)
    #expect(proof["htm"] == "POST" && proof["htu"] == "https://as.example/token")
    #expect(proof["iat"] == 1_700_000_000)
    #expect(proof["ath"] == nil && proof["nonce"] == nil)
    #expect(bound.http.requests.first?.authorization == nil)
  }

  @Test func `carries a new proof at each poll of the device grant`() throws {
    let bound = try Bound(
      try response(400, #"{"error":"authorization_pending"}"#), try response(400, #"{"error":"slow_down"}"#),
      try response(OAuthTests.bound))
    for _ in 0..<3 { _ = try bound.server.pollDevice(secret("d")) }
    #expect(Set(try bound.proofs().compactMap { $0["jti"]?.string }).count == 3)
  }

  @Test func `is repeated once with the nonce that the server asks for`() throws {
    let bound = try Bound(try nonceWanted("n1"), try response(OAuthTests.bound))
    _ = try bound.server.refresh(secret("r1"))
    #expect(try bound.nonces() == [nil, "n1"])
    #expect(Set(try bound.proofs().compactMap { $0["jti"]?.string }).count == 2)
    #expect(bound.http.requests.map(\.form) == Array(repeating: bound.http.requests[0].form, count: 2))
  }

  @Test(arguments: [(200, 1), (400, 2)])
  func `is repeated for what an answer that refuses it says, and no other`(status: Int, requests: Int) throws {
    let bound = try Bound(try nonceWanted("n1", status: status), try response(OAuthTests.bound))
    _ = try? bound.server.refresh(secret("r1"))
    #expect(bound.http.requests.count == requests)
  }

  @Test func `ends when the server asks for a nonce again and again`() throws {
    let bound = try Bound(try nonceWanted("n1"), try nonceWanted("n2"))
    let error = expected(
      .proofRejected, tokenSubject, status: 400, error: "use_dpop_nonce", description: "a nonce is needed")
    #expect(throws: error) { try bound.server.refresh(secret("r1")) }
    #expect(error.code.effect == .permanent, "the grant is kept and nothing is tried at once")
    #expect(bound.http.unused == 0)
    // The next request uses the last nonce (section 8.2).
    #expect(bound.memory.nonce(for: bound.key, .authorizationServer, origin: "https://as.example") == "n2")
  }

  @Test(arguments: [nil, "", "with space", "with\"quote", String(repeating: "n", count: 1025)])
  func `is not repeated without a nonce that can be used`(nonce: String?) throws {
    let bound = try Bound(try nonceWanted(nonce))
    #expect(throws: OAuthError.self) { try bound.server.refresh(secret("r1")) }
    #expect(bound.http.requests.count == 1)
    #expect(bound.memory.nonce(for: bound.key, .authorizationServer, origin: "https://as.example") == nil)
  }

  @Test func `is not repeated for the nonce that it had`() throws {
    let bound = try Bound(try nonceWanted("n1"))
    bound.memory.store(nonce: "n1", for: bound.key, .authorizationServer, origin: "https://as.example")
    #expect(throws: OAuthError.self) { try bound.server.refresh(secret("r1")) }
    #expect(bound.http.requests.count == 1)
  }

  @Test func `uses the nonce of the answer before, whatever its status`() throws {
    let bound = try Bound(
      try response(headers: [("DPoP-Nonce", "n1")], OAuthTests.bound),
      try response(400, headers: [("dpop-nonce", "n2")], #"{"error":"authorization_pending"}"#),
      try response(OAuthTests.bound))
    _ = try bound.server.refresh(secret("r1"))
    _ = try bound.server.pollDevice(secret("d"))
    _ = try bound.server.refresh(secret("r1"))
    #expect(try bound.nonces() == [nil, "n1", "n2"])
  }

  @Test func `uses a nonce that came with the device code`() throws {
    let codes = #"{"device_code":"d","user_code":"U","verification_uri":"https://as.example/d","expires_in":60}"#
    let bound = try Bound(
      try response(headers: [("DPoP-Nonce", "n1")], codes), try response(OAuthTests.bound))
    _ = try bound.server.requestDeviceAuthorization(scope: nil)
    _ = try bound.server.pollDevice(secret("d"))
    #expect(bound.http.requests[0].proof == nil)
    #expect(try ReadProof(bound.http.requests[1].proof).claims["nonce"] == "n1")
  }

  // Single-use values are created again, such as the client authentication.
  @Test func `identifies the client at each try`() throws {
    let bound = try Bound(
      [.success(try nonceWanted("n1")), .success(try response(OAuthTests.bound))], .basic(try secret("s")))
    _ = try bound.server.refresh(secret("r1"))
    #expect(bound.http.requests.map { $0.authorization != nil } == [true, true])
  }

  @Test func `of which no answer came is not repeated here`() throws {
    let failure = HTTPFailure(.receive, requestMayHaveArrived: true)
    let bound = try Bound([.failure(failure)])
    #expect(throws: failed(failure)) { try bound.server.refresh(secret("r1")) }
  }

  @Test(arguments: ["Bearer", "bearer"]) func `refuses a token that is not bound (section 5)`(type: String) throws {
    let bound = try Bound(try response(#"{"access_token":"a2","token_type":"\#(type)","refresh_token":"r2"}"#))
    let answer = try bound.server.refresh(secret("r1"))
    var error = OAuthError(.tokenNotBound, tokenSubject)
    error.followsSuccess = true
    #expect(throws: error) { try answer.tokens() }
    // The server may have ended the token that was sent.
    #expect(answer.refreshToken?.text == "r2")
  }

  @Test func `binds the code of an authorization request to the key (section 10)`() throws {
    let bound = try Bound()
    var server = bound.server
    func binding() throws -> [String] {
      let request = try server.makeAuthorizationRequest(scope: nil, redirectURI: "http://127.0.0.1:8400/")
      return request.parameters.filter { $0.0 == "dpop_jkt" }.map(\.1)
    }
    #expect(try binding() == [bound.key.thumbprint])
    server.prover = nil
    #expect(try binding() == [])
  }
}

@Suite struct `A token request without a key` {
  @Test(arguments: ["use_dpop_nonce", "invalid_dpop_proof"]) func `says that one is needed`(error: String) throws {
    let http = ScriptedHTTP(try response(400, #"{"error":"\#(error)"}"#))
    #expect(throws: expected(.proofNeeded, tokenSubject, status: 400, error: error)) {
      try testServer(http).refresh(secret("r1"))
    }
  }
}

// RFC 9449 section 11.1: servers accept a proof only for a short time.
@Suite struct `A wrong clock` {
  private let proofRefused = #"{"error":"invalid_dpop_proof"}"#
  // 1,700,000,000 is Tue, 14 Nov 2023 22:13:20 GMT.
  private let ahead = "Tue, 14 Nov 2023 22:23:20 GMT"

  @Test func `is made up for when the server refuses the proof`() throws {
    let bound = try Bound(
      try response(400, headers: [("Date", ahead)], proofRefused), try response(OAuthTests.bound),
      try response(OAuthTests.bound))
    _ = try bound.server.refresh(secret("r1"))
    bound.clock.seconds.withLock { $0 += 5 }
    _ = try bound.server.refresh(secret("r1"))
    #expect(try bound.proofs().map { $0["iat"]?.int } == [1_700_000_000, 1_700_000_600, 1_700_000_605])
  }

  @Test(arguments: [("Tue, 14 Nov 2023 22:23:20 GMT", 600), ("Tue, 14 Nov 2023 22:13:50 GMT", 0)])
  func `is made up for before it matters, and is no matter when it is a little wrong`(
    date: String, seconds: Int
  ) throws {
    let bound = try Bound(
      try response(400, headers: [("Date", date)], #"{"error":"authorization_pending"}"#),
      try response(OAuthTests.bound))
    _ = try bound.server.pollDevice(secret("d"))
    _ = try bound.server.pollDevice(secret("d"))
    #expect(try bound.proofs().map { $0["iat"]?.int } == [1_700_000_000, 1_700_000_000 + seconds])
  }

  @Test func `is not to blame when the server's is the same`() throws {
    let bound = try Bound(
      try response(400, headers: [("Date", "Tue, 14 Nov 2023 22:13:20 GMT")], proofRefused))
    #expect(throws: expected(.proofRejected, tokenSubject, status: 400, error: "invalid_dpop_proof")) {
      try bound.server.refresh(secret("r1"))
    }
  }

  @Test func `and a nonce are each made up for once`() throws {
    let bound = try Bound(
      try nonceWanted("n1"), try response(400, headers: [("Date", ahead)], proofRefused),
      try response(OAuthTests.bound))
    _ = try bound.server.refresh(secret("r1"))
    #expect(try bound.nonces() == [nil, "n1", "n1"])
    #expect(try bound.proofs().map { $0["iat"]?.int } == [1_700_000_000, 1_700_000_000, 1_700_000_600])
  }

  @Test(arguments: [Int.max, Int.min]) func `of our own that is absurd does no harm`(seconds: Int) throws {
    let bound = try Bound(
      try response(400, headers: [("Date", ahead)], proofRefused), try response(400, proofRefused))
    bound.clock.seconds.withLock { $0 = seconds }
    #expect(throws: OAuthError.self) { try bound.server.refresh(secret("r1")) }
  }
}

// RFC 9449 sections 7 and 9.
@Suite struct `UserInfo with a key` {
  private let user = #"{"sub":"alice"}"#

  @Test func `carries the token by the scheme DPoP and its hash in the proof`() throws {
    let bound = try Bound(try response(user))
    let token = try secret("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU")
    _ = try bound.server.fetchUserInfo(accessToken: token, expectedSubject: "alice")
    #expect(bound.http.requests.map(\.authorization) == ["DPoP Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"])
    let proof = try #require(try bound.proofs().first)
    #expect(proof["htm"] == "GET" && proof["htu"] == "https://as.example/userinfo")
    #expect(proof["ath"] == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
  }

  @Test(arguments: [
    #"DPoP error="use_dpop_nonce", error_description="Resource server requires nonce in DPoP proof""#,
    #"Bearer realm="x, DPoP error=\"no\"", dpop algs="ES256 PS256", error=use_dpop_nonce"#,
    #"Negotiate YII=, DPOP ERROR = "use_dpop_nonce""#,
  ])
  func `is repeated with the nonce that a challenge asks for`(text: String) throws {
    let bound = try Bound(try challenge(text, nonce: "n1"), try response(user))
    _ = try bound.server.fetchUserInfo(accessToken: secret("at"), expectedSubject: nil)
    #expect(try bound.nonces() == [nil, "n1"])
  }

  @Test(arguments: [
    #"Bearer error="use_dpop_nonce""#, #"DPoP error="invalid_token""#, #"DPoP realm="use_dpop_nonce""#, "DPoP", "",
  ])
  func `is not repeated for another challenge`(text: String) throws {
    let bound = try Bound(try challenge(text, nonce: "n1"))
    #expect(throws: expected(.invalidToken, userInfoSubject, status: 401)) {
      try bound.server.fetchUserInfo(accessToken: secret("at"), expectedSubject: nil)
    }
  }

  // A server may have closed the reused connection, and a proof is valid once.
  @Test func `is asked once more, with another proof, when the connection broke before an answer`() throws {
    let broken = ScriptedHTTP.Reply.failure(HTTPFailure(.receive, requestMayHaveArrived: true))
    let bound = try Bound([broken, .success(try response(user))])
    _ = try bound.server.fetchUserInfo(accessToken: secret("at"), expectedSubject: "alice")
    let proofs = try bound.proofs().map { $0["jti"]?.string }
    #expect(proofs.count == 2 && proofs[0] != proofs[1])
    let twice = try Bound([broken, broken])
    #expect(throws: OAuthError.self) { try twice.server.fetchUserInfo(accessToken: secret("at"), expectedSubject: nil) }
    #expect(twice.http.requests.count == 2)
  }

  @Test(arguments: [HTTPFailure(.timeout, requestMayHaveArrived: true), HTTPFailure(.connect)])
  func `is not asked again for another failure`(failure: HTTPFailure) throws {
    let bound = try Bound([.failure(failure), .success(try response(user))])
    #expect(throws: OAuthError.self) { try bound.server.fetchUserInfo(accessToken: secret("at"), expectedSubject: nil) }
    #expect(bound.http.requests.count == 1)
  }

  @Test func `that the server refuses for its proof says nothing of the token`() throws {
    let text = #"DPoP error="use_dpop_nonce""#
    let bound = try Bound(try challenge(text, nonce: "n1"), try challenge(text, nonce: "n2"))
    #expect(throws: expected(.proofRejected, userInfoSubject, status: 401)) {
      try bound.server.fetchUserInfo(accessToken: secret("at"), expectedSubject: nil)
    }
  }

  @Test func `makes up for a wrong clock`() throws {
    let bound = try Bound(
      try challenge(#"DPoP error="invalid_dpop_proof""#, date: "Tue, 14 Nov 2023 22:13:21 GMT"), try response(user))
    _ = try bound.server.fetchUserInfo(accessToken: secret("at"), expectedSubject: nil)
    #expect(try bound.proofs().map { $0["iat"]?.int } == [1_700_000_000, 1_700_000_001])
  }

  @Test(arguments: ["invalid_dpop_proof", "use_dpop_nonce"])
  func `that names another time does not change the proofs for the token endpoint`(error: String) throws {
    let ahead = "Tue, 14 Nov 2023 23:13:20 GMT"
    let bound = try Bound(
      try challenge(#"DPoP error="\#(error)""#, nonce: "n1", date: ahead),
      try response(headers: [("Date", ahead)], user),
      try response(OAuthTests.bound))
    _ = try bound.server.fetchUserInfo(accessToken: secret("at"), expectedSubject: nil)
    _ = try bound.server.refresh(secret("r1"))
    #expect(try bound.proofs().map { $0["iat"]?.int } == [1_700_000_000, 1_700_003_600, 1_700_000_000])
  }

  @Test func `with a date that may come from a cache changes no proof`() throws {
    let late = try response(headers: [("Date", "Tue, 14 Nov 2023 21:13:20 GMT")], user)
    let bound = try Bound(late, late)
    for _ in 0..<2 { _ = try bound.server.fetchUserInfo(accessToken: secret("at"), expectedSubject: nil) }
    #expect(try bound.proofs().map { $0["iat"]?.int } == [1_700_000_000, 1_700_000_000])
  }

  // Section 9: the nonces of the two roles are independent, even at one origin.
  @Test func `and the token endpoint have nonces of their own`() throws {
    let bound = try Bound(
      try response(headers: [("DPoP-Nonce", "as-1")], OAuthTests.bound),
      try response(headers: [("DPoP-Nonce", "rs-1")], user), try response(OAuthTests.bound), try response(user))
    for _ in 0..<2 {
      _ = try bound.server.refresh(secret("r1"))
      _ = try bound.server.fetchUserInfo(accessToken: secret("at"), expectedSubject: nil)
    }
    #expect(try bound.nonces() == [nil, nil, "as-1", "rs-1"])
  }

  // The library must not repeat the request: a proof is valid once.
  @Test func `is sent again with a new proof when a kept connection was dead`() throws {
    let dead = HTTPFailure(.receive, requestMayHaveArrived: true)
    let bound = try Bound([.failure(dead), .success(try response(user))])
    _ = try bound.server.fetchUserInfo(accessToken: secret("at"), expectedSubject: nil)
    #expect(Set(try bound.proofs().compactMap { $0["jti"]?.string }).count == 2)
    let twice = try Bound([.failure(dead), .failure(dead)])
    #expect(throws: failed(dead, .userinfo)) {
      try twice.server.fetchUserInfo(accessToken: secret("at"), expectedSubject: nil)
    }
  }
}

@Suite struct `Revocation with a key` {
  private let refused = #"{"error":"invalid_dpop_proof"}"#

  @Test func `proves the key where the server wants a token`() throws {
    let bound = try Bound(try response(401, "{}"), try response("{}"))
    try bound.server.revoke(secret("r1"), hint: .refreshToken, bearer: secret("at"))
    #expect(bound.http.requests.map(\.authorization) == [nil, "DPoP at"])
    let proof = try ReadProof(bound.http.requests[1].proof)
    #expect(proof.claims["htu"] == "https://as.example/revoke" && proof.claims["ath"] != nil)
  }

  // Glewlwyd 2.7.5 compares the proof with a URL that is not its own.
  @Test func `falls back to the token endpoint where no proof is taken`() throws {
    let bound = try Bound(
      try response(401, "{}"), try response(401, refused), try response(200, type: nil, ""))
    try bound.server.revoke(secret("r1"), hint: .refreshToken, bearer: secret("at"))
    #expect(bound.http.requests.last?.url == "https://as.example/token")
    #expect(
      bound.http.requests.last?.form == ["grant_type=delete_token", "refresh_token=r1", "client_id=agent"])
    #expect(bound.http.requests.last?.proof != nil)
  }

  @Test func `that is refused in the end is told`() throws {
    let unknown = #"{"error":"unsupported_grant_type"}"#
    let bound = try Bound(try response(401, "{}"), try response(401, refused), try response(400, unknown))
    #expect(
      throws: expected(.unsupportedGrantType, .endpoint(.revocation), status: 400, error: "unsupported_grant_type")
    ) { try bound.server.revoke(secret("r1"), hint: .refreshToken, bearer: secret("at")) }
  }
}
