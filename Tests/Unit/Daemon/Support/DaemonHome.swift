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

/// A daemon's context, with a simulated server, clock and reply sink. The test itself runs the closures posted to the
/// loop.
final class DaemonHome {
  let time = ManualTime()
  let http = PlayedServer()
  let sink: RecordedReplies
  let services: SessionServices
  let settings: SettingsFile
  let context: DaemonContext
  /// The vault as another process opens it.
  private let otherVault: Vault
  private let inbox: Inbox
  private let jobs: Jobs
  private let directory: TemporaryDirectory
  /// Results of jobs that were awaited but not handled.
  private var awaited: [@Sendable () -> Void] = []

  /// - Parameter isWatched: Whether the files are watched, instead of checked for each request.
  init(isWatched: Bool = false) throws {
    directory = try TemporaryDirectory()
    inbox = try Inbox()
    sink = RecordedReplies(time)
    let state = directory.path("state")
    func vault() -> Vault {
      Vault(
        stateDirectory: state, machineIdentity: Array(1...16), userID: 1000,
        cost: Scrypt.Cost(logarithm: 15, blockSize: 8, parallelism: 1))
    }
    otherVault = vault()
    services = SessionServices(
      vault: vault(), http: http, time: time,
      documents: DocumentCache(directory: directory.path("cache"), http: http, time: time),
      settingsDirectory: directory.path("config"))
    settings = SettingsFile(directory: services.settingsDirectory)
    jobs = try Jobs(inbox, isWatched ? WatchedFiles(settings: settings, vault: services.vault) : WatchedFiles())
    context = DaemonContext(
      services: services, settingsFile: settings,
      status: DaemonStatus(startedAt: time.now(), socketPath: directory.path("runtime/agent.sock")),
      log: EventLog(time: time), loop: sink, jobs: jobs)
  }

  /// - Parameter renewals: The number of refreshes that the server accepts: with `at-1` and `rt-2`, then `at-2` and
  ///   `rt-3`.
  convenience init(signedIn name: String, origins: [String] = [], renewals: Int = 0) throws {
    try self.init()
    try addSignedIn(name, origins: origins)
    http.answers = (0..<renewals).map { .tokens("at-\($0 + 1)", refresh: "rt-\($0 + 2)") }
  }

  /// Adds `open sesame`, and unlocks the vault.
  func createPassphrase(_ vault: VaultRequests, _ number: Int) throws {
    let secret = SharedDescriptor(try FileDescriptor.inMemory(Array("open sesame".utf8).span))
    try vault.handle(.create(.passphrase), .number(number), passed: [secret])
    runJobs()
  }

  func changeVaultElsewhere(_ change: (Vault) throws -> Void) throws { try change(otherVault) }

  /// Adds an account that refreshes on demand.
  func add(
    _ name: String, at issuer: String = "https://as.example", protection: Protection = .device, origins: [String] = []
  ) throws {
    let account = try AccountName(name)
    var configuration = AccountConfiguration(issuer: issuer, clientID: "cli")
    configuration.refresh = .onDemand
    configuration.protection = protection
    configuration.origins = origins
    let added = configuration
    _ = try settings.change { (settings) throws(ConfigurationError) in try settings.set(added, for: account) }
  }

  /// - Parameters:
  ///   - isBound: Whether its tokens are bound to a key.
  ///   - isElsewhere: Whether another process writes it.
  func addSignedIn(
    _ name: String, protection: Protection = .device, origins: [String] = [], isBound: Bool = false,
    isElsewhere: Bool = false, refreshToken: String = "rt-1"
  ) throws {
    try add(name, protection: protection, origins: origins)
    let account = try AccountName(name)
    let configuration = try #require(try settings.current()[account])
    let metadata = try AuthorizationServerMetadata(
      parsing: JSON.object(PlayedServer.metadata).serialized(),
      issuer: Issuer("https://as.example", allowHTTPLoopback: false),
      allowHTTPLoopback: false)
    var record = AccountRecord(
      authority: Authority(configuration, caDigest: nil, metadata: metadata), signedInAt: time.wallSeconds())
    record.refreshToken = SharedSecret(try SecretBytes(copying: Array(refreshToken.utf8).span))
    if isBound { record.dpopKey = try DPoPKey.generate().serialized() }
    let vault = isElsewhere ? otherVault : services.vault
    try vault.write(account, content: try record.serialized(), protection: protection)
  }

