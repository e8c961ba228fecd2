internal import Crypto
internal import DesktopBus
internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// All accounts and the requests about them. Lives on the loop's thread alone, so it needs no lock:
/// what blocks runs on workers, see ``Jobs``.
final class Hub {
  let services: SessionServices
  let settingsFile: SettingsFile
  private let changes: FileChanges?
  /// What the changes of the settings and the vault were at when the loop last called; nil when they must be
  /// looked at.
  private(set) var seen: UInt64?
  let jobs: Jobs
  /// For requests to resources, which may take as long as they like, and keep nobody else waiting.
  let callers = WorkerPool(mostThreads: Transfer.mostAtOnce)
  let facts: DaemonFacts
  let log: EventLog
  let vaultPath: String
  /// Is listened to once something was unlocked.
  private(set) lazy var wishes: LockWishes = {
    let wish = jobs.messages { [unowned self] (_: Void) in lock(.session) }
    return LockWishes(userID: Machine.userID) { wish(()) }
  }()
  unowned let loop: any Loop

  var accounts: [AccountName: Account] = [:]
  var logins: [UInt64: Login] = [:]
  var lastLogin: UInt64 = 0
  /// How sign-ins in the background ended.
  var ended: [EndedLogin] = []
  var transfers: [Ticket: Transfer] = [:]
  /// Checks of tokens that are under way.
  var verifications: [Ticket: Cancellation] = [:]
  var watches = Watches()
  /// Servers that are left alone for a while.
  var holds = ServerHolds()
  let renewals = Renewals()
  var isNetworkSettling = false
  /// When refreshes were tried last because the network changed.
  var networkTriedAt: Instant?
  /// The daemon is there for one client, and renews nothing that nobody asks for.
  var isAlone = false
  /// What the settings were at when the accounts were found that are always kept fresh.
  var freshAt: UInt64?
  /// How far the machine's clock was from the one that is never set, in unix seconds.
  var clockOffset: Int?
  var locks = LockState()
  var followers = Followers()
  var toldAccounts: ToldAccounts?
  var tokenFiles: [Ticket: TokenFile] = [:]
  var tokenFileStore: TokenFileStore?
  /// Jobs that change the names of accounts, which must not look like accounts that come and go.
  var renamesInFlight = 0
  let commands: CommandDesk
  private(set) var isStopping = false

  init(
    services: SessionServices, settingsFile: SettingsFile, changes: FileChanges?, facts: DaemonFacts, log: EventLog,
    commands: CommandDesk, loop: any Loop, jobs: Jobs
  ) {
    self.services = services
    self.settingsFile = settingsFile
    self.changes = changes
    self.facts = facts
    self.log = log
    self.commands = commands
    vaultPath = services.vault.summary().path
    self.loop = loop
    self.jobs = jobs
    jobs.beforeResult = { [unowned self] in look() }
    log.listener = { [unowned self] entry in tellWatchers(entry) }
    log.sessionListener = { [unowned self] entry in spread(entry) }
    // What the accounts are at the start is no news.
    tellAccounts()
    removeOrphanedTokenFiles()
  }

  /// Notes whether the settings or the vault may have changed; whatever the loop calls begins with this.
  func look() { seen = changes?.look() }

