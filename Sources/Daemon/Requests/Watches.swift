internal import Synchronization
internal import Vault
internal import Wire

/// The requests whose senders are told what is done for them. Used on the loop only, but for
/// ``Attention``.
struct Watches {
  /// Whether anybody is to be told; workers look at it before they tell anything.
  final class Attention: Sendable {
    private let isWanted = Atomic<Bool>(false)

    var isPaid: Bool { isWanted.load(ordering: .relaxed) }

    fileprivate func pay(_ wanted: Bool) { isWanted.store(wanted, ordering: .relaxed) }
  }

  let attention = Attention()

  /// The account that each of them is about; nil for all.
  private var subjects: [Ticket: AccountName?] = [:] {
    didSet { attention.pay(!subjects.isEmpty) }
  }

  var isEmpty: Bool { subjects.isEmpty }

  mutating func begin(_ ticket: Ticket, about account: AccountName?) { subjects[ticket] = .some(account) }

  /// What a request is about was found out.
  mutating func narrow(_ ticket: Ticket, to account: AccountName) {
    if subjects[ticket] != nil { subjects[ticket] = .some(account) }
  }

  /// The request was answered, or is given up.
  mutating func end(_ ticket: Ticket) {
    if !subjects.isEmpty { subjects[ticket] = nil }
  }

  /// Who is to be told of an entry.
  func tickets(for entry: LogEntry) -> [Ticket] {
    guard let account = entry.account else { return [] }
    return subjects.compactMap { ticket, subject in
      subject.map { $0.text.utf8.elementsEqual(account.utf8) } ?? true ? ticket : nil
    }
  }
}
