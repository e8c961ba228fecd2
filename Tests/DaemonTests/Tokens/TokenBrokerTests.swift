import Crypto
import Encoding
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `The token broker` {
  private let home: BrokerHome

  init() throws { home = try BrokerHome() }

  @Test func `gets one token for all who ask while none is there`() throws {
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    for ticket in 1...3 { try home.ask(ticket) }
    #expect(home.sink.lines.isEmpty)
    home.runJobs()
    #expect(home.sink.lines.keys.sorted() == [1, 2, 3])
    #expect(home.sink.lines.values.allSatisfy { $0.contains("at-1") })
    #expect(home.http.sent == ["rt-1"])
    #expect(try home.storedToken() == "rt-2")
  }

  @Test func `serves a token that is there at once, and asks no server`() throws {
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    try home.ask(1)
    home.runJobs()
    try home.ask(2)
    #expect(home.sink.lines[2]?.contains("at-1") == true)
    #expect(home.http.sent.count == 1)
  }

  @Test func `answers nobody whose connection was closed, and keeps the token for the others`() throws {
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    try home.ask(1)
    try home.ask(2)
    home.broker.abandon(BrokerHome.ticket(1))
    home.runJobs()
    #expect(home.sink.lines.keys.sorted() == [2])
  }

  @Test func `tries a passing failure again when the time that it set has come, and not before`() throws {
    home.http.answers = [.status(503), .tokens("at-1", refresh: "rt-2")]
    try home.ask(1)
    home.runJobs()
    #expect(home.sink.lines.isEmpty && home.sink.failures.isEmpty)
    let (event, due) = try #require(home.sink.retries.first)
    #expect(due > home.time.now())
    #expect(home.http.sent.count == 1)
    home.time.advance(seconds: 5)
    home.due(event)
    home.runJobs()
    #expect(home.sink.lines[1]?.contains("at-1") == true)
    #expect(home.http.sent == ["rt-1", "rt-1"])
  }

  // Store first.
  @Test func `goes on with the new refresh token after an answer of which nothing else can be used`() throws {
    home.http.answers = [.json(["token_type": "mac", "refresh_token": "rt-2"]), .tokens("at-2", refresh: "rt-3")]
    try home.ask(1)
    home.runJobs()
    #expect(home.sink.failures[1]?.code == .serverMisbehaved)
    #expect(try home.storedToken() == "rt-2")
    try home.ask(2)
    home.runJobs()
    #expect(home.http.sent == ["rt-1", "rt-2"])
    #expect(home.sink.lines[2]?.contains("at-2") == true)
  }

  // Only the issuer ends a session.
  @Test func `gives all who wait the reason when the server wants the person, and keeps the grant`() throws {
    home.http.answers = [.json(["error": "login_required"], 400)]
    for ticket in 1...2 { try home.ask(ticket) }
    home.runJobs()
    #expect(home.sink.failures.values.map(\.code) == [.interactionRequired, .interactionRequired])
    #expect(try home.storedToken() == "rt-1")
    // Until the back-off is over nothing is sent.
    #expect(throws: Failure.self) { try home.ask(3) }
    #expect(home.http.sent.count == 1)
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    home.time.advance(seconds: 11)
    try home.ask(4)
    home.runJobs()
    #expect(home.sink.lines[4]?.contains("at-1") == true)
  }

  @Test func `refuses what is behind a lock without a request`() throws {
    let locked = SessionError.vault(VaultError(.locked(.passphrase)))
    home.lock.refused = locked
    #expect(throws: Failure(locked, account: "work")) { try home.ask(1) }
    #expect(home.http.sent.isEmpty)
    home.lock.refused = nil
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    try home.ask(2)
    home.runJobs()
    #expect(home.lock.uses == [.device])
  }

  @Test func `lets those who wait start over when the settings of their account change`() throws {
    home.http.answers = [.tokens("at-1", refresh: "rt-2"), .tokens("at-2", refresh: "rt-3")]
    try home.ask(1)
    let account = try home.broker.resolve("work")
    var other = account.configuration
    other.scope = ["mail"]
    var adopted: [String] = []
    home.broker.onAdopted = { adopted.append($0.text) }
    home.broker.adopt(other, account)
    home.runJobs()
    #expect(adopted == ["work"])
    #expect(home.sink.lines.keys.sorted() == [1])
  }

  @Test func `renews nothing once the daemon stops`() throws {
    home.http.answers = [.status(503)]
    try home.ask(1)
    home.runJobs()
    let (event, _) = try #require(home.sink.retries.first)
    home.broker.isStopping = true
    home.due(event)
    home.runJobs()
    #expect(home.http.sent.count == 1)
  }
}