  /// Caches the access token `at-0`, valid for an hour, and an ID Token.
  ///
  /// - Parameters:
  ///   - seconds: The ID Token's remaining lifetime.
  ///   - age: The seconds since both were issued.
  func put(idTokenFor seconds: Int, issuedBefore age: Int = 0, _ account: Account) throws {
    let claims = #"{"sub":"alice","exp":\#(time.wallSeconds() + seconds)}"#
    let idToken = [#"{"alg":"ES256"}"#, claims, "signature"].map { Base64URL.encode(Array($0.utf8)) }
    func secret(_ text: String) throws -> SharedSecret { SharedSecret(try SecretBytes(copying: Array(text.utf8).span)) }
    let grant = AccessGrant(
      accessToken: try secret("at-0"), tokenType: "Bearer", scope: "openid", subject: "alice",
      idToken: SealedSecret(try secret(idToken.joined(separator: "."))),
      issuedAt: time.now().advanced(by: .seconds(-age)), issuedAtUnixSeconds: time.wallSeconds() - age,
      lifetimeSeconds: 3600, recordGeneration: try services.vault.read(account.name)?.generation ?? 0)
    account.ownSlot.session.applySignIn(grant, wallSeconds: time.wallSeconds(), jitter: 0)
  }

  /// Oldest first.
  var published: [SessionEvent] {
    context.log.sessionJSON(of: nil)["events"]?.array?.compactMap { SessionEntry(json: $0)?.event } ?? []
  }

  /// Without steps, oldest first.
  var logged: [LogEvent] {
    let events = context.log.entries.elements.map(\.event)
    return events.filter { if case .step = $0 { false } else { true } }
  }

  /// Begins a sign-in by code at the server of all accounts.
  func beginSignIn(
    to account: String, _ signIns: SignIns, _ number: Int, _ edit: (inout LoginRequest) -> Void = { _ in }
  ) throws {
    var request = LoginRequest()
    (request.account, request.issuer, request.clientID) = (account, "https://as.example", "cli")
    request.flow = .device
    edit(&request)
    try signIns.login(request, .number(number), passed: [])
    runJobs()
  }

  /// The daemon's open files and directories, except those that stay open: the vault, and the directories of the
  /// settings and of token files.
  func openFiles() throws -> [String] {
    let listing = try ProcessRunner.run(
      executable: "/usr/bin/find", arguments: ["/proc/\(Machine.processID)/fd", "-printf", "%l\n"])
    var open = listing.outputText.split(separator: "\n").map(String.init).filter { $0.hasPrefix(directory.path) }
    let vaults = [services.vault, otherVault].map { $0.summary().path }
    for kept in [directory.path("config"), directory.path("runtime")] + vaults {
      if let index = open.firstIndex(where: { $0 == kept || $0 == kept + " (deleted)" }) { open.remove(at: index) }
    }
    return open
  }

  /// The directory of the daemon's socket.
  func runtime() throws -> PrivateDirectory { try directory.open("runtime") }

  /// Waits for a job's result without handling it.
  func awaitResult() throws {
    try wait {
      awaited += inbox.takeAll()
      return !awaited.isEmpty
    }
  }

  /// Handles the next result, as after a timer that reads the settings before it acts.
  func takeResult() throws {
    try awaitResult()
    takeResults()
  }

  private func takeResults() {
    let acts = awaited + inbox.takeAll()
    awaited = []
    for act in acts { act() }
  }

  /// Handles results until no job is left.
  func runJobs() {
    let deadline = Instant.now.advanced(by: .testLimit)
    while jobs.localJobCount + jobs.waitCount > 0 {
      takeResults()
      if Instant.now > deadline {
        Issue.record("\(jobs.localJobCount + jobs.waitCount) jobs do not end")
        return
      }
      Threads.sleep(for: .milliseconds(1))
    }
  }

  func runJobs(until isDone: () throws -> Bool) throws {
    try wait {
      takeResults()
      return try isDone()
    }
  }

  /// Handles results until `isDone` returns true, or until none has arrived for some time.
  func settle(until isDone: (() -> Bool)? = nil) {
    var quiet = 0
    while quiet < (isDone == nil ? 15 : 1000), jobs.localJobCount + jobs.waitCount > 0 {
      if isDone?() == true { return }
      awaited += inbox.takeAll()
      quiet = awaited.isEmpty ? quiet + 1 : 0
      takeResults()
      Threads.sleep(for: .milliseconds(1))
    }
  }

  /// Waits for a result, if there are jobs, without handling it.
  func awaitEnd() throws { if jobs.localJobCount + jobs.waitCount > 0 { try awaitResult() } }

  /// Waits for a worker's effect without handling its result.
  func wait(until isDone: () throws -> Bool) throws {
    let deadline = Instant.now.advanced(by: .testLimit)
    while try !isDone() {
      try #require(Instant.now < deadline)
      Threads.sleep(for: .milliseconds(1))
    }
  }

  /// Advances the time, and runs due timers and their jobs.
  func pass(seconds: Int) {
    time.advance(seconds: seconds)
    sink.runDue()
    runJobs()
  }

  func storedToken(_ name: String) throws -> String? {
    try services.record(of: AccountName(name))?.refreshToken.map(\.text)
  }
}
