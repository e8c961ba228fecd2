internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// What happens to sessions and accounts, told to those who follow it and to the commands of the settings.
extension Hub {
  func events(_ request: EventsRequest, _ ticket: Ticket) throws(Failure) {
    let account = try request.account.map { (name) throws(Failure) in try resolve(name).name }
    guard request.follow else { return loop.send(.result(log.sessionJSON(of: account)), to: ticket) }
    guard followers.begin(ticket, about: account) else {
      throw Failure(.tooBusy, "\(Followers.most) commands follow the events already", hint: "end one of them")
    }
    loop.send(.event(.following), to: ticket)
  }

  /// Passes an entry on; see ``EventLog/sessionListener``.
  func spread(_ entry: SessionEntry) {
    adaptTokenFiles(to: entry)
    for ticket in followers.tickets(for: entry) { loop.send(.event(.session(entry)), to: ticket) }
    runCommands(for: entry)
  }

  /// Whoever follows is told that there will be no more.
  func endFollowers() {
    for ticket in followers.endAll() { loop.send(.failure(Self.stopping), to: ticket) }
  }

  static let stopping = Failure(.daemonUnavailable, "the daemon is stopping", hint: "try again")

  // MARK: Accounts

  /// What was told last of the accounts.
  struct ToldAccounts {
    var revision: UInt64
    var names: [AccountName]
    var active: AccountName?
  }

  /// Tells how the accounts differ from what was told last, if they do.
  func tellAccounts(_ settings: Settings) {
    guard toldAccounts?.revision != settingsFile.revision, renamesInFlight == 0 else { return }
    let before = toldAccounts
    let names = settings.accounts.map(\.name)
    toldAccounts = ToldAccounts(revision: settingsFile.revision, names: names, active: settings.active)
    lookAtIdleTime(settings)
    guard let before else { return }
    let (old, new) = (Set(before.names), Set(names))
    for name in before.names where !new.contains(name) { log.tell(.accountRemoved, name) }
    for name in names where !old.contains(name) { log.tell(.accountAdded, name) }
    if before.active != settings.active { log.tell(.activeChanged, settings.active) }
  }

  /// The settings were changed by this daemon.
  func tellAccounts() {
    if let settings = try? settings() { tellAccounts(settings) }
  }

  /// An account has another name, which is not the same as that one went and another came.
  func tellRenamed(_ old: AccountName, to new: AccountName) {
    followers.rename(old, to: new)
    toldAccounts?.names.removeAll { $0 == old }
    toldAccounts?.names.append(new)
    log.tell(.accountRenamed(from: old.text), new)
    tellAccounts()
  }

  // MARK: Sessions

  /// Changes what was told of an account, and tells what comes of that.
  func tell(of name: AccountName, _ change: (inout AccountNews) -> [SessionEvent]) {
    guard let account = accounts[name] else { return }
    for event in change(&account.news) { log.tell(event, name) }
  }

  /// How a refresh ended.
  func tellRefresh(of account: Account, _ aftermath: Session.Aftermath) {
    switch aftermath {
    case .ignored, .retry: break
    case .renewed(let grant): if account.target == nil { tell(of: account.name) { $0.renewed(grant) } }
    case .failed(let error):
      // A token with another target may be refused for what it is; only the end of the grant says something of all.
      guard account.target == nil || SessionEvent.SignOutCause(error) == .expired else { return }
      tell(of: account.name) { $0.failed(error) }
    }
  }
}