  /// Starts a request; its last line may come at once or much later.
  func handle(_ envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor]) {
    look()
    if let seconds = deadlineSeconds(envelope) {
      loop.setDeadline(loop.now.advanced(by: .seconds(seconds)), of: ticket)
    }
    if envelope.verbose { watch(envelope.request, ticket) }
    do throws(Failure) {
      if isStopping { throw Self.stopping }
      switch envelope.request {
      case .token(let request): try token(request, ticket)
      case .proof(let request): try proof(request, ticket)
      case .whoami(let name): try whoami(name, ticket)
      case .login(let request): try login(request, ticket, passed: passed)
      case .loginRedirect(let request):
        let login = try redirectPasted(request)
        loop.send(.result(JSONObject([("account", .string(login.account.text))])), to: ticket)
      case .loginResume(let request): try resume(request, ticket)
      case .discover(let request): try discover(request, ticket)
      case .logout(let request): try logout(request, ticket)
      case .status(let name, check: false): try survey(.status, name, ticket)
      case .status(let name, check: true): try check(name, ticket)
      case .list: try survey(.list, nil, ticket)
      case .use(let name): try use(name, ticket)
      case .daemonStatus: loop.send(.result(facts.json(time: services.time)), to: ticket)
      case .daemonStop: loop.stop(ticket)
      case .daemonLog: loop.send(.result(log.json), to: ticket)
      case .account(let request): try manage(request, ticket, passed: passed)
      case .call(let request):
        try call(request, ticket, timeoutSeconds: envelope.timeoutSeconds, passed: passed)
      case .verify(let request):
        try verify(request, ticket, hasDeadline: envelope.timeoutSeconds != nil, passed: passed)
      case .vault(let request): try vault(request, ticket, passed: passed)
      case .events(let request): try events(request, ticket)
      case .tokenFile(let request): try tokenFile(request, ticket)
      }
    } catch {
      loop.send(.failure(error), to: ticket)
    }
  }

  /// Whether the request that is answered is a sign-in, to which more may be said.
  func awaitsMore(_ ticket: Ticket) -> Bool { logins.values.contains { $0.ticket == ticket } }

  /// Whether a request that comes while another one is answered belongs to that one: the address that a sign-in
  /// waits for. A refusal is told as an event then.
  func handleBeside(_ request: Request, _ ticket: Ticket) -> Bool {
    guard case .loginRedirect(let request) = request,
      logins.values.contains(where: { $0.ticket == ticket && $0.isNamed(request.login) })
    else { return false }
    look()
    do throws(Failure) {
      _ = try redirectPasted(request)
    } catch {
      loop.send(.event(.redirectRefused(error)), to: ticket)
    }
    return true
  }

  /// A sign-in without a deadline of its own ends with its code, a stop with the work in hand; what is followed
  /// or kept fresh has no end.
  private func deadlineSeconds(_ envelope: RequestEnvelope) -> Int? {
    switch envelope.request {
    case .login, .loginResume, .daemonStop, .tokenFile: envelope.timeoutSeconds
    case .events(let events) where events.follow: envelope.timeoutSeconds
    default: (envelope.timeoutSeconds ?? WireProtocol.defaultTimeoutSeconds) + envelope.request.waitSeconds
    }
  }

  /// No new work; sign-ins that nobody approved yet are given up.
  func stop() {
    isStopping = true
    log.note(.stopping)
    for login in logins.values where login.approval.giveUp() {
      conclude(login, .failure(Failure(.cancelled, "the daemon is stopping")))
      end(login)
    }
    endTransfers(Failure(.cancelled, "the daemon is stopping"))
    endVerifications()
    endFollowers()
    endTokenFiles()
  }

  /// The request is over for its sender: the connection closed or its time is up.
  func abandon(_ ticket: Ticket) {
    watches.end(ticket)
    followers.end(ticket)
    if let file = tokenFiles[ticket] { end(file) }
    for account in accounts.values.flatMap(\.all) { account.waiters.removeAll { $0.ticket == ticket } }
    for login in logins.values where login.ticket == ticket {
      if login.event != nil, login.isDetached { login.ticket = .nobody } else { end(login) }
    }
    if let transfer = transfers[ticket] { end(transfer) }
    endVerifications(of: ticket)
  }

  func due(_ event: TimerEvent) {
    look()
    switch event {
    case .refreshRetry(let name, let target, let generation, let attempt):
      retryDue(name, target, generation, attempt)
    case .attention(let name, let target): attend(name, target)
    case .waitOver(let name, let target): waitOver(name, target)
    case .transfer(let ticket): transferDue(ticket)
    case .networkChanged: retryAfterNetworkChange()
    case .devicePoll(let id): pollDue(id)
    case .signInExpiry(let id): loginExpired(id)
    case .idleLock: idleLockDue()
    case .tokenFile(let ticket): tokenFileDue(ticket)
    case .housekeeping, .stopDeadline: break
    }
  }
}

extension Hub {
  /// The settings now on disk.
  func settings() throws(Failure) -> Settings {
    let settings: Settings
    do { settings = try settingsFile.current(seen: seen) } catch { throw Failure(error) }
    tellAccounts(settings)
    return settings
  }

  /// The account that a request means, under its settings now on disk.
  func resolve(_ name: String?) throws(Failure) -> Account {
    let settings = try settings()
    let meant = name.map { try? AccountName($0) } ?? settings.active
    if let meant, let account = accounts[meant], account.settingsRevision == settingsFile.revision { return account }
    guard let asked = name ?? settings.active?.text else {
      if settings.accounts.isEmpty { throw Failure(.noAccount(name: nil), account: nil) }
      throw Failure(.noAccount, "no account is the active one", hint: "agent use NAME")
    }
    guard let account = try? AccountName(asked), let configuration = settings[account] else {
      throw Failure(.noAccount(name: asked), account: nil)
    }
    return self.account(account, configuration)
  }

  /// The live account; settings that changed since its token was got make it prove itself again.
  func account(_ name: AccountName, _ configuration: AccountConfiguration) -> Account {
    guard let account = accounts[name] else {
      let account = Account(name: name, configuration: configuration)
      account.settingsRevision = settingsFile.revision
      accounts[name] = account
      return account
    }
    if account.configuration != configuration {
      log.note(.settingsChanged(.outside), name)
      adopt(configuration, account)
    }
    account.settingsRevision = settingsFile.revision
    return account
  }

  /// Goes on under other settings.
  func adopt(_ configuration: AccountConfiguration, _ account: Account) {
    if configuration.differsOnlyInRefreshPolicy(from: account.configuration) {
      for line in account.all {
        line.configuration = configuration
        schedule(line)
      }
      return
    }
    account.configuration = configuration
    // A refresh under way goes on, for what it brings replaces the refresh token that it has sent: its token is not
    // used any more, but its record is written, and the next refresh waits for that.
    account.session.forgetToken()
    restartForWaiters(account)
    renewTokenFiles(of: account.name)
  }

  private func use(_ name: String, _ ticket: Ticket) throws(Failure) {
    let account = try resolve(name)
    do {
      _ = try settingsFile.change { (settings) throws(ConfigurationError) in settings.activate(account.name) }
    } catch {
      throw Failure(error)
    }
    log.note(.settingsChanged(.activated), account.name)
    tellAccounts()
    loop.send(.result(JSONObject([("account", .string(account.name.text))])), to: ticket)
  }
}