/// A broker with an account that is signed in, a server and a clock of the test, and answers that the test reads. The
/// test runs what workers hand to the loop.
private final class BrokerHome {
  let time = ManualTime()
  let http = PlayedServer()
  let sink: RecordedReplies
  let lock = PlayedLock()
  let broker: TokenBroker
  private let inbox: Inbox
  private let jobs: Jobs
  private let directory: TemporaryDirectory
  private let services: SessionServices
  private let account: AccountName

  init() throws {
    directory = try TemporaryDirectory()
    account = try AccountName("work")
    inbox = try Inbox()
    jobs = Jobs(inbox)
    sink = RecordedReplies(time)
    services = SessionServices(
      vault: Vault(stateDirectory: directory.path("state"), machineIdentity: Array(1...16), userID: 1000),
      http: http, time: time, documents: DocumentCache(directory: directory.path("cache"), http: http, time: time))
    var configuration = AccountConfiguration(issuer: "https://as.example", clientID: "cli")
    configuration.refresh = .onDemand
    let settings = SettingsFile(directory: directory.path("config"))
    let (name, added) = (account, configuration)
    _ = try settings.change { (settings) throws(ConfigurationError) in try settings.set(added, for: name) }
    let metadata = try AuthorizationServerMetadata(
      parsing: JSON.object(PlayedServer.metadata).serialized(),
      issuer: Issuer("https://as.example", allowHTTPLoopback: false),
      allowHTTPLoopback: false)
    var record = AccountRecord(
      authority: Authority(configuration, caDigest: nil, metadata: metadata), signedInAt: time.wallSeconds())
    record.refreshToken = SharedSecret(try SecretBytes(copying: Array("rt-1".utf8).span))
    let content = try record.sealedContent()
    try services.vault.write(account, content: content)
    let context = DaemonContext(
      services: services, settingsFile: settings, changes: nil,
      facts: DaemonFacts(startedAt: time.now(), socketPath: nil), log: EventLog(time: time), replies: sink, jobs: jobs)
    broker = TokenBroker(context, lock: lock)
  }

  static func ticket(_ number: Int) -> Ticket { Ticket(connection: UInt64(number), serial: 1) }

