/// What a look at every part of a vault has found.
package struct VaultCheck: Sendable, Hashable {
  /// What became of a slot.
  package enum SlotState: Sendable, Hashable {
    /// It opened by itself.
    case opens
    /// Its form is right; a passphrase or PIN opens it.
    case asks
    /// It was made on another machine, or with another device secret or TPM.
    case foreign
    /// The device secret is gone.
    case deviceSecretMissing
    /// The TPM cannot be asked.
    case unavailable(TPMProblem)
    /// Bytes of it are wrong.
    case damaged
    /// This program does not know its kind.
    case unknown
  }

  /// What became of a record.
  package enum RecordState: Sendable, Hashable {
    /// It opened.
    case opens
    /// The key that it needs is not in memory.
    case locked
    /// Bytes of it are wrong.
    case damaged
  }

  /// A slot.
  package struct Slot: Sendable, Hashable {
    package let summary: SlotSummary
    package let state: SlotState

    package init(_ summary: SlotSummary, _ state: SlotState) {
      self.summary = summary
      self.state = state
    }
  }

  /// A record.
  package struct Record: Sendable, Hashable {
    package let account: AccountName
    package let protection: Protection
    package let state: RecordState

    package init(_ account: AccountName, _ protection: Protection, _ state: RecordState) {
      self.account = account
      self.protection = protection
      self.state = state
    }
  }

  /// In the order of their numbers.
  package let slots: [Slot]
  /// In the byte order of the names. Nobody vouches for them when there is a problem.
  package let records: [Record]
  /// Why the vault as a whole does not open; nil when it does.
  package let problem: VaultError?

  /// Puts a report together.
  package init(slots: [Slot], records: [Record], problem: VaultError?) {
    self.slots = slots
    self.records = records
    self.problem = problem
  }

  /// Whether nothing is wrong. What is locked is not wrong.
  package var isSound: Bool {
    problem == nil && records.allSatisfy { $0.state != .damaged }
      && slots.allSatisfy { $0.state == .opens || $0.state == .asks || $0.state == .unknown }
  }
}
