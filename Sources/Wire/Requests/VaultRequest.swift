/// Manages the vault.
package enum VaultRequest: RequestBody {
  /// Returns slots and levels without opening anything.
  case status

  /// Wipes unlocked keys, and the tokens of their accounts, from memory.
  case lock

  /// Unlocks a level. Descriptor: the passphrase or PIN.
  case unlock(Protection)

  /// Creates a level's missing key and leaves it unlocked. Descriptor: the passphrase or PIN.
  case create(Protection)

  /// Adds an automatic slot for this device; nil for the daemon's choice.
  case bind(VaultBinding?)

  /// Adds a passphrase to an unlocked level. Descriptor: the passphrase.
  case addPassphrase(Protection)

  /// Descriptors: a level's old passphrase or PIN, then the new one.
  case changePassphrase(Protection)

  case removeSlot(Int)

  /// Generates new keys. Descriptors: the secrets of these slots.
  case rotateKey(slots: [Int])

  /// Rebinds a vault that no longer opens automatically. Descriptor: a passphrase.
  case rebind

  /// Renames an unusable vault, so that a new one can be created.
  case setAside

  /// Checks all slots and records.
  case check

  /// Sets the idle seconds before the vault locks; 0 for never.
  case set(lockAfterSeconds: Int)

  package static let maximumSlot = 255
  package static let maximumSlots = 16
  package static let maximumLockAfterSeconds = 30 * 86_400

  /// To pass in descriptors.
  package var secretCount: Int {
    switch self {
    case .status, .lock, .bind, .removeSlot, .setAside, .check, .set: 0
    case .unlock, .create, .addPassphrase, .rebind: 1
    case .changePassphrase: 2
    case .rotateKey(let slots): slots.count
    }
  }

  /// All kinds, with blank members.
  static let declarations: [Self] = [
    .lock, .unlock(.device), .status, .create(.device), .bind(nil), .addPassphrase(.device),
    .changePassphrase(.device), .removeSlot(0), .rotateKey(slots: []), Self.rebind, Self.setAside,
    Self.check, Self.set(lockAfterSeconds: 0),
  ]

  package var properties: RequestProperties {
    switch self {
    case .status: RequestProperties("vault_status", [.local, .repeatable], about: .any)
    case .lock: RequestProperties("lock", [.local, .repeatable, .withoutSettings, .changesAccounts], about: .any)
    case .unlock: RequestProperties("unlock", .changesAccounts, about: .any)
    case .create: RequestProperties("vault_create", .changesAccounts, about: .any)
    case .bind: RequestProperties("vault_bind", .changesAccounts, about: .any)
    case .addPassphrase: RequestProperties("vault_add_passphrase", .changesAccounts, about: .any)
    case .changePassphrase: RequestProperties("vault_change_passphrase", .changesAccounts, about: .any)
    case .removeSlot: RequestProperties("vault_remove_slot", .changesAccounts, about: .any)
    case .rotateKey: RequestProperties("vault_rotate_key", .changesAccounts, about: .any)
    case .rebind: RequestProperties("vault_rebind", .changesAccounts, about: .any)
    case .setAside: RequestProperties("vault_set_aside", .changesAccounts, about: .any)
    case .check: RequestProperties("vault_check", [.repeatable, .changesAccounts], about: .any)
    case .set: RequestProperties("vault_set", [.repeatable, .changesAccounts], about: .any)
    }
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    switch self {
    case .status, .lock, .rebind, .setAside, .check: break
    case .unlock(let level): self = .unlock(try Self.visitLevel(level, &members))
    case .create(let level): self = .create(try Self.visitLevel(level, &members))
    case .addPassphrase(let level): self = .addPassphrase(try Self.visitLevel(level, &members))
    case .changePassphrase(let level): self = .changePassphrase(try Self.visitLevel(level, &members))
    case .bind(var binding):
      try members.visitChoice("binding", &binding, "The kind of the slot (default: the TPM if there is one).")
      self = .bind(binding)
    case .removeSlot(var number):
      try members.visitNumber("slot", &number, in: 1...Self.maximumSlot, "The number of the slot.")
      self = .removeSlot(number)
    case .rotateKey(var slots):
      try members.visitNumbers(
        "slots", &slots, in: 1...Self.maximumSlot, limit: Self.maximumSlots,
        "The slots whose passphrases follow, in the order of the descriptors.")
      self = .rotateKey(slots: slots)
    case .set(var seconds):
      try members.visitNumber(
        "lock_after", &seconds, in: 0...Self.maximumLockAfterSeconds,
        "The time without use until the vault locks, in seconds; 0 means never.")
      self = .set(lockAfterSeconds: seconds)
    }
  }

  private static func visitLevel<Visitor: MemberVisitor>(
    _ level: Protection, _ members: inout Visitor
  ) throws(Visitor.Problem) -> Protection {
    var level = level
    try members.visitChoice("protection", &level, "The level.")
    return level
  }

  package var manualEntry: RequestManualEntry {
    let passed = "A descriptor with the passphrase or PIN follows, as for `unlock`."
    let opened = [MemberDescription.text("protection", "The level.")]
    let slot: [MemberDescription] = [
      .number("slot", "The number of the slot."),
      .text("kind", "`host`, `tpm2` or `passphrase`."),
      .text("protection", "The level that it opens: `device`, `passphrase` or `tpm2`."),
    ]
    switch self {
    case .lock:
      return RequestManualEntry(
        "Wipes the keys that a passphrase or a PIN opened, and the tokens of their accounts. The result is sent when running"
          + " refreshes are stored.",
        result: [.texts("locked", "The levels that are now locked.")])
    case .unlock:
      return RequestManualEntry(
        "Unlocks a level with its passphrase or PIN. It follows in a descriptor: 1 to 1024 bytes of UTF-8, without a"
          + " trailing newline.", result: opened)
    case .status:
      return RequestManualEntry(
        "Describes the slots and levels of the vault. Nothing is opened.",
        result: Self.fileMembers + [
          .objects(
            "levels", "The levels that a slot opens.",
            members: opened + [
              .flag("locked", "Whether it is locked."),
              .texts("accounts", "The names of its accounts."),
            ]),
          .objects(
            "slots", "The slots.",
            members: slot + [.flag("needs_secret", "`vault_rotate_key` needs its passphrase.")]),
          .number("lock_after", "The time without use until it locks, in seconds; 0 means never."),
          .object("problem", "An error object, if the vault cannot be read."),
        ])
    case .create:
      return RequestManualEntry(
        "Makes the key of the level `passphrase` or `tpm2`, which must not exist yet, and leaves it unlocked.",
        result: opened, note: passed)
    case .bind: return RequestManualEntry("Binds the vault to this device with a new slot.", result: slot)
    case .addPassphrase:
      return RequestManualEntry("Adds a passphrase to an unlocked level.", result: slot, note: passed)
    case .changePassphrase:
      return RequestManualEntry(
        "Changes the passphrase or PIN of a level.", result: opened,
        note: "The descriptor of the old one comes first, then that of the new one, as for `unlock`.")
    case .removeSlot:
      return RequestManualEntry(
        "Removes a slot, unless it is the last one of its level.",
        result: [.number("slot", "The number of the slot.")])
    case .rotateKey:
      return RequestManualEntry(
        "Makes new keys for all unlocked levels and encrypts their accounts again, in one write.",
        result: [.texts("rotated", "The levels with new keys.")])
    case .rebind:
      return RequestManualEntry(
        "Opens a vault that does not open here with a passphrase of the level `device`, removes slots that no longer open,"
          + " and binds it to this device.",
        result: [.objects("slots", "The slots.", members: slot)], note: passed)
    case .setAside:
      return RequestManualEntry(
        "Renames a vault that does not open, so that the next sign-in makes a new one. Nothing is deleted.",
        result: [.texts("paths", "The new paths of the files.")])
    case .check:
      return RequestManualEntry(
        "Reads and checks the entire vault.",
        result: [
          .flag("sound", "Whether nothing is damaged and everything opens that should."),
          .objects(
            "slots", "The slots.",
            members: slot + [.text("state", "What was found.")]),
          .objects(
            "accounts", "The accounts with a record.",
            members: [.text("account", "The name.")] + opened + [
              .text("state", "What was found.")
            ]),
          .object("problem", "An error object, if the vault does not open at all."),
        ])
    case .set:
      return RequestManualEntry(
        "Sets when the vault locks itself.", result: [.number("lock_after", "The new setting.")])
    }
  }

  private static var fileMembers: [MemberDescription] {
    [
      .text("path", "The file."), .flag("exists", "Whether it exists."),
      .flag("device_bound", "Whether another machine cannot open it."),
      .text("binding", "What opens it in the background: `tpm2` or `host`."),
      .text("binding_problem", "Why that is not the TPM."),
    ]
  }

  /// The vault's description in `status`.
  static var summaryMembers: [MemberDescription] {
    fileMembers + [
      .texts("slots", "The slots that open it."),
      .text("installation", "A random number of the vault; if it differs, all sessions are new."),
      .object(
        "problem", "An error object: why there is no `installation`, although the file exists."),
    ]
  }
}
