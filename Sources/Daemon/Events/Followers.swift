internal import Wire

/// The requests that follow events of sessions and accounts, or of leases.
struct Followers {
  static let maximumCount = 32

  private var followedEvents: [Ticket: FollowedEvents] = [:]

  enum FollowedEvents: Equatable {
    /// Of one account, or of all if nil.
    case sessions(of: AccountName?)
    case leases
  }

  var count: Int { followedEvents.count }

  /// Returns false if there are ``maximumCount`` requests.
  mutating func add(_ ticket: Ticket, _ subject: FollowedEvents) -> Bool {
    guard followedEvents.count < Self.maximumCount else { return false }
    followedEvents[ticket] = subject
    return true
  }

  mutating func remove(_ ticket: Ticket) {
    if !followedEvents.isEmpty { followedEvents[ticket] = nil }
  }

  mutating func removeAll() -> [Ticket] {
    defer { followedEvents = [:] }
    return Array(followedEvents.keys)
  }

  mutating func rename(_ old: AccountName, to new: AccountName) {
    for (ticket, subject) in followedEvents where subject == .sessions(of: old) {
      followedEvents[ticket] = .sessions(of: new)
    }
  }

  func tickets(for entry: SessionEntry) -> [Ticket] {
    followedEvents.compactMap { ticket, subject in
      guard case .sessions(let account) = subject else { return nil }
      return account.map { entry.concerns($0.text) } ?? true ? ticket : nil
    }
  }

  var ticketsForLeases: [Ticket] { followedEvents.compactMap { $0.value == .leases ? $0.key : nil } }
}
