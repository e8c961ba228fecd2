internal import OAuth
internal import Wire

/// A group of jobs that wait for servers, peers or processes. Jobs beyond its limit delay no other group (invariant:
/// fair shares).
enum WaitShare: Hashable, Sendable {
  case refresh(AccountName)
  /// Requests to the server about one account's session.
  case questions(AccountName)
  /// Exchanges of one account's token for other targets.
  case exchanges(AccountName)
  /// One account's roles at one service.
  case roles(AccountName, Endpoint)
  /// Cleanup at one account's server, such as after incomplete sign-ins.
  case cleanup(AccountName)
  /// Changes of one account, waiting for its lock.
  case changes(AccountName)
  case signOut(AccountName)
  /// Changes of the settings file, in order, waiting for its lock.
  case settings
  /// Changes of the vault's keys, which may need much memory.
  case vault
  /// One sign-in, by its number.
  case signIn(UInt64)
  /// The request of the connection with this number.
  case request(UInt64)
  /// All accounts at one ``AccountConfiguration/serverIdentifier``. The limit depends on the number of threads.
  case server(String)

  init(_ ticket: Ticket) { self = .request(ticket.connection) }

  /// The account whose tokens the work may spend.
  var account: AccountName? {
    switch self {
    case .refresh(let name), .exchanges(let name), .cleanup(let name), .changes(let name), .signOut(let name): name
    case .questions, .roles, .settings, .vault, .signIn, .request, .server: nil
    }
  }

  /// Whether the work has its own time limit, short enough for shutdown.
  var hasShortTimeLimit: Bool { if case .signOut = self { true } else { false } }

  /// How many of this group's jobs run at once.
  var limit: Int {
    switch self {
    case .refresh, .settings: 1
    case .server: .max
    case .questions, .exchanges, .roles, .cleanup, .changes, .signOut, .vault, .signIn, .request: 4
    }
  }
}
