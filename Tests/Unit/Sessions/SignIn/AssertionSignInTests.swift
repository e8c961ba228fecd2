import Encoding
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary

/// Sessions created with a JWT that a platform issues (RFC 7523 section 2.1).
@Suite struct `A session by assertion` {
  private let home: Home

  init() throws { home = try Home() }

  private var configuration: AccountConfiguration {
    var configuration = Home.configuration
    configuration.assertionFile = home.directory.path("token")
    return configuration
  }

  /// Writes a JWT like the platform does.
  @discardableResult
  private func handOut(_ subject: String = "job-7", _ changes: [String: JSON?] = [:]) throws -> String {
    var claims: JSONObject = [
      "iss": "https://platform.example", "sub": .string(subject), "aud": .string(TestIssuer.text),
      "exp": .int(TestIssuer.now + 600),
    ]
    for (name, value) in changes { claims[name] = value }
    let parts = [["alg": "ES256"], JSON.object(claims)].map { Base64URL.encode($0.serialized()) } + ["c2ln"]
    let text = parts.joined(separator: ".")
    try home.directory.write("token", text + "\n")
    return text
  }

  private func signIn(_ configuration: AccountConfiguration) throws -> SignIn.Outcome {
    var request = SignIn.Request(
      account: home.account, configuration: configuration, services: home.services, cancellation: Cancellation())
    request.unattended = .assertion
    return try request.unattendedOutcome()
  }

  private func start() throws -> AccountConfiguration {
    try handOut()
    home.http.answer(TestIssuer.tokenURL, try tokens("at-1", refresh: "rt-of-no-use", scope: "read"))
    return try signIn(configuration).configuration
  }

  private var asked: [String] { home.http.requests.last?.form ?? [] }

