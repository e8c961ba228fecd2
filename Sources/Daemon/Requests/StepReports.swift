internal import Sessions
internal import Vault
internal import Vocabulary
internal import Wire

/// Sends each step of the work to the requests that asked for steps.
final class StepReports: DaemonPart {
  private let signIns: SignIns

  init(_ context: DaemonContext, _ signIns: SignIns) {
    self.signIns = signIns
    super.init(context)
    log.listener = { [unowned self] entry in sendSteps(entry) }
  }

  /// Starts sending the steps of the requested account to this request.
  func begin(_ request: Request, _ ticket: Ticket) {
    guard let settings = try? settings() else { return }
    let name: AccountName?
    switch request {
    case .login(let login): name = (try? LoginSettings(login, settings))?.account
    case .loginResume(let resumed):
      // A sign-in that has ended has no further steps.
      guard let login = signIns.login(named: resumed.login) else { return }
      name = login.account
    // Discovery concerns no account.
    case .discover: return
    case .logout(let logout) where logout.all: name = nil
    // The resource's origin determines the account later.
    case .call(let call) where call.account == nil: name = nil
    case .token(let token) where token.account == nil && token.place != nil: name = nil
    case .forget(let request) where request.account == nil: name = nil
    case .assumeRole(let request) where request.account == nil: name = nil
    case .status(nil, check: _), .doctor(nil), .list, .daemonStatus, .daemonStop, .daemonLog, .vault, .leaseStatus,
      .variables, .screenEnvironment:
      name = nil
    default: name = request.account.flatMap { try? AccountName($0) } ?? settings.active
    }
    context.watches.begin(ticket, about: name)
  }

  private func sendSteps(_ entry: LogEntry) {
    for ticket in context.watches.tickets(for: entry) { loop.send(.event(.progress(entry)), to: ticket) }
  }
}

extension Request {
  /// The account that is named; nil when none is, or for a sign-in, which may set it up.
  fileprivate var account: String? {
    switch self {
    case .token(let token): token.account
    case .forget(let request): request.account
    case .assumeRole(let request): request.account
    case .logout(let logout): logout.account
    case .status(let account, check: _), .doctor(let account), .whoami(let account, verified: _): account
    case .use(let account): account
    case .events(let request): request.account
    case .tokenFile(let request): request.account
    case .account(let request): request.account
    case .call(let call): call.account
    case .proof(let proof): proof.account
    case .verify(let request): request.account
    case .lease(let request): request.account
    case .login, .loginRedirect, .loginConfirm, .loginResume, .discover, .list, .daemonStatus, .daemonStop,
      .daemonLog, .vault, .leaseAnswer, .leaseStatus, .resourceBody, .variables, .screenEnvironment:
      nil
    }
  }
}
