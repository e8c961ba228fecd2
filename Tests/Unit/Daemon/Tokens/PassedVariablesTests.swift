import Crypto
import Encoding
import OAuth
import WireSupport
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `Variables that are handed over` {
  private static let name = "GITLAB_OIDC_TOKEN"

  private let home: DaemonHome
  private let lock = OpenLock()
  private let broker: TokenBroker

  init() throws {
    home = try DaemonHome()
    broker = TokenBroker(home.context, lock: lock)
  }

  private func piped(_ text: String) throws -> SharedDescriptor {
    let pipe = try Pipe()
    try pipe.writing.writeAll(Array(text.utf8).span)
    return SharedDescriptor(pipe.reading)
  }

  private func handOver(_ values: [(name: String, text: String)], _ ticket: Ticket) throws {
    let passed = try values.map { try piped($0.text) }
    try broker.passedVariables.read(VariablesRequest(names: values.map(\.name)), ticket, passed: passed)
  }

  private func values(_ names: [String], _ tickets: Int...) -> [String: String] {
    broker.passedVariables.values(names, of: tickets.map(Ticket.number)).mapValues(\.text)
  }

  @Test func `serve the requests of their connection, until that closes`() throws {
    try handOver([("A", "a-1\n"), ("B", "b-1")], .number(1))
    home.runJobs()
    #expect(home.sink.results[1] != nil)
    #expect(values(["A"], 2, 1) == ["A": "a-1"] && values(["A", "B"], 1) == ["A": "a-1", "B": "b-1"])
    #expect(values(["A", "C"], 1).isEmpty && values(["A"], 2).isEmpty && values([], 1).isEmpty)
    try handOver([("A", "a-2")], .number(1))
    home.runJobs()
    #expect(values(["A"], 1) == ["A": "a-2"] && values(["B"], 1).isEmpty)
    broker.passedVariables.forgetValues(of: 1)
    #expect(values(["A"], 1).isEmpty)
  }

  @Test func `are not kept for a connection that closed before they were read`() throws {
    try handOver([("A", "a-1")], .number(1))
    broker.passedVariables.abandon(.number(1))
    broker.passedVariables.forgetValues(of: 1)
    home.runJobs()
    #expect(values(["A"], 1).isEmpty && home.sink.results.isEmpty)
  }

  @Test(arguments: ["", "a b", "ä", String(repeating: "x", count: 65_537)]) func `are one word each`(text: String)
    throws
  {
    let file = SharedDescriptor(try FileDescriptor.inMemory(Array(text.utf8).span))
    try broker.passedVariables.read(VariablesRequest(names: ["A"]), .number(1), passed: [file])
    home.runJobs()
    #expect(home.sink.failures[1]?.code == .assertionRejected && values(["A"], 1).isEmpty)
    #expect(throws: Failure.self) {
      try broker.passedVariables.read(VariablesRequest(names: ["A", "B"]), .number(2), passed: [file])
    }
  }

  /// An account signed in with the assertion of a GitLab job.
  private func addWorkload() throws { try home.addWorkload("work") { $0.assertionFrom = .gitLabCI } }

  private func assertion() -> String { home.assertion() }

  private func ask(_ number: Int) throws {
    home.context.files.poll()
    try broker.sendToken(TokenRequest(account: "work"), .number(number))
  }

  @Test func `get a token for a caller who came while a refresh without them was under way`() throws {
    try addWorkload()
    home.http.answers = [.json(["access_token": "at-1", "token_type": "Bearer", "expires_in": 3600])]
    try handOver([(Self.name, assertion())], .number(2))
    home.runJobs()
    for number in 1...2 { try ask(number) }
    home.runJobs()
    #expect(home.sink.failures[1]?.code == .assertionNeeded && home.sink.failures[1]?.variables == [Self.name])
    #expect(home.sink.lines[2]?.contains("at-1") == true, "\(String(describing: home.sink.failures[2]))")
    #expect(home.sink.failures[2] == nil)
  }

  @Test func `are asked for by the names that the settings have`() throws {
    try addWorkload()
    try ask(1)
    home.runJobs()
    let failure = try #require(home.sink.failures[1])
    #expect(failure.variables == [Self.name] && Failure(json: failure.json)?.variables == [Self.name])
    #expect(home.http.sent.isEmpty)
  }
}

