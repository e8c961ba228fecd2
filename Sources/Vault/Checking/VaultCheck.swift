package struct VaultCheck: Sendable, Hashable {
  /// Whether a slot opens, and why not.
  package enum SlotState: Sendable, Hashable {
    case opens
    /// Well-formed, but needs a passphrase or PIN.
    case needsSecret
    /// Belongs to another machine, device secret or TPM.
    case foreign
    /// `device.key`, which the slot requires, is missing.
    case deviceSecretMissing
    /// The TPM does not work at present.
    case unavailable(TPMProblem)
    case damaged
    case unknown
  }

  /// Whether a record opens, and why not.
  package enum RecordState: String, Sendable {
    case opens
    /// The record's key is not in memory.
    case locked
    case damaged
  }

  package struct Slot: Sendable, Hashable {
    package let summary: SlotSummary
    package let state: SlotState
  }

  package struct Record: Sendable, Hashable {
    package let account: AccountName
    package let protection: Protection
    package let state: RecordState
  }

  /// Ordered by number.
  package let slots: [Slot]
  /// Ordered by name, bytewise. Not authenticated if there is a ``problem``.
  package let records: [Record]
  /// Why the vault does not open, if so.
  package let problem: VaultError?

  /// Whether there are no problems. Ignores locked records, and slots that need a secret or are unknown.
  package var isSound: Bool {
    problem == nil && records.allSatisfy { $0.state != .damaged }
      && slots.allSatisfy { $0.state == .opens || $0.state == .needsSecret || $0.state == .unknown }
  }
}
