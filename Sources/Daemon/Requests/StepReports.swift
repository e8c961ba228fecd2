internal import Peers
internal import Sessions
internal import Vocabulary
internal import Wire

/// Sends progress steps to the requests that asked for them.
final class StepReports: DaemonPart {
  private let signIns: SignIns

  init(_ context: DaemonContext, _ signIns: SignIns) {
    self.signIns = signIns
    super.init(context)
  }

  /// Begins sending steps to a request: those of its account, or of all accounts.
  func begin(_ request: Request, _ ticket: Ticket) {
    guard let settings = try? settings() else { return }
    let name: AccountName?
    switch request {
    case .login(let login): name = (try? LoginSettings(login, settings))?.account
    case .loginResume(let resumed):
      guard let login = signIns.login(named: resumed.login) else { return }
      name = login.account
    case .discover: return
    default:
      name =
        switch request.row.subject {
        case .account(let text): (try? AccountName(text)) ?? settings.active
        case .activeAccount: settings.active
        case .listingAccount, .any: nil
        }
    }
    context.watches.begin(ticket, about: name)
  }

  /// Sends a progress step to the requests about its account.
  func send(_ entry: LogEntry) {
    for ticket in context.watches.tickets(for: entry) { loop.send(.event(.progress(entry.line)), to: ticket) }
  }
}
