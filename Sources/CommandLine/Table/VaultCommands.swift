internal import Vocabulary
internal import Wire

/// The commands for the vault.
enum VaultCommands {
  static let lock = Command(
    .lock,
    summary: "Lock what a passphrase or a PIN protects",
    details: """
      Removes the keys and tokens of accounts protected by a passphrase or PIN from the memory of `agentd`. Their
      commands fail with exit status 5 until `agent unlock`; accounts protected by this device alone still work.
      """,
    answer: VaultRequest.lock.page.result)

  static let unlock = Command(
    .unlock,
    summary: "Unlock accounts by their passphrase or PIN",
    details: """
      Asks for the passphrase or PIN on the terminal, without showing it.
      """,
    options: Options.levelSecrets,
    operands: .account,
    examples: [
      Example(
        "Unlock in a script, with a passphrase that another program keeps",
        "pass show agent | agent unlock --passphrase-file -"),
      Example(
        "Start over if the passphrase is forgotten",
        "agent logout --local work; agent vault remove-slot 2; agent login work --protect device"),
    ])

  static let vaultStatus = Command(
    .vaultStatus,
    summary: "Show the key slots and locks of the vault",
    details: """
      The vault is bound to this device: to a key in its TPM, or without a TPM to a secret, the machine and the user.
      Shows the binding and, if it is not the TPM, the reason.
      """,
    answer: VaultRequest.status.page.result)

  static let vaultBind = Command(
    .vaultBind,
    summary: "Bind the vault to this device again",
    details: """
      Creates a slot that opens in the background and removes the earlier ones. Without `--to` it uses a key in the TPM
      if possible, else the secret of this device.
      """,
    answer: VaultRequest.bind(nil).page.result,
    options: [Option.to.declaration],
    examples: [
      Example(
        "Bind to the secret of this device, and not to its TPM",
        "agent vault bind --to host")
    ])

  static let vaultAddPassphrase = Command(
    .vaultAddPassphrase,
    summary: "Add a passphrase that opens the vault",
    details: """
      A passphrase for `device` (the default) recovers the vault if the machine id changes or the TPM is lost, see
      `agent vault rebind`. One for `passphrase` or `tpm2` also opens those accounts; the level must be unlocked.
      """,
    answer: VaultRequest.addPassphrase(.device).page.result,
    options: [Option.protection.saying("The level that the passphrase opens")] + Options.passphrase,
    examples: [
      Example(
        "Add a passphrase that another program keeps",
        "pass show agent | agent vault add-passphrase --passphrase-file -")
    ])

  static let vaultChangePassphrase = Command(
    .vaultChangePassphrase,
    summary: "Change a passphrase or the PIN",
    details: """
      Replaces the given passphrase or PIN in one step. The keys stay the same: the old secret still opens old copies of
      the vault.
      """,
    answer: VaultRequest.changePassphrase(.device).page.result,
    options: [Option.protection.saying("The level to change (default: `passphrase`)")] + Options.levelSecrets
      + [
        Option.newPassphraseFile.declaration, Option.newPassphraseFD.declaration, Option.newPINFile.declaration,
        Option.newPINFD.declaration,
      ],
    everyday: ["protection", "passphrase-file", "new-passphrase-file"],
    examples: [
      Example(
        "Change a passphrase in a script",
        "agent vault change-passphrase --passphrase-file old --new-passphrase-file new")
    ])

  static let vaultRemoveSlot = Command(
    .vaultRemoveSlot,
    summary: "Remove a key slot",
    details: """
      `NUMBER` is the slot's number in `agent vault status`; numbers are never reused. The last slot of a level that has
      accounts cannot be removed, nor can the last slot that opens `device`.
      """,
    answer: VaultRequest.removeSlot(1).page.result,
    operands: .slot)

  static let vaultRotateKey = Command(
    .vaultRotateKey,
    summary: "Make new keys, and seal everything with them",
    details: """
      Makes new keys for all unlocked levels and seals their accounts again; locked levels are unchanged. Asks on the
      terminal for the passphrase of each passphrase slot, to open the new key; if only one slot needs one, a file or
      descriptor works too.
      """,
    answer: VaultRequest.rotateKey(slots: []).page.result,
    options: Options.passphrase,
    examples: [
      Example(
        "Make new keys after a copy of the home directory was lost",
        "agent vault rotate-key")
    ])

  static let vaultRebind = Command(
    .vaultRebind,
    summary: "Bind a vault that does not open here to this device",
    details: """
      Opens the vault with a passphrase from `agent vault add-passphrase` and binds it to this device like a new vault;
      nothing is lost. Use it after the machine id or the TPM has changed, or the home directory was moved to another
      machine on purpose.
      """,
    answer: VaultRequest.rebind.page.result,
    options: Options.passphrase,
    examples: [
      Example(
        "Open the vault on a new machine",
        "pass show agent | agent vault rebind --passphrase-file -")
    ])

  static let vaultSetAside = Command(
    .vaultSetAside,
    summary: "Set a vault aside that does not open",
    details: """
      Renames the vault file, and a damaged device secret, so that the next sign-in creates a new vault. Nothing is
      deleted.
      """,
    answer: VaultRequest.setAside.page.result)

  static let vaultCheck = Command(
    .vaultCheck,
    summary: "Check that the whole vault can be read",
    details: """
      Changes nothing and tries no passphrase or PIN. Exits with status 1 if something is damaged or does not open on
      this device.
      """,
    answer: VaultRequest.check.page.result)

  static let vaultSet = Command(
    .vaultSet,
    summary: "Change when the vault locks by itself",
    details: """
      It locks when no command has used an account that a passphrase or a PIN protects for this long, by default 15
      minutes; the time in which the machine sleeps counts. The setting is `lock_after` in agent-config(5).
      """,
    answer: VaultRequest.set(lockAfterSeconds: 0).page.result,
    options: [Option.lockAfter.declaration],
    examples: [
      Example(
        "Lock after an hour without use",
        "agent vault set --lock-after 1h")
    ])
}
