internal import Sessions
internal import Vault
internal import Wire

/// Sends the steps of what is done to the senders of requests who asked for them.
final class StepReports: DaemonPart {
  let context: DaemonContext
  private let signIns: SignIns

  init(_ context: DaemonContext, _ signIns: SignIns) {
    self.context = context
    self.signIns = signIns
    log.listener = { [unowned self] entry in sendSteps(entry) }
  }

  /// From now on the sender of this request is told all that happens to the account that it is about.
  func begin(_ request: Request, _ ticket: Ticket) {
    guard let settings = try? settings() else { return }
    let name: AccountName?
    switch request {
    case .login(let login): name = (try? LoginSettings(login, settings))?.account
    case .loginResume(let resumed):
      // One that ended has nothing more to tell.
      guard let login = signIns.login(named: resumed.login) else { return }
      name = login.account
    // Nothing is done for any account yet.
    case .discover: return
    case .logout(let logout) where logout.all: name = nil
    // Which account it is about is found out later.
    case .call(let call) where call.account == nil: name = nil
    case .status(nil, check: _), .list, .daemonStatus, .daemonStop, .daemonLog, .vault: name = nil
    default: name = request.account.flatMap { try? AccountName($0) } ?? settings.active
    }
    context.watches.begin(ticket, about: name)
  }

  private func sendSteps(_ entry: LogEntry) {
    guard !context.watches.isEmpty else { return }
    for ticket in context.watches.tickets(for: entry) { loop.send(.event(.progress(entry)), to: ticket) }
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