  @Test func `asks for nothing about a user, and keeps neither the assertion nor a refresh token`() throws {
    let text = try handOut()
    var configuration = configuration
    configuration.scope = ["openid", "read", "offline_access"]
    home.http.answer(TestIssuer.tokenURL, try tokens("at-1", refresh: "rt-of-no-use", scope: "read"))
    let outcome = try signIn(configuration)
    #expect(outcome.unattended == .assertion && outcome.grant.subject == nil)
    #expect(
      asked == [
        "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion=\(text)", "scope=read",
        "client_id=cli",
      ])
    let record = try #require(try home.stored())
    #expect(record.unattended == .assertion && record.refreshToken == nil && !record.isExpired)
    let content = try record.serialized().text
    #expect(!content.contains(text) && !content.contains("rt-of-no-use"))
  }

  @Test func `is renewed by what is in the file then`() throws {
    let configuration = try start()
    let text = try handOut("job-8")
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2"))
    #expect(try home.refresh(configuration, home.otherProcess()).accessToken.text == "at-2")
    #expect(asked.contains("assertion=\(text)"))
  }

  @Test(
    arguments: [
      (["exp": .int(TestIssuer.now - 60)], .expired(seconds: 60)),
      (["nbf": .int(TestIssuer.now + 61)], .notYetValid(seconds: 61)),
      (["aud": "https://other.example"], .wrongAudience(expected: TestIssuer.text)), (["sub": nil], .claim("sub")),
    ] as [([String: JSON?], AssertionProblem)])
  func `sends nothing that the server would refuse, and goes on with the next assertion`(
    changes: [String: JSON?], problem: AssertionProblem
  ) throws {
    let configuration = try start()
    home.http.forgetRequests()
    try handOut("job-8", changes)
    #expect(throws: SessionError.assertion(problem, .file(home.directory.path("token")))) {
      try home.refresh(configuration)
    }
    #expect(!home.http.urls.contains(TestIssuer.tokenURL))
    try handOut("job-9")
    home.http.answer(TestIssuer.tokenURL, try tokens("at-3"))
    #expect(try home.refresh(configuration).accessToken.text == "at-3")
  }

  @Test func `is not over when the server refuses one`() throws {
    let configuration = try start()
    home.http.answer(TestIssuer.tokenURL, try response(400, ["error": "invalid_grant"]))
    let error = #expect(throws: SessionError.self) { try home.refresh(configuration) }
    guard case .oauth(let problem)? = error else { throw Home.NoToken() }
    #expect(problem.code == .assertionRejected && error?.effect == SessionError.Effect.none)
    #expect(try home.stored()?.isExpired == false)
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2"))
    #expect(try home.refresh(configuration).accessToken.text == "at-2")
  }

  @Test func `may be for the audience that the settings name`() throws {
    var configuration = configuration
    configuration.assertionAudience = "api://exchange"
    try handOut("job-7", ["aud": ["api://exchange"]])
    home.http.answer(TestIssuer.tokenURL, try tokens("at-1"))
    #expect(try signIn(configuration).grant.accessToken.text == "at-1")
  }

  // RFC 7523 section 3.
  @Test func `may be for the token endpoint, unless the settings name an audience`() throws {
    try handOut("job-7", ["aud": .string(TestIssuer.tokenURL)])
    home.http.answer(TestIssuer.tokenURL, try tokens("at-1"))
    #expect(try signIn(configuration).grant.accessToken.text == "at-1")
    var configuration = configuration
    configuration.assertionAudience = "issuer"
    home.http.forgetRequests()
    let problem = AssertionProblem.wrongAudience(expected: TestIssuer.text)
    #expect(throws: SessionError.assertion(problem, .file(home.directory.path("token")))) {
      try signIn(configuration)
    }
    #expect(!home.http.urls.contains(TestIssuer.tokenURL))
  }

  @Test func `says that there is no file, that it is too long, and that none is named`() throws {
    var configuration = try start()
    let path = home.directory.path("token")
    try ProcessRunner.shell("rm '\(path)'")
    let error = #expect(throws: SessionError.self) { try home.refresh(configuration) }
    guard case .assertionUnreadable(.system(let cause, let place))? = error else { throw Home.NoToken() }
    #expect(cause.isNotFound && place == path)
    try home.directory.write("token", String(repeating: "x", count: 65_600))
    #expect(throws: SessionError.assertion(.tooLong, .file(path))) { try home.refresh(configuration) }
    configuration.assertionFile = nil
    #expect(throws: SessionError.assertionSourceNeeded(account: "work")) { try home.refresh(configuration) }
  }

  // MARK: Other sources

  private static let service = "https://run.example/token?v=2&audience=https%3A%2F%2Fas.example%2Ftenant"

  /// The JWT of the file, and the settings that read it from elsewhere.
  private func moved(
    _ change: (inout AccountConfiguration) -> Void
  ) throws -> (configuration: AccountConfiguration, text: String) {
    var configuration = configuration
    configuration.assertionFile = nil
    change(&configuration)
    return (configuration, try handOut("job-9"))
  }

  private func refresh(
    _ configuration: AccountConfiguration, _ passedAssertion: PassedAssertion
  ) throws -> AccessGrant {
    try RefreshOperation(
      account: home.account, configuration: configuration, passedAssertion: passedAssertion, services: home.services,
      cancellation: Cancellation()
    ).run()
  }

  @Test func `takes the variable of a job, and no other`() throws {
    _ = try start()
    let (configuration, text) = try moved { $0.assertionFrom = .gitLabCI }
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2"))
    let passedAssertion = PassedAssertion(variables: [
      "GITLAB_OIDC_TOKEN": try secret(text), "OTHER": try secret("x.y.z"),
    ])
    #expect(
      try refresh(configuration, passedAssertion).accessToken.text == "at-2" && asked.contains("assertion=\(text)"))
    var named = configuration
    named.assertionVariable = "CI_JWT"
    home.http.forgetRequests()
    #expect(throws: SessionError.assertionVariablesMissing(account: "work", .variable("CI_JWT"))) {
      try refresh(named, passedAssertion)
    }
    #expect(!home.http.urls.contains(TestIssuer.tokenURL))
  }

  @Test func `asks the service of GitHub Actions for one with the audience`() throws {
    _ = try start()
    let (configuration, text) = try moved { $0.assertionFrom = .gitHubActions }
    let passedAssertion = PassedAssertion(variables: [
      "ACTIONS_ID_TOKEN_REQUEST_URL": try secret("https://run.example/token?v=2"),
      "ACTIONS_ID_TOKEN_REQUEST_TOKEN": try secret("job-token"),
    ])
    home.http.answer(Self.service, try response(200, ["value": .string(text)]))
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2"))
    #expect(
      try refresh(configuration, passedAssertion).accessToken.text == "at-2" && asked.contains("assertion=\(text)"))
    home.http.answer(Self.service, try response(503, [:]))
    let error = #expect(throws: SessionError.self) { try refresh(configuration, passedAssertion) }
    guard case .assertionSource(.workflow, because: .oauth(let cause))? = error else { throw Home.NoToken() }
    #expect(cause.code == .serverUnavailable && error?.isTemporary == true && error?.effect == SessionError.Effect.none)
    #expect(throws: SessionError.assertionVariablesMissing(account: "work", .workflow)) {
      try refresh(configuration, PassedAssertion())
    }
  }

  @Test func `reads the file of each pod`() {
    var configuration = configuration
    configuration.assertionFrom = .kubernetes
    #expect(configuration.assertionSource == .file(home.directory.path("token")))
    configuration.assertionFile = nil
    #expect(
      configuration.assertionSource == .file("/var/run/secrets/kubernetes.io/serviceaccount/token"))
  }

  @Test func `needs the ID Token of another account first, and an assertion for this client`() throws {
    _ = try start()
    let (configuration, text) = try moved { $0.assertionAccount = "person" }
    #expect(throws: SessionError.assertionNeededFrom("person")) { try refresh(configuration, PassedAssertion()) }
    #expect(throws: SessionError.assertion(.wrongClient(expected: "cli"), .account("person"))) {
      try refresh(configuration, PassedAssertion(assertion: try secret(text)))
    }
    let mine = try handOut("alice", ["client_id": "cli"])
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2"))
    #expect(try refresh(configuration, PassedAssertion(assertion: try secret(mine))).accessToken.text == "at-2")
  }

  @Test func `is renewed only for a caller where the caller brings what it needs`() {
    var configuration = configuration
    #expect(configuration.renewal == .proactive)
    configuration.assertionFrom = .gitHubActions
    #expect(configuration.renewal == .onDemand)
    configuration.refresh = .strict
    #expect(configuration.renewal == .strict)
  }

  @Test func `does not take the place of a user`() throws {
    try handOut()
    try home.store(configuration)
    #expect(throws: SessionError.guestCannotReplaceUser(account: "work")) { try signIn(configuration) }
    #expect(home.http.requests.isEmpty)
    #expect(try home.stored()?.refreshToken?.text == "rt-1")
  }

  @Test func `is kept with its record through the vault`() throws {
    let configuration = try start()
    let record = try #require(try home.stored())
    #expect(record.problem(with: configuration, account: home.account) == nil)
    let again = try AccountRecord(content: try record.serialized(), account: home.account)
    #expect(again.unattended == .assertion)
  }
}
