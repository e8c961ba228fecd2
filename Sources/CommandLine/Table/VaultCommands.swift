internal import Vocabulary
internal import Wire

/// The commands for the vault.
enum VaultCommands {
  static let lock = Command(
    .lock,
    summary: "Lock what a passphrase or a PIN protects",
    answer: VaultRequest.lock.page.result)

  static let unlock = Command(
    .unlock,
    summary: "Unlock accounts by their passphrase or PIN",
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
    answer: VaultRequest.status.page.result)

  static let vaultBind = Command(
    .vaultBind,
    summary: "Bind the vault to this device again",
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
    answer: VaultRequest.removeSlot(1).page.result,
    operands: .slot)

  static let vaultRotateKey = Command(
    .vaultRotateKey,
    summary: "Make new keys, and seal everything with them",
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
    answer: VaultRequest.setAside.page.result)

  static let vaultCheck = Command(
    .vaultCheck,
    summary: "Check that the whole vault can be read",
    answer: VaultRequest.check.page.result)

  static let vaultSet = Command(
    .vaultSet,
    summary: "Change when the vault locks by itself",
    answer: VaultRequest.set(lockAfterSeconds: 0).page.result,
    options: [Option.lockAfter.declaration],
    examples: [
      Example(
        "Lock after an hour without use",
        "agent vault set --lock-after 1h")
    ])
}
