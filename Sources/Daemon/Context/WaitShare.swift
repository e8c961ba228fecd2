internal import Vocabulary

/// The party whose work waits for others: servers, peers, locks of other processes. Work beyond the share's limit
/// queues behind that of the same share only.
enum WaitShare: Hashable, Sendable {
  /// The refreshes of one account, which its lock keeps apart anyway.
  case refresh(AccountName)
  /// Questions to the server about one account's session.
  case questions(AccountName)
  /// Changes of one account, which wait for its lock.
  case changes(AccountName)
  case signOut(AccountName)
  /// Changes of the settings file, in their order. They wait for its lock, which an editor may hold.
  case settings
  /// Changes of the vault's keys, each of which may need a processor and much memory for seconds.
  case vault
  /// One sign-in, by its number.
  case signIn(UInt64)
  /// The request of one connection, by its number.
  case request(UInt64)

  init(_ ticket: Ticket) { self = .request(ticket.connection) }

  /// Number of jobs that run at the same time.
  var limit: Int {
    switch self {
    case .refresh, .settings: 1
    case .questions, .changes, .signOut, .vault, .signIn, .request: 4
    }
  }
}
