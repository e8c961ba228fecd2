internal import Wire

/// The requests that follow events of sessions and accounts, or of leases.
struct Followers {
  static let maximumCount = 32

  /// The followed events of each request.
  private var subjects: [Ticket: Subject] = [:]

  enum Subject: Equatable {
    /// Events of one account, or of all accounts if nil.
    case sessions(of: AccountName?)
    /// Events of all leases.
    case leases
  }

  var count: Int { subjects.count }

  /// Adds a request. Returns false if ``maximumCount`` requests already follow.
  mutating func begin(_ ticket: Ticket, _ subject: Subject) -> Bool {
    guard subjects.count < Self.maximumCount else { return false }
    subjects[ticket] = subject
    return true
  }

  mutating func end(_ ticket: Ticket) {
    if !subjects.isEmpty { subjects[ticket] = nil }
  }

  /// Removes all requests and returns them.
  mutating func endAll() -> [Ticket] {
    defer { subjects = [:] }
    return Array(subjects.keys)
  }

  mutating func rename(_ old: AccountName, to new: AccountName) {
    for (ticket, subject) in subjects where subject == .sessions(of: old) { subjects[ticket] = .sessions(of: new) }
  }

  /// Returns the requests that receive an entry.
  func tickets(for entry: SessionEntry) -> [Ticket] {
    subjects.compactMap { ticket, subject in
      guard case .sessions(let account) = subject else { return nil }
      return account.map { entry.concerns($0.text) } ?? true ? ticket : nil
    }
  }

  var ticketsForLeases: [Ticket] { subjects.compactMap { $0.value == .leases ? $0.key : nil } }
}
