package import Vocabulary

/// The result of a check of every part of a vault.
package struct VaultCheck: Sendable, Hashable {
  /// The result for a slot.
  package enum SlotState: Sendable, Hashable {
    /// It opened automatically.
    case opens
    /// It is well formed; a passphrase or PIN opens it.
    case asks
    /// It was made on another machine, or with another device secret or TPM.
    case foreign
    /// The device secret is missing.
    case deviceSecretMissing
    /// The TPM does not work.
    case unavailable(TPMProblem)
    /// Bytes of it are wrong.
    case damaged
    /// This program does not know its kind.
    case unknown
  }

  /// The result for a record.
  package enum RecordState: Sendable, Hashable {
    /// It opened.
    case opens
    /// Its key is not in memory.
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
  /// In the byte order of the names. They are not authenticated if there is a problem.
  package let records: [Record]
  /// The reason why the vault as a whole does not open; nil if it opens.
  package let problem: VaultError?

  /// Puts a report together.
  package init(slots: [Slot], records: [Record], problem: VaultError?) {
    self.slots = slots
    self.records = records
    self.problem = problem
  }

  /// Whether nothing is wrong. A locked record is not wrong.
  package var isSound: Bool {
    problem == nil && records.allSatisfy { $0.state != .damaged }
      && slots.allSatisfy { $0.state == .opens || $0.state == .asks || $0.state == .unknown }
  }
}