@Suite struct `An account that signs in by the user of another` {
  private let home: DaemonHome
  private let lock = OpenLock()
  private let broker: TokenBroker
  private let person: Account

  init() throws {
    home = try DaemonHome(signedIn: "person")
    broker = TokenBroker(home.context, lock: lock)
    try home.addWorkload("job") { $0.assertionAccount = "person" }
    person = try broker.resolve("person")
  }

  /// The response of the user's server that exchanges the ID Token.
  private func traded() -> PlayedServer.Answer {
    .json([
      "access_token": .string(home.assertion(["client_id": "cli"])), "token_type": "N_A",
      "issued_token_type": "urn:ietf:params:oauth:token-type:id-jag",
    ])
  }

  private static let token = PlayedServer.Answer.json([
    "access_token": "at-1", "token_type": "Bearer", "expires_in": 3600,
  ])

  private func ask(_ number: Int, of account: String = "job") throws {
    home.context.files.poll()
    try broker.sendToken(TokenRequest(account: account), .number(number))
    home.runJobs()
  }

  // draft-ietf-oauth-identity-assertion-authz-grant-04.
  @Test func `gets its token by the ID Token of that user`() throws {
    try home.put(idTokenFor: 600, person)
    home.http.answers = [traded(), Self.token]
    try ask(1)
    #expect(home.sink.lines[1]?.contains("at-1") == true, "\(String(describing: home.sink.failures[1]))")
  }

  @Test func `uses no assertion that came after its settings were changed`() throws {
    try home.put(idTokenFor: 600, person)
    home.http.answers = [traded(), Self.token]
    home.http.isHeld = true
    home.context.files.poll()
    try broker.sendToken(TokenRequest(account: "job"), .number(1))
    try home.runJobs(until: { !home.http.sent.isEmpty || home.sink.failures[1] != nil })
    broker.removeDeletedAccount(try AccountName("job"))
    #expect(home.sink.failures[1]?.code == .noAccount)
    home.http.isHeld = false
    home.runJobs()
    #expect(home.http.sent.count == 1 && home.sink.lines[1] == nil)
  }

  @Test func `cannot sign in by one that itself signs in so`() throws {
    try home.addWorkload("loop") { $0.assertionAccount = "job" }
    try ask(1, of: "loop")
    #expect(home.sink.failures[1] != nil && home.http.sent.isEmpty)
  }
}

extension DaemonHome {
  /// Adds an account signed in with an assertion.
  fileprivate func addWorkload(_ name: String, _ edit: (inout AccountConfiguration) -> Void) throws {
    let account = try AccountName(name)
    var configuration = AccountConfiguration(issuer: "https://as.example", clientID: "cli")
    configuration.refresh = .onDemand
    edit(&configuration)
    let added = configuration
    _ = try settings.change { (settings) throws(ConfigurationError) in try settings.set(added, for: account) }
    let metadata = try AuthorizationServerMetadata(
      parsing: JSON.object(PlayedServer.metadata).serialized(),
      issuer: Issuer("https://as.example", allowHTTPLoopback: false), allowHTTPLoopback: false)
    var record = AccountRecord(
      authority: Authority(configuration, caDigest: nil, metadata: metadata), signedInAt: time.wallSeconds())
    record.unattended = .assertion
    try services.vault.write(account, content: try record.serialized(), protection: .device)
  }

  /// An assertion for the server of all accounts.
  fileprivate func assertion(_ more: JSONObject = JSONObject()) -> String {
    var claims: JSONObject = [
      "iss": "https://gitlab.example", "sub": "job-7", "aud": "https://as.example",
      "exp": .int(time.wallSeconds() + 600),
    ]
    for name in more.names { claims[name] = more[name] }
    return ([["alg": "ES256"], JSON.object(claims)].map { Base64URL.encode($0.serialized()) } + ["c2ln"])
      .joined(separator: ".")
  }
}

private final class OpenLock: TokenLock {
  func refusalAfterIdleCheck(for account: AccountName) -> SessionError? { nil }
  func recordUse(_ level: Protection) {}
  func handleVaultFileChange() {}
}
