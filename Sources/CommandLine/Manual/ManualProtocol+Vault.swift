internal import Wire

extension ManualProtocol {
  /// The requests that are about the vault itself.
  static let vaultRequests: [Description] = [
    lock, unlock, vaultStatus, create, bind, addPassphrase, changePassphrase, removeSlot, rotateKey, rebind, check, set,
  ]

  /// How a passphrase or a PIN comes.
  private static let handed =
    "A descriptor from which it can be read comes with the line, as `SCM_RIGHTS`: 1 to 1024 bytes of UTF-8, of which a"
    + " line feed at the end is no part. It is never a member."

  private static func level(_ meaning: String) -> Member {
    Member("protection", "text", "\(meaning): `device`, `passphrase` or `tpm2`. Must be there.")
  }

  private static let opened = [Member("protection", "text", "The level.")]
  private static let slot = [
    Member("slot", "number", "The number of the new slot."),
    Member("kind", "text", "`host`, `tpm2` or `passphrase`."),
    Member("protection", "text", "The level that it opens."),
  ]

  private static let lock = Description(
    name: "lock",
    purpose: "Wipes the keys that a passphrase or a PIN has opened, and the tokens of the accounts behind them. It is"
      + " answered when the refreshes that are under way have been written.",
    result: [Member("locked", "list of texts", "The levels that are locked now.")])

  private static let unlock = Description(
    name: "unlock", purpose: "Opens a level with its passphrase or PIN.",
    members: [level("The level")], result: opened, note: handed)

  private static let vaultStatus = Description(
    name: "vault_status", purpose: "Tells how the vault opens. Nothing is opened for it.",
    result: [
      Member("path", "text", "The file."),
      Member("exists", "boolean", "Whether it is there."),
      Member(
        "device_bound", "boolean",
        "Whether another machine cannot open it: this one has an id, or the TPM binds it."),
      Member("binding", "text", "What opens it in the background: `tpm2` or `host`; absent when nothing does."),
      Member("binding_problem", "text", "Why that is not the TPM."),
      Member(
        "slots", "list of objects",
        "For each slot `slot`, its number, `kind`, `protection`, the level that it opens, and `needs_secret` where"
          + " `vault_rotate_key` needs its passphrase."),
      Member(
        "levels", "list of objects",
        "For each level that something opens `protection`, `locked` and `accounts`, the names of those at it."),
      Member("lock_after", "number", "After how many seconds without use it locks by itself, 0 for never."),
      Member("problem", "object", "An error object, when the vault cannot be read."),
    ])

  private static let create = Description(
    name: "vault_create",
    purpose: "Makes the key of a level that nothing opens yet, and leaves it open.",
    members: [Member("protection", "text", "`passphrase` or `tpm2`. Must be there.")], result: opened, note: handed)

  private static let bind = Description(
    name: "vault_bind", purpose: "Binds the background to this device anew.",
    members: [Member("binding", "text", "`host` or `tpm2`; without it the best that there is.")], result: slot)

  private static let addPassphrase = Description(
    name: "vault_add_passphrase", purpose: "Lets one more passphrase open a level that is open.",
    members: [level("The level")], result: slot, note: handed)

  private static let changePassphrase = Description(
    name: "vault_change_passphrase", purpose: "Puts a passphrase or a PIN in the place of another one.",
    members: [level("The level that it opens")], result: opened,
    note: "The descriptor of the old one comes first, then that of the new one, as for `unlock`.")

  private static let removeSlot = Description(
    name: "vault_remove_slot", purpose: "Drops a slot, unless nothing else opens what it opens.",
    members: [Member("slot", "number", "Its number. Must be there.")],
    result: [Member("slot", "number", "Its number.")])

  private static let rotateKey = Description(
    name: "vault_rotate_key",
    purpose: "Makes new keys for all levels that are open and seals their accounts anew, in one write.",
    members: [
      Member(
        "slots", "list of numbers", "The slots whose passphrases come with the line, in the order of the descriptors.")
    ],
    result: [Member("rotated", "list of texts", "The levels that have new keys.")])

  private static let rebind = Description(
    name: "vault_rebind",
    purpose: "Opens a vault that does not open here by a passphrase of the level `device`, drops what does not open any"
      + " more, and binds it to this device.",
    result: [Member("slots", "list of objects", "What opens it from now on, as in `vault_status`.")],
    note: handed)

  private static let check = Description(
    name: "vault_check", purpose: "Reads everything and tells what it finds.",
    result: [
      Member("sound", "boolean", "Whether nothing is damaged and all that should open here does."),
      Member("slots", "list of objects", "For each slot `slot`, `kind`, `protection` and `state`."),
      Member(
        "accounts", "list of objects", "For each account with a record `account`, `protection` and `state`."),
      Member("problem", "object", "An error object, when the vault as a whole does not open."),
    ])

  private static let set = Description(
    name: "vault_set", purpose: "Sets when the vault locks by itself.",
    members: [
      Member(
        "lock_after", "number",
        "After how many seconds without use, 0 for never, at most \(VaultRequest.maximumLockAfterSeconds). Must be there."
      )
    ],
    result: [Member("lock_after", "number", "The same.")])
}
