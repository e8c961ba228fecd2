import Crypto
import Encoding
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary

@Suite struct `A refresh` {
  let home: Home

  init() throws { home = try Home() }

  // RFC 6749 section 6.
  @Test func `sends the stored token once and stores the new one`() throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", scope: "openid mail"))
    let grant = try home.refresh()
    #expect(grant.accessToken.text == "at-2")
    #expect(grant.tokenType == "Bearer")
    #expect(grant.scope == "openid mail")
    #expect(grant.subject == "alice")
    #expect(grant.lifetimeSeconds == 300)
    #expect(grant.expiresAtUnixSeconds == TestIssuer.now + 300)
    #expect(
      home.http.requests == [
        ScriptedHTTP.Recorded(method: .get, url: TestIssuer.metadataURL, followsRedirects: true),
        ScriptedHTTP.Recorded(
          url: TestIssuer.tokenURL, form: ["grant_type=refresh_token", "refresh_token=rt-1", "client_id=cli"]),
      ])
    let record = try #require(try home.stored())
    #expect(record.refreshToken?.text == "rt-2")
    #expect(record.refreshedAt == TestIssuer.now)
    #expect(record.scope == "openid mail")
    #expect(record.accessToken == nil)
    #expect(home.services.isCurrent(grant, of: home.account) == true)
  }

  // RFC 6749 section 5.1: the lifetime starts before the response was created.
  @Test func `counts the lifetime from before the request`() throws {
    try home.store()
    let (time, before) = (home.time, home.time.now())
    home.http.answer(TestIssuer.tokenURL) { _ in
      time.advance(seconds: 20)
      return try tokens("at-2")
    }
    let grant = try home.refresh()
    #expect(grant.issuedAt == before)
    #expect(grant.expiresAtUnixSeconds == TestIssuer.now + 300)
  }

  // RFC 6749 section 6: without a new refresh token the old one stays valid.
  @Test func `keeps the old token when no new one comes`() throws {
    try home.store { $0.scope = "openid" }
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", expiresIn: nil))
    let grant = try home.refresh()
    #expect(grant.lifetimeSeconds == nil)
    #expect(grant.scope == "openid")
    #expect(try home.stored()?.refreshToken?.text == "rt-1")
    #expect(try home.stored()?.refreshedAt == TestIssuer.now)
  }

  @Test func `takes the claims of a verified ID Token`() throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken()))
    let grant = try home.refresh()
    #expect(grant.claims == TestIssuer.claims)
    #expect(grant.subject == "alice")
  }

  // RFC 8707 section 2.2.
  @Test(arguments: [nil, "rt-2"]) func `names the resource at which the sign-in began, unless the server refuses it`(
    rotated: String?
  ) throws {
    var configuration = Home.configuration
    configuration.resources = ["https://api.example/mcp"]
    try home.store(configuration) { $0.beganAtResource = true }
    func resources() -> [[String]] {
      defer { home.http.forgetRequests() }
      return home.http.requests.compactMap(\.form).map { $0.filter { $0.hasPrefix("resource=") } }
    }
    let named = ["resource=https://api.example/mcp"]
    let place = "https://as.example/.well-known/oauth-authorization-server/tenant"
    home.http.always(place, try response(200, .object(TestIssuer.metadata)))
    home.http.answer(TestIssuer.tokenURL, try tokens("at-1"))
    _ = try home.refresh(configuration)
    #expect(resources() == [named])
    home.http.answer(TestIssuer.tokenURL, try response(400, ["error": "invalid_target"]))
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: rotated))
    #expect(try home.refresh(configuration).accessToken.text == "at-2")
    #expect(resources() == [named, []])
    #expect(try home.stored()?.refreshToken?.text == rotated ?? "rt-1")
    home.http.answer(TestIssuer.tokenURL, try tokens("at-3"))
    _ = try home.refresh(configuration)
    #expect(resources() == [[]])
  }

  // MARK: The rotated token is never lost

  @Test func `the rotated token is on disk before the ID Token is looked at`() throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken()))
    let home = home
    home.http.answer(TestIssuer.keysURL) { _ in
      #expect(try home.stored()?.refreshToken?.text == "rt-2")
      return try response(200, TestIssuer.first.keySet)
    }
    #expect(try home.refresh().accessToken.text == "at-2")
    #expect(home.http.urls.last == TestIssuer.keysURL)
  }

  /// Members of a response with the refresh token `rt-2` that make it unusable.
  private static let faults: [JSONObject] = [
    ["token_type": 1], ["token_type": "bearer "], ["token_type": "mac"], ["access_token": .null],
    ["access_token": ""], ["access_token": "a b"], ["id_token": "a b"], ["id_token": 5], ["error": "server_error"],
    ["error": "invalid_grant"], ["error": "unsupported_grant_type"],
  ]

  private func answer(_ changes: JSONObject) throws -> HTTPResponse {
    var body: JSONObject = ["access_token": "at-2", "token_type": "Bearer", "expires_in": 300, "refresh_token": "rt-2"]
    for name in changes.names { body[name] = changes[name] == .null ? nil : changes[name] }
    return try response(200, .object(body))
  }

  // Store first (RFC 9700 section 4.14.2: a second use of the replaced token ends the grant).
  @Test(arguments: faults) func `the rotated token is kept whatever else is wrong with the answer`(
    fault: JSONObject
  ) throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL, try answer(fault))
    let ending = home.operation().attempt()
    guard case .failure(.oauth(let error)) = ending.result else {
      Issue.record("the answer was taken: \(ending.result)")
      return
    }
    #expect(error.followsSuccess)
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
    #expect(try home.stored()?.isExpired == false)
    // One request: nothing is sent again within the call.
    #expect(home.http.urls.filter { $0 == TestIssuer.tokenURL }.count == 1)
    // Tokens issued with the previous record remain valid with the current one.
    let move = try #require(ending.rewritten)
    #expect(move.from < move.to)
    home.http.answer(TestIssuer.tokenURL, try tokens("at-3", refresh: "rt-3"))
    #expect(try home.refresh().accessToken.text == "at-3")
    #expect(home.http.requests.last?.form?[1] == "refresh_token=rt-2")
  }

  private static let object = #"{"access_token":"at-2","token_type":"Bearer","refresh_token":"rt-2"}"#
  private static let unfinished = HTTPFailure(.receive, responseStarted: true, requestMayHaveArrived: true)

  /// Defective responses whose only `refresh_token` is `rt-2`.
  private static let odd: [(String, HTTPFailure?)] = [
    (object, unfinished), (object, HTTPFailure(.malformed, responseStarted: true, requestMayHaveArrived: true)),
    (object, HTTPFailure(.timeout, responseStarted: true, requestMayHaveArrived: true)),
    ("\u{FEFF}" + object, nil), (object + " // done", nil), (object + "\u{0}\u{0}", nil),
    (object.dropLast() + ",}", nil), (object.dropLast() + #","x":NaN}"#, nil), (object.dropLast() + #","x":'y'}"#, nil),
    (object.dropLast() + #","token_type":"Bearer"}"#, nil), (object.dropLast() + ",\"x\":\"a\nb\"}", nil),
    (object.dropLast() + " /* \" */ }", nil), (")]}',\n" + object, nil),
    (String(object.dropLast()), unfinished), (object.dropLast() + #","id_token":"eyJ"#, unfinished),
    (object.dropLast() + #","x":{"refresh_token":"no"}, "y":[1,]}"#, nil),
    (object.dropLast() + #","x":01}"#, nil), (#"{"refresh_token" : "rt\u002d2", x: 1}"#, nil),
  ]

  @Test(arguments: odd.indices) func `the rotated token is kept whatever the form of the answer`(index: Int) throws {
    let (body, defect) = Self.odd[index]
    try home.store()
    home.http.answer(TestIssuer.tokenURL, try oddResponse(body, defect))
    let ending = home.operation().attempt()
    guard case .failure(.oauth(let error)) = ending.result else {
      Issue.record("the answer was taken: \(ending.result)")
      return
    }
    #expect(error.followsSuccess && !error.isResponseLost && !error.hasResponseBegun)
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
    #expect(home.http.urls.filter { $0 == TestIssuer.tokenURL }.count == 1)
  }

  // RFC 8259 section 8.1: not UTF-8.
  @Test func `the rotated token is kept beside a text in another encoding`() throws {
    try home.store()
    let body = Array(Self.object.utf8.dropLast()) + Array(",\"x\":\"".utf8) + [0xE4] + Array("\"}".utf8)
    home.http.answer(
      TestIssuer.tokenURL,
      HTTPResponse(
        status: 200, headers: HTTPHeaders([("Content-Type", "application/json")]),
        body: try SecretBytes(copying: body.span)))
    #expect(throws: SessionError.self) { _ = try home.refresh() }
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
  }

  @Test(arguments: [
    #"{"refresh_token":"rt-2","refresh_token":"rt-3",}"#, #"{"refresh_token":"rt-2",}{"refresh_token":"rt-3"}"#,
    #"{"refresh_token":"rt-"#, #"{"refresh_token":5,}"#, #"["refresh_token":"rt-2",]"#,
    #"{"x":{"refresh_token":"rt-2"},}"#, #"{"refresh_token":"",}"#, #"{"refresh_token":"a\u00e4",}"#,
    #"{/*"refresh_token":"rt-2"*/}"#,
  ])
  func `no token is made up from an answer without exactly one`(body: String) throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL, try oddResponse(body, Self.unfinished))
    guard case .failure(.oauth(let error)) = home.operation().attempt().result else {
      Issue.record("the answer was taken")
      return
    }
    #expect(error.isResponseUnusable && !error.followsSuccess)
    #expect(try home.stored()?.refreshToken?.text == "rt-1")
  }

  @Test(arguments: faults.filter { $0["error"] != "invalid_grant" })
  func `an answer that brings no token leaves the one there is, which is not sent again within the call`(
    fault: JSONObject
  ) throws {
    var fault = fault
    fault["refresh_token"] = .null
    try home.store()
    home.http.answer(TestIssuer.tokenURL, try answer(fault))
    #expect(throws: SessionError.self) { _ = try home.refresh() }
    #expect(try home.stored()?.refreshToken?.text == "rt-1")
    #expect(home.http.urls.filter { $0 == TestIssuer.tokenURL }.count == 1)
  }

  @Test(arguments: [
    #""expires_in":-1"#, #""expires_in":[3600]"#, #""expires_in":"abc""#, #""expires_in":1e9"#,
    #""expires_in":99999999999"#, #""scope":["mail"]"#, #""scope":"é""#,
  ])
  func `a lifetime or scope that cannot be used costs itself only`(member: String) throws {
    let fault = try #require(JSON(parsing: Array("{\(member)}".utf8)).object)
    try home.store { $0.scope = "openid" }
    home.http.answer(TestIssuer.tokenURL, try answer(fault))
    let grant = try home.refresh()
    #expect(grant.accessToken.text == "at-2" && grant.scope == "openid")
    #expect(grant.lifetimeSeconds == (fault["scope"] == nil ? nil : 300))
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
  }

  // OpenID Connect Core 1.0 section 12.2.
  @Test(
    arguments: [
      ("sub", "bob"), ("azp", "cli"), ("iss", "https://other.example"), ("aud", "other"), ("aud", ["cli", "other"]),
      ("nonce", "n"),
    ] as [(String, JSON)])
  func `an ID Token for someone else holds the account until one matches the first again`(
    claim: String, value: JSON
  ) throws {
    try home.store()
    home.http.answer(
      TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken(claim, value)))
    let changed = SessionError.identityChanged(account: "work", claim: claim)
    let ending = home.operation().attempt()
    #expect(throws: changed) { _ = try ending.result.get() }
    // Earlier tokens are not served either.
    #expect(ending.rewritten == nil)
    let record = try #require(try home.stored())
    #expect(record.refreshToken?.text == "rt-2")
    #expect(record.identity == Home.alice)
    #expect(!record.isExpired)
    // In another process too, neither a missing nor another wrong ID Token lifts the hold.
    home.http.answer(TestIssuer.tokenURL, try tokens("at-3", refresh: "rt-3"))
    #expect(throws: changed) { _ = try home.refresh(Home.configuration, home.otherProcess()) }
    home.http.answer(
      TestIssuer.tokenURL, try tokens("at-4", refresh: "rt-4", idToken: TestIssuer.first.idToken("sub", "eve")))
    #expect(throws: SessionError.identityChanged(account: "work", claim: "sub")) { _ = try home.refresh() }
    #expect(try home.stored()?.refreshToken?.text == "rt-4")
    home.http.answer(
      TestIssuer.tokenURL, try tokens("at-5", refresh: "rt-5", idToken: TestIssuer.first.idToken()))
    #expect(try home.refresh().accessToken.text == "at-5")
    home.http.answer(TestIssuer.tokenURL, try tokens("at-6"))
    #expect(try home.refresh().accessToken.text == "at-6")
    #expect(try home.stored()?.identity == Home.alice)
  }

  // P-286 requires the first one; GitLab, Cognito and Keycloak return a later sign-in of the same user.
  @Test func `another time of authentication is told and changes nothing`() throws {
    try home.store { $0.identity?.authTime = 7 }
    home.http.answer(
      TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken("auth_time", 5)))
    let told = ToldSteps()
    #expect(try home.refresh(Home.configuration, home.services.observed { told.add($0) }).accessToken.text == "at-2")
    #expect(told.steps.contains(.authenticationTimeChanged))
    #expect(try home.stored()?.identity?.authTime == 7)
    home.http.answer(
      TestIssuer.tokenURL, try tokens("at-3", idToken: TestIssuer.first.idToken("auth_time", 7)))
    let steady = ToldSteps()
    _ = try home.refresh(Home.configuration, home.services.observed { steady.add($0) })
    #expect(!steady.steps.contains(.authenticationTimeChanged))
  }

  // OpenID Connect Core 1.0 section 3.1.2.6; a 400 without a body has no information, not even its sender.
  @Test(arguments: ["interaction_required", "login_required", "consent_required", "account_selection_required", nil])
  func `a server that wants the person, or says nothing, ends no grant`(error: String?) throws {
    try home.store()
    let empty = HTTPResponse(status: 400, headers: HTTPHeaders([]), body: try SecretBytes(copying: [UInt8]().span))
    home.http.answer(TestIssuer.tokenURL, try error.map { try refusal($0) } ?? empty)
    do {
      _ = try home.refresh()
      Issue.record("there is a token")
    } catch let refused as SessionError {
      // Without a body the response may come from a proxy.
      #expect(refused.needsSignIn == (error != nil))
    }
    let record = try #require(try home.stored())
    #expect(record.refreshToken?.text == "rt-1" && !record.isExpired)
  }

  // RFC 6749 section 3.3 (P-121).
  @Test func `a scope that was demanded and withheld is not handed out, but the rotated token is kept`() throws {
    try home.store()
    let target = try #require(try TokenTarget(scope: ["mail"], resources: [], audience: nil))
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", scope: "openid"))
    var error = OAuthError(.scopeWithheld, .endpoint(.token))
    error.serverDescription = "mail"
    #expect(throws: SessionError.oauth(error)) { _ = try home.operation(target: target).attempt().result.get() }
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
    home.http.answer(TestIssuer.tokenURL, try tokens("at-3", refresh: "rt-3", scope: "mail"))
    #expect(try home.operation(target: target).attempt().result.get().scope == "mail")
  }

  // RFC 6749 section 6.
  @Test func `a token of less scope leaves the session's scope as it was`() throws {
    try home.store { $0.scope = "openid mail" }
    let target = try #require(try TokenTarget(scope: ["mail"], resources: [], audience: nil))
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", scope: "mail"))
    #expect(try home.operation(target: target).run().scope == "mail")
    #expect(try home.stored()?.scope == "openid mail")
    home.http.answer(TestIssuer.tokenURL, try tokens("at-3", refresh: "rt-3"))
    #expect(try home.refresh().scope == "openid mail")
    home.http.answer(TestIssuer.tokenURL, try tokens("at-4", refresh: "rt-4", scope: "openid"))
    #expect(try home.refresh().scope == "openid")
    #expect(try home.stored()?.scope == "openid")
  }

  // OpenID Connect Core 1.0 section 12.2. A device sign-in may bring no ID Token.
  @Test func `the first ID Token says for whom all later ones must be`() throws {
    try home.store { $0.identity = nil }
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken()))
    let grant = try home.refresh()
    #expect(grant.subject == "alice" && home.services.isCurrent(grant, of: home.account) == true)
    #expect(try home.stored()?.identity?.subject == "alice")
    let other = try TestIssuer.first.idToken("sub", "mallory")
    home.http.answer(TestIssuer.tokenURL, try tokens("at-3", refresh: "rt-3", idToken: other))
    #expect(throws: SessionError.identityChanged(account: "work", claim: "sub")) { _ = try home.refresh() }
    #expect(try home.stored()?.refreshToken?.text == "rt-3")
  }

  /// Keys that cannot be fetched, for a kept token.
  private static func noKeys(retryAfter seconds: Int? = nil) -> SessionError {
    var error = OAuthError(.network, .host("as.example"))
    error.followsSuccess = true
    error.retryAfterSeconds = seconds
    return .oauth(error)
  }

  // A recent failure says nothing about the token, and may be temporary.
  @Test func `a changed key that cannot be fetched is a passing failure, also within the minute`() throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken()))
    _ = try home.refresh()
    home.http.fail(TestIssuer.keysURL, HTTPFailure(.connect))
    let token = try TestIssuer.second.idToken()
    home.http.answer(TestIssuer.tokenURL, try tokens("at", refresh: "rt-3", idToken: token))
    // The keys are not requested again before, so no refresh token is sent either.
    for _ in 3...4 {
      #expect(throws: Self.noKeys(retryAfter: 60)) { _ = try home.refresh() }
      #expect(try home.stored()?.refreshToken?.text == "rt-3")
    }
    #expect(home.http.urls.count { $0 == TestIssuer.keysURL } == 2)
  }

  @Test func `an expired ID Token stops the access token but not the rotation`() throws {
    try home.store()
    let token = try TestIssuer.first.idToken("exp", .int(TestIssuer.now - 100))
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", idToken: token))
    #expect(throws: SessionError.idToken(IDTokenError(.expired(at: TestIssuer.now - 100)))) { _ = try home.refresh() }
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
  }

  // RFC 9110 section 6.6.1: the server's clock.
  @Test func `an ID Token that seems expired to a wrong clock names the clock`() throws {
    try home.store()
    let token = try TestIssuer.first.idToken(["exp": .int(TestIssuer.now - 100), "iat": .int(TestIssuer.now - 400)])
    let body: JSON = [
      "access_token": "at-2", "token_type": "Bearer", "refresh_token": "rt-2", "id_token": .string(token),
    ]
    // All tests begin on 14 November 2023, 22:13:20.
    home.http.answer(
      TestIssuer.tokenURL, try response(200, body, headers: [("Date", "Tue, 14 Nov 2023 22:08:20 GMT")]))
    let error = IDTokenError(.expired(at: TestIssuer.now - 100))
      .comparing(serverDate: TestIssuer.now - 300, now: TestIssuer.now)
    #expect(error.clockAheadSeconds == 300)
    #expect(throws: SessionError.idToken(error)) { _ = try home.refresh() }
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
  }

  @Test func `keys that cannot be fetched stop the access token but not the rotation`() throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.first.idToken()))
    home.http.fail(TestIssuer.keysURL, HTTPFailure(.connect))
    #expect(throws: Self.noKeys()) { _ = try home.refresh() }
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
    // The next attempt spends the rotated token.
    home.http.answer(TestIssuer.tokenURL, try tokens("at-3"))
    #expect(try home.refresh().accessToken.text == "at-3")
    #expect(home.http.requests.last?.form?[1] == "refresh_token=rt-2")
  }

  // OpenID Connect Core 1.0 section 10.1.1.
  @Test func `a new key of the issuer is fetched once`() throws {
    try home.store()
    home.http.answer(TestIssuer.keysURL, try response(200, TestIssuer.first.keySet))
    home.http.answer(TestIssuer.keysURL, try response(200, TestIssuer.second.keySet))
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", idToken: TestIssuer.second.idToken()))
    #expect(try home.refresh().subject == "alice")
    #expect(home.http.urls.suffix(2) == [TestIssuer.keysURL, TestIssuer.keysURL])
  }

  @Test func `a key that the issuer publishes late is waited for, and the rotated token is kept`() throws {
    try home.store()
    home.http.answer(
      TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.second.idToken()))
    #expect(throws: late(seconds: 60)) { _ = try home.refresh() }
    #expect(late(seconds: 60).isTemporary)
    #expect(home.http.urls.filter { $0 == TestIssuer.keysURL }.count == 2)
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
    // Meanwhile no refresh token of the account is sent, for any requested token.
    home.time.advance(seconds: 20)
    home.http.forgetRequests()
    for target in [nil, try other()] {
      #expect(throws: late(seconds: 40)) { _ = try home.operation(target: target).run() }
    }
    #expect(home.http.requests.isEmpty)
    home.time.advance(seconds: 40)
    home.http.answer(TestIssuer.keysURL, try response(200, TestIssuer.second.keySet))
    home.http.answer(TestIssuer.tokenURL, try tokens("at-3", idToken: TestIssuer.second.idToken()))
    #expect(try home.operation(target: other()).run().accessToken.text == "at-3")
    #expect(home.http.requests.last { $0.url == TestIssuer.tokenURL }?.form?[1] == "refresh_token=rt-2")
  }

  @Test(arguments: [true, false])
  func `keys are waited for neither under other settings nor after another sign-in`(isSignIn: Bool) throws {
    try home.store()
    home.http.answer(
      TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.second.idToken()))
    #expect(throws: late(seconds: 60)) { _ = try home.refresh() }
    var configuration = Home.configuration
    if isSignIn { try home.store() } else { configuration.scope = ["openid", "mail"] }
    home.http.answer(TestIssuer.tokenURL, try tokens("at-3", idToken: TestIssuer.first.idToken()))
    #expect(try home.refresh(configuration).accessToken.text == "at-3")
  }

  // The account's lock serializes the refreshes, and each checks in its turn.
  @Test func `refreshes that wait for each other spend one token for keys that are late`() throws {
    try home.store()
    home.http.answer(
      TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2", idToken: TestIssuer.second.idToken()))
    let home = home
    let outcomes = try inThreads(3) { number in
      _ = try home.operation(target: number == 0 ? nil : other("part-\(number)")).run()
    }
    #expect(!outcomes.contains("done"))
    #expect(home.http.urls.count { $0 == TestIssuer.tokenURL } == 1)
  }

  private func other(_ scope: String = "mail") throws -> TokenTarget? {
    try TokenTarget(scope: [scope], resources: [], audience: nil)
  }

  private func late(seconds: Int) -> SessionError {
    var error = OAuthError(.keyNotPublished, .server)
    error.followsSuccess = true
    error.retryAfterSeconds = seconds
    return .oauth(error)
  }

  // MARK: The end of the grant

  // RFC 6749 section 5.2.
  @Test func `invalid_grant ends the grant and keeps the identity`() throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL, try refusal("invalid_grant"))
    let expired = SessionError.expired(account: "work")
    #expect(throws: expired) { _ = try home.refresh() }
    let record = try #require(try home.stored())
    #expect(record.isExpired)
    #expect(record.refreshToken == nil)
    #expect(record.identity == Home.alice)
    home.http.forgetRequests()
    #expect(throws: expired) { _ = try home.refresh() }
    #expect(home.http.requests.isEmpty)
  }

  @Test func `the server's words about an ended grant are kept`() throws {
    try home.store()
    home.http.answer(
      TestIssuer.tokenURL,
      try response(400, ["error": "invalid_grant", "error_description": "AADSTS700082: It is\ntoo old."]))
    let expired = SessionError.expired(account: "work", reason: "AADSTS700082: It is too old.")
    for _ in 1...2 { #expect(throws: expired) { _ = try home.refresh() } }
    #expect(home.http.requests.filter { $0.url == TestIssuer.tokenURL }.count == 1)
  }

  @Test func `a token that someone else rotated meanwhile is used instead`() throws {
    try home.store()
    let home = home
    home.http.answer(TestIssuer.tokenURL) { _ in
      try home.store { $0.refreshToken = try secret("rt-other") }
      return try refusal("invalid_grant")
    }
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2"))
    #expect(try home.refresh().accessToken.text == "at-2")
    #expect(home.http.requests.last?.form?[1] == "refresh_token=rt-other")
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
  }

  @Test func `a record that someone else removed meanwhile does not come back`() throws {
    try home.store()
    let home = home
    home.http.answer(TestIssuer.tokenURL) { _ in
      try home.otherProcess().vault.remove(home.account)
      return try refusal("invalid_grant")
    }
    #expect(throws: SessionError.signedOut(account: "work")) { _ = try home.refresh() }
    #expect(try home.stored() == nil)
  }

  struct Passing: CustomTestStringConvertible {
    var testDescription: String
    var answer: @Sendable () throws -> HTTPResponse
    var error: OAuthError
  }

  // RFC 6749 section 5.2: only invalid_grant is about the grant.
  @Test(arguments: [
    Passing(
      testDescription: "a server in trouble", answer: { try response(503, ["x": 1]) },
      error: refused(.serverUnavailable, .endpoint(.token), nil, status: 503)),
    Passing(
      testDescription: "a wrong client", answer: { try refusal("invalid_client", status: 401) },
      error: refused(.invalidClient, .endpoint(.token), "invalid_client", status: 401)),
    Passing(
      testDescription: "an unknown error", answer: { try refusal("no_idea") },
      error: refused(.interactionRequired, .endpoint(.token), "no_idea", status: 400)),
    Passing(
      testDescription: "no connection", answer: { throw HTTPFailure(.connect) },
      error: OAuthError(.network, .host("as.example"))),
  ])
  func `any other failure keeps the grant`(_ failure: Passing) throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL) { _ in try failure.answer() }
    #expect(throws: SessionError.oauth(failure.error)) { _ = try home.refresh() }
    let record = try #require(try home.stored())
    #expect(record.refreshToken?.text == "rt-1")
    #expect(!record.isExpired)
  }

  // MARK: Several processes

  @Test func `the account is locked while the request is under way`() throws {
    try home.store()
    let home = home
    home.http.answer(TestIssuer.tokenURL) { _ in
      #expect { _ = try home.otherProcess().vault.lockAccount(home.account, LockWait(.zero)) } throws: {
        ($0 as? VaultError)?.code == .busy
      }
      return try tokens("at-2")
    }
    _ = try home.refresh()
    // Released afterwards, even after a failure.
    _ = try home.otherProcess().vault.lockAccount(home.account, LockWait(.zero))
    home.http.answer(TestIssuer.tokenURL, try refusal("invalid_grant"))
    #expect(throws: SessionError.expired(account: "work")) { _ = try home.refresh() }
    _ = try home.otherProcess().vault.lockAccount(home.account, LockWait(.zero))
  }

  @Test func `two processes at once spend two different tokens`() throws {
    try home.store()
    let sent = Synchronized<[String]>([])
    for number in 2...3 {
      home.http.answer(TestIssuer.tokenURL) { request in
        sent.update { $0.append(request.form?[1] ?? "") }
        return try tokens("at-\(number)", refresh: "rt-\(number)")
      }
    }
    let home = home
    let outcomes = try inThreads(2) { _ in _ = try home.refresh(Home.configuration, home.otherProcess()) }
    #expect(outcomes == ["done", "done"])
    #expect(sent.value == ["refresh_token=rt-1", "refresh_token=rt-2"])
    #expect(try home.stored()?.refreshToken?.text == "rt-3")
  }
}
