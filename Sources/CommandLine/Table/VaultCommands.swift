internal import Vocabulary
internal import Wire

/// The commands for the vault.
enum VaultCommands {
  static let lock = Command(
    .lock,
    summary: "Lock what a passphrase or a PIN protects",
    details: """
      The keys of those accounts and their tokens go from the memory of `agentd`; their commands fail with exit
      status 5 until `agent unlock`. Accounts that this device alone protects go on.

      The answer comes at once. If a refresh is under way, the keys stay for its result for 5 seconds at most, or not at
      all when the session is locked. A refresh token that comes later is kept in memory and written after the next
      unlock.

      The same is done after a while without use (see `agent vault set`), and when the screen of one of the user's
      sessions is locked, by `loginctl lock-session` or by the desktop's screen saver, where libsystemd and a message
      bus are there to tell.

      The levels are `passphrase`, `tpm2` and, if the vault no longer opens on this device, `device`.
      """,
    answer: VaultRequest.lock.page.result)

  static let unlock = Command(
    .unlock,
    summary: "Unlock accounts by their passphrase or PIN",
    details: """
      Asks for the passphrase or the PIN on the terminal, without showing it. When it is forgotten, `agent help
      --all unlock` tells how to begin again.

      Asks for what opens the levels that are locked and have accounts, or the one that `ACCOUNT` needs: on the
      terminal, without showing it, or in a file or an open descriptor. It is never an argument. A passphrase has
      1 to 1024 bytes of UTF-8; the line feed at the end of a file is no part of it. After a while without use the
      vault locks again, see `agent vault set`.

      A passphrase or PIN that is forgotten cannot be read from the vault, and without it or another slot of its level
      the sessions there are lost. To begin again: `agent logout --local ACCOUNT` for each account of the level, `agent
      vault remove-slot NUMBER` for its slots, which `agent vault status` shows, and `agent login ACCOUNT`, with
      `--protect device` or a new passphrase.

      With `--json` prints `{"unlocked": [LEVEL, ...]}`, each of which is `device`, `passphrase` or `tpm2`.
      """,
    options: Options.levelSecrets,
    operands: .account,
    examples: [
      Example(
        "Unlock in a script, with a passphrase that another program keeps",
        "pass show agent | agent unlock --passphrase-file -")
    ])

  static let vaultStatus = Command(
    .vaultStatus,
    summary: "Show the key slots and locks of the vault",
    details: """
      The vault is bound to this device: to a key in its TPM where there is one, else to a secret, the machine and
      the user. What binds it is shown, and where it is not the TPM, why.

      Each level of protection has a key of its own, and each slot is one way to a key: `device` opens in the
      background, `passphrase` and `tpm2` only while somebody has unlocked them.

      A level is `device`, `passphrase` or `tpm2`. The `problem` in JSON is `{"code", "message", "hint"}`.
      """,
    answer: VaultRequest.status.page.result)

  static let vaultBind = Command(
    .vaultBind,
    summary: "Bind the vault to this device again",
    details: """
      Makes a new slot that opens in the background, and drops the ones before. Without `--to` the best that there is is
      taken: a key in the TPM, else the secret of this device.
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
      A passphrase for `device`, which is the default, is the way back when the machine's id changes or its TPM goes:
      see `agent vault rebind`. One for `passphrase` or `tpm2` opens those accounts too; the level must be unlocked.
      """,
    answer: VaultRequest.addPassphrase(.device).page.result,
    options: [Option.protection.saying("What the passphrase is to open")] + Options.passphrase,
    examples: [
      Example(
        "Add a passphrase that another program keeps",
        "pass show agent | agent vault add-passphrase --passphrase-file -")
    ])

  static let vaultChangePassphrase = Command(
    .vaultChangePassphrase,
    summary: "Change a passphrase or the PIN",
    details: """
      The one that is given is replaced, in one step. The keys stay the same: whoever has a copy of the vault and
      knows the old one can open that copy.

      `agent vault rotate-key` makes new keys.
      """,
    answer: VaultRequest.changePassphrase(.device).page.result,
    options: [Option.protection.saying("The level that it opens, by default `passphrase`")] + Options.levelSecrets
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
      `NUMBER` is that of `agent vault status`; it is never given to another slot. The last slot of a level that has
      accounts is not removed, nor the last one that opens `device`.
      """,
    answer: VaultRequest.removeSlot(1).page.result,
    operands: .slot)

  static let vaultRotateKey = Command(
    .vaultRotateKey,
    summary: "Make new keys, and seal everything with them",
    details: """
      All levels that are open get new keys, and their accounts are sealed anew; one that is locked stays as it
      is. Each slot with a passphrase needs it, since it opens the new key afterwards: it is asked for on the
      terminal, or named where one slot needs one.

      What an old copy of the vault held opens nothing that is written from now on.

      A level is `device`, `passphrase` or `tpm2`.
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
      For the day when the machine's id or its TPM has changed, or the home was moved to another machine on purpose: the
      passphrase that `agent vault add-passphrase` gave the vault opens it, and it is bound to this device as a new one
      would be. Nothing is lost.

      The protection of a slot is `device`, `passphrase` or `tpm2`.
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
      Renames the vault file, and a damaged device secret, so that the next sign-in makes a new vault. Nothing is
      deleted.

      To use the old vault again, give its files their names back. All accounts are signed out until then.

      A vault that opens is refused. If it has a passphrase, `agent vault rebind` loses nothing.
      """,
    answer: VaultRequest.setAside.page.result)

  static let vaultCheck = Command(
    .vaultCheck,
    summary: "Check that the whole vault can be read",
    details: """
      Nothing is changed, and no passphrase and no PIN is tried. Exits with status 1 when something is damaged, or does
      not open here.

      The state of a slot is `opens`, `asks` (for a passphrase or a PIN),
      `foreign` (made on another device), `secret_missing` (the device secret is gone), `unavailable` (the TPM cannot be
      asked), `damaged` or `unknown` (of a later version); that of an account `opens`, `locked` or `damaged`. `kind` is
      `host`, `tpm2` or `passphrase`, `protection` is `device`, `passphrase` or `tpm2`, and `problem` is `{"code",
      "message", "hint"}`.
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
