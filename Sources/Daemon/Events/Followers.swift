internal import Vault
internal import Wire

/// The requests whose senders are told all that happens to sessions and accounts. Used on the loop only.
struct Followers {
  static let most = 32

  /// The account that each of them is about; nil for all.
  private var subjects: [Ticket: AccountName?] = [:]

  var count: Int { subjects.count }

  /// False when there are too many.
  mutating func begin(_ ticket: Ticket, about account: AccountName?) -> Bool {
    guard subjects.count < Self.most else { return false }
    subjects[ticket] = .some(account)
    return true
  }

  mutating func end(_ ticket: Ticket) {
    if !subjects.isEmpty { subjects[ticket] = nil }
  }

  /// All of them, who are none any more.
  mutating func endAll() -> [Ticket] {
    defer { subjects = [:] }
    return Array(subjects.keys)
  }

  /// The account has another name now.
  mutating func rename(_ old: AccountName, to new: AccountName) {
    for (ticket, subject) in subjects where subject == old { subjects[ticket] = .some(new) }
  }

  /// Who is to be told of an entry.
  func tickets(for entry: SessionEntry) -> [Ticket] {
    subjects.compactMap { ticket, subject in subject.map { entry.concerns($0.text) } ?? true ? ticket : nil }
  }
}