  /// Asks for a token with the ticket of this number.
  func ask(_ number: Int) throws(Failure) {
    let envelope: RequestEnvelope
    do {
      envelope = try RequestEnvelope(parsing: Array(#"{"v":1,"request":"token","account":"work"}"#.utf8).span)
    } catch {
      throw error
    }
    guard case .token(let request) = envelope.request else { return }
    try broker.token(request, Self.ticket(number))
  }

  /// Takes in results until no job is left.
  func runJobs() {
    let deadline = Instant.now.advanced(by: .seconds(30))
    while jobs.inFlight > 0 {
      for act in inbox.takeAll() { act() }
      if Instant.now > deadline {
        Issue.record("\(jobs.inFlight) jobs do not end")
        return
      }
      Threads.sleep(for: .milliseconds(1))
    }
  }

  func due(_ event: TimerEvent) {
    guard case .refreshRetry(let name, let target, let generation, let attempt) = event else { return }
    broker.retryDue(name, target, generation, attempt)
  }

  func storedToken() throws -> String? {
    try services.record(of: account)?.refreshToken.map { token in
      token.bytes.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }
  }
}

private final class PlayedLock: TokenLock {
  var refused: SessionError?
  private(set) var uses: [Protection] = []

  func refusal(for account: AccountName) -> SessionError? { refused }
  func used(_ level: Protection) { uses.append(level) }
  func vaultFileChanged() {}
}

/// What was sent to whom, by the number of the ticket's connection.
private final class RecordedReplies: ReplySink {
  private(set) var lines: [Int: String] = [:]
  private(set) var failures: [Int: Failure] = [:]
  private var scheduled: [(TimerEvent, Instant)] = []
  private let time: ManualTime

  init(_ time: ManualTime) { self.time = time }

  var now: Instant { time.now() }

  /// The attempts that are to be made later.
  var retries: [(TimerEvent, Instant)] {
    scheduled.filter { if case .refreshRetry = $0.0 { true } else { false } }
  }

  func send(_ reply: Reply, to ticket: Ticket) {
    if case .failure(let failure) = reply { failures[Int(ticket.connection)] = failure }
  }
  func send(_ line: SharedSecret, to ticket: Ticket) {
    lines[Int(ticket.connection)] = line.bytes.withBytes { bytes in
      String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
  }
  func schedule(_ event: TimerEvent, at due: Instant) { scheduled.append((event, due)) }
  func watchNetwork(_ isWanted: Bool) {}
  func setDeadline(_ deadline: Instant, of ticket: Ticket) {}
  func listen(_ listener: RedirectListener, for login: UInt64) throws(SystemError) {}
  func stopListening(for login: UInt64) {}
  func tidyUp() {}
  func stop(_ ticket: Ticket) {}
}

/// An authorization server that answers as the test says.
private final class PlayedServer: HTTPClient {
  struct Answer: Sendable {
    let status: Int
    let body: JSON

    static func json(_ body: JSONObject, _ status: Int = 200) -> Answer { Answer(status: status, body: .object(body)) }
    static func status(_ status: Int) -> Answer { Answer(status: status, body: [:]) }
    static func tokens(_ access: String, refresh: String) -> Answer {
      .json([
        "access_token": .string(access), "token_type": "Bearer", "expires_in": 3600, "refresh_token": .string(refresh),
      ])
    }
  }

  private struct State: Sendable {
    var answers: [Answer] = []
    var sent: [String] = []
  }

  static let metadata: JSONObject = [
    "issuer": "https://as.example", "token_endpoint": "https://as.example/token", "response_types_supported": ["code"],
  ]

  private let state = Monitor(State())

  /// Those to the next refreshes.
  var answers: [Answer] {
    get { state.withLock { $0.answers } }
    set { state.withLock { $0.answers = newValue } }
  }

  /// The refresh tokens that came.
  var sent: [String] { state.withLock { $0.sent } }

  func send(_ request: borrowing HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    guard request.role == .token else { return try Self.response(200, .object(Self.metadata)) }
    let form = request.form?.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    let token = (form ?? "").split(separator: "&").first { $0.hasPrefix("refresh_token=") }
    let answer = state.withLock { state -> Answer? in
      state.sent.append(String((token ?? "").dropFirst("refresh_token=".count)))
      return state.answers.isEmpty ? nil : state.answers.removeFirst()
    }
    guard let answer else { throw HTTPFailure(.connect) }
    return try Self.response(answer.status, answer.body)
  }

  private static func response(_ status: Int, _ body: JSON) throws(HTTPFailure) -> HTTPResponse {
    do {
      return HTTPResponse(
        status: status, headers: HTTPHeaders([("Content-Type", "application/json")]),
        body: try SecretBytes(copying: body.serialized().span))
    } catch {
      throw HTTPFailure(.setup)
    }
  }

  func exchange(
    _ request: ResourceRequest, authorization: [SecretField], content: (any ResourceContent)?,
    receiver: any ResourceReceiver
  ) throws(HTTPFailure) -> ResourceResponse { throw HTTPFailure(.connect) }
}
