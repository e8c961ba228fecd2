internal import Encoding
internal import Sessions
internal import Vault
internal import Wire

/// The result of `vault status`.
struct VaultReport: Sendable {
  /// A level with a key slot.
  struct Level: Sendable {
    let protection: Protection
    let isLocked: Bool
    let accounts: [AccountName]
  }

  private let summary: VaultSummary
  private let slots: [SlotSummary]
  private let levels: [Level]
  /// Slots whose passphrase or PIN a rotation needs.
  private let slotsThatNeedSecrets: [Int]
  /// The first error while reading, other than a lock.
  private let problem: VaultError?
  private let lockAfterSeconds: Int

  /// Reads the vault, omitting unreadable parts. Blocking.
  init(_ services: SessionServices, lockAfterSeconds: Int) {
    let vault = services.vault
    summary = vault.summary()
    self.lockAfterSeconds = lockAfterSeconds
    var problem: VaultError?
    slots = Self.catchFirstError(in: &problem) { () throws(VaultError) in try vault.slots() } ?? []
    let accounts: [(AccountName, Protection)] =
      Self.catchFirstError(in: &problem) { () throws(VaultError) in
        try vault.protections().map { ($0.account, $0.protection) }
      } ?? []
    slotsThatNeedSecrets = (try? vault.slotsThatNeedSecrets().map(\.number)) ?? []
    let opened = Set(slots.map(\.protection))
    levels = Protection.allCases.filter { opened.contains($0) }.map { level in
      Level(
        protection: level,
        isLocked: services.gate.isClosed(level)
          || (level == .device ? Self.isLocked(problem) : !vault.isUnlocked(level)),
        accounts: accounts.filter { $0.1 == level }.map(\.0))
    }
    self.problem = Self.isLocked(problem) ? nil : problem
  }

  /// Whether only a passphrase makes the vault readable.
  private static func isLocked(_ problem: VaultError?) -> Bool { problem?.code == .locked(.device) }

  /// Returns nil on an error, and sets `problem` unless set.
  private static func catchFirstError<Value>(in problem: inout VaultError?, _ body: () throws(VaultError) -> Value)
    -> Value?
  {
    do throws(VaultError) {
      return try body()
    } catch {
      problem = problem ?? error
      return nil
    }
  }

  var json: JSONObject {
    var object = summary.json
    object["slots"] = .array(
      slots.map { slot in
        var json = slot.json
        if slotsThatNeedSecrets.contains(slot.number) { json["needs_secret"] = true }
        return .object(json)
      })
    object["levels"] = .array(
      levels.map { level in
        [
          "protection": .string(level.protection.rawValue), "locked": .bool(level.isLocked),
          "accounts": .array(level.accounts.map { .string($0.text) }),
        ]
      })
    object["lock_after"] = .int(lockAfterSeconds)
    object["problem"] = problem.map { Failure($0, account: nil).json }
    return object
  }
}

extension SlotSummary {
  /// `{"slot","kind","protection"}`.
  var json: JSONObject {
    JSONObject([
      ("slot", .int(number)), ("kind", .string(name)), ("protection", .string(protection.rawValue)),
    ])
  }
}

extension VaultSummary {
  /// `{"path","exists","device_bound","binding","binding_problem"}`.
  var json: JSONObject {
    var object = JSONObject([
      ("path", .string(path)), ("exists", .bool(exists)), ("device_bound", .bool(isDeviceBound)),
    ])
    object["binding"] = binding.map { .string($0) }
    object["binding_problem"] = bindingProblem.map { .string($0) }
    return object
  }

  /// What unlocks the vault without the user: `tpm2` or `host`. Nil for nothing.
  private var binding: String? {
    let kinds = slots.filter { $0.protection == .device }.compactMap(\.kind)
    return [SlotKind.tpm2, .host].first { kinds.contains($0) }?.name
  }

  /// Why the TPM is unusable. Nil if used or usable.
  private var bindingProblem: String? {
    binding == SlotKind.tpm2.name ? nil : tpmProblem?.message
  }
}

extension VaultCheck {
  /// `{"sound","slots","accounts","problem"}`.
  var json: JSONObject {
    var object = JSONObject([("sound", .bool(isSound))])
    object["slots"] = .array(
      slots.map { slot in
        var json = slot.summary.json
        json["state"] = .string(slot.state.wireName)
        return .object(json)
      })
    object["accounts"] = .array(
      records.map { record in
        [
          "account": .string(record.account.text), "protection": .string(record.protection.rawValue),
          "state": .string(record.state.rawValue),
        ]
      })
    object["problem"] = problem.map { Failure($0, account: nil).json }
    return object
  }

  static let resultWithoutVault = JSONObject([("sound", true), ("slots", .array([])), ("accounts", .array([]))])
}

extension VaultCheck.SlotState {
  fileprivate var wireName: String {
    switch self {
    case .opens: "opens"
    case .needsSecret: "asks"
    case .foreign: "foreign"
    case .deviceSecretMissing: "secret_missing"
    case .unavailable: "unavailable"
    case .damaged: "damaged"
    case .unknown: "unknown"
    }
  }
}
