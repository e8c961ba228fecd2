internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// What is told to those who asked to know what is done for them, and why.
extension Hub {
  /// From now on the sender of this request is told all that happens to the account that it is about.
  func watch(_ request: Request, _ ticket: Ticket) {
    guard let settings = try? settings() else { return }
    let name: AccountName?
    switch request {
    case .login(let login): name = (try? LoginSettings(login, settings))?.account
    case .loginResume(let resumed):
      // One that ended has nothing more to tell.
      guard let login = login(named: resumed.login) else { return }
      name = login.account
    // Nothing is done for any account yet.
    case .discover: return
    case .logout(let logout) where logout.all: name = nil
    // Which account it is about is found out later.
    case .call(let call) where call.account == nil: name = nil
    case .status(nil, check: _), .list, .daemonStatus, .daemonStop, .daemonLog, .vault: name = nil
    default: name = request.account.flatMap { try? AccountName($0) } ?? settings.active
    }
    watches.begin(ticket, about: name)
  }

  func tellWatchers(_ entry: LogEntry) {
    guard !watches.isEmpty else { return }
    for ticket in watches.tickets(for: entry) { loop.send(.event(.progress(entry)), to: ticket) }
  }

  /// Tells a step, if anybody wants to know.
  func step(_ step: @autoclosure () -> LogStep, _ account: AccountName) {
    if !watches.isEmpty { log.note(.step(step()), account) }
  }

  /// The services for an operation on an account, whose steps and warnings come back to the loop before its result does.
  func services(for account: AccountName) -> SessionServices {
    let note = jobs.messages { [log] (event: LogEvent) in log.note(event, account) }
    return services.observed { [attention = watches.attention] step in
      if let notice = LogEvent(noticeOf: step) { return note(notice) }
      guard attention.isPaid, let step = LogStep(step) else { return }
      note(.step(step))
    }
  }

  /// A question to the server about a session.
  func question(_ account: Account, _ grant: AccessGrant) -> ServerQuestion {
    ServerQuestion(
      account: account.name, configuration: account.configuration, grant: grant, services: services(for: account.name),
      cancellation: (accounts[account.name] ?? account).questions)
  }

  /// Tells why a caller gets what it gets.
  func explain(_ decision: Session.Decision, for waiter: Account.Waiter, _ account: Account, _ now: Instant) {
    guard !watches.isEmpty else { return }
    switch decision {
    case .fail: break
    case .wait(start: nil): step(.refreshJoined, account.name)
    case .wait(start: .some):
      step(.refreshNeeded(Self.reason(for: waiter, account.session.grant, now)), account.name)
    case .serve(let grant):
      if account.session.isOffline { step(.servedOffline, account.name) }
      step(.tokenServed(secondsLeft: grant.remaining(at: now).map { Int($0.components.seconds) }), account.name)
    }
  }

  private static func reason(
    for waiter: Account.Waiter, _ grant: AccessGrant?, _ now: Instant
  ) -> LogStep.RefreshReason {
    let need = waiter.need
    if need.forceRefresh {
      switch waiter.purpose {
      case .whoami, .check, .resource: return .refused
      case .token, .proof, .exchange, .file: return .asked
      }
    }
    if grant != nil, need.newerThan != nil { return .asked }
    guard let grant, let left = grant.remaining(at: now) else { return .noToken }
    let wanted =
      need.minimumValiditySeconds
      ?? Int((RefreshPolicy.usualValidity(ofLifetime: grant.lifetimeSeconds) + .milliseconds(999)).components.seconds)
    return .ending(secondsLeft: max(0, Int(left.components.seconds)), secondsWanted: wanted)
  }
}

extension Request {
  /// The account that is named; nil when none is, or for a sign-in, which may set it up.
  fileprivate var account: String? {
    switch self {
    case .token(let token): token.account
    case .logout(let logout): logout.account
    case .status(let account, check: _), .whoami(let account): account
    case .use(let account): account
    case .events(let request): request.account
    case .tokenFile(let request): request.account
    case .account(let request): request.account
    case .call(let call): call.account
    case .proof(let proof): proof.account
    case .verify(let request): request.account
    case .login, .loginRedirect, .loginResume, .discover, .list, .daemonStatus, .daemonStop, .daemonLog,
      .vault:
      nil
    }
  }
}
