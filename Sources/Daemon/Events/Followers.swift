internal import Vault
internal import Vocabulary
internal import Wire

/// The requests that follow the events of sessions and accounts. Used on the loop only.
struct Followers {
  static let most = 32

  /// The account that each request follows; nil for all.
  private var subjects: [Ticket: AccountName?] = [:]

  var count: Int { subjects.count }

  /// Returns false if ``most`` requests follow already.
  mutating func begin(_ ticket: Ticket, about account: AccountName?) -> Bool {
    guard subjects.count < Self.most else { return false }
    subjects[ticket] = .some(account)
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

  /// Applies a change of an account's name.
  mutating func rename(_ old: AccountName, to new: AccountName) {
    for (ticket, subject) in subjects where subject == old { subjects[ticket] = .some(new) }
  }

  /// Returns the requests that receive an entry.
  func tickets(for entry: SessionEntry) -> [Ticket] {
    subjects.compactMap { ticket, subject in subject.map { entry.concerns($0.text) } ?? true ? ticket : nil }
  }
}
