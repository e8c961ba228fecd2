internal import Encoding
internal import Synchronization
internal import Wire

/// The requests that receive progress steps. Used on the loop only, except ``Flag``.
struct StepSubscribers {
  /// A Boolean that workers may read.
  final class Flag: Sendable {
    private let value = Atomic<Bool>(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    fileprivate func set(_ isSet: Bool) { value.store(isSet, ordering: .relaxed) }
  }

  /// Set while any request receives steps. Workers check it before sending one.
  let anyRequestFlag = Flag()

  /// The account of each request. Nil for all accounts.
  private var subjects: [Ticket: AccountName?] = [:] {
    didSet { anyRequestFlag.set(!subjects.isEmpty) }
  }

  var isEmpty: Bool { subjects.isEmpty }

  mutating func add(_ ticket: Ticket, about account: AccountName?) { subjects[ticket] = .some(account) }

  /// Limits a request to one account's steps, once known.
  mutating func narrow(_ ticket: Ticket, to account: AccountName) {
    if subjects[ticket] != nil { subjects[ticket] = .some(account) }
  }

  mutating func remove(_ ticket: Ticket) {
    if !subjects.isEmpty { subjects[ticket] = nil }
  }

  func tickets(for entry: LogEntry) -> [Ticket] {
    guard let account = entry.account else { return [] }
    return subjects.compactMap { ticket, subject in
      subject.map { $0.text.hasSameBytes(as: account) } ?? true ? ticket : nil
    }
  }
}
