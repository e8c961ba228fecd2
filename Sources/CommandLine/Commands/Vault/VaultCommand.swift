internal import Encoding
internal import Platform
internal import Wire

enum VaultCommand {
  static let vaultStatus = Command(
    .vaultStatus, topic: .upkeep,
    summary: "Show the key slots and locks of the vault",
    answer: VaultRequest.status.manualEntry.result,
    makeAction: status)

  static let vaultBind = Command(
    .vaultBind, topic: .upkeep,
    summary: "Bind the vault to the TPM, else to this device",
    answer: VaultRequest.bind(nil).manualEntry.result,
    options: [Option.vaultBinding.declaration],
    examples: [
      Example(
        "Bind to the secret of this device, and not to its TPM",
        "agent vault bind --to host")
    ],
    makeAction: bind)

  static let vaultAddPassphrase = Command(
    .vaultAddPassphrase, topic: .upkeep,
    summary: "Add a passphrase that opens the vault",
    answer: VaultRequest.addPassphrase(.device).manualEntry.result,
    options: [Option.protection.withSummary("The level that the passphrase opens")] + Options.passphrase,
    examples: [
      Example(
        "Add a passphrase that another program keeps",
        "pass show agent | agent vault add-passphrase --passphrase-file -")
    ],
    makeAction: addPassphrase)

  static let vaultChangePassphrase = Command(
    .vaultChangePassphrase, topic: .upkeep,
    summary: "Change a passphrase or the PIN",
    answer: VaultRequest.changePassphrase(.device).manualEntry.result,
    options: [Option.protection.withSummary("The level to change (default: `passphrase`)")] + Options.levelSecrets
      + [
        Option.newPassphraseFile.declaration, Option.newPassphraseFD.declaration, Option.newPINFile.declaration,
        Option.newPINFD.declaration,
      ],
    shortHelp: ["protection", "passphrase-file", "new-passphrase-file"],
    examples: [
      Example(
        "Change a passphrase in a script",
        "agent vault change-passphrase --passphrase-file old --new-passphrase-file new")
    ],
    makeAction: changePassphrase)

  static let vaultRemoveSlot = Command(
    .vaultRemoveSlot, topic: .upkeep,
    summary: "Remove a key slot",
    answer: VaultRequest.removeSlot(1).manualEntry.result,
    operands: .slot,
    makeAction: removeSlot)

  static let vaultRotateKey = Command(
    .vaultRotateKey, topic: .upkeep,
    summary: "Make new keys, and seal everything with them",
    answer: VaultRequest.rotateKey(slots: []).manualEntry.result,
    options: Options.passphrase,
    examples: [
      Example(
        "Make new keys after a copy of the home directory was lost",
        "agent vault rotate-key")
    ],
    makeAction: rotateKey)

  static let vaultRebind = Command(
    .vaultRebind, topic: .upkeep,
    summary: "Bind a vault that no longer opens, by its passphrase",
    answer: VaultRequest.rebind.manualEntry.result,
    options: Options.passphrase,
    examples: [
      Example(
        "Open the vault on a new machine",
        "pass show agent | agent vault rebind --passphrase-file -")
    ],
    makeAction: rebind)

  static let vaultSetAside = Command(
    .vaultSetAside, topic: .upkeep,
    summary: "Set a vault aside that does not open",
    answer: VaultRequest.setAside.manualEntry.result,
    makeAction: setAside)

  static let vaultCheck = Command(
    .vaultCheck, topic: .upkeep,
    summary: "Check that the whole vault can be read",
    answer: VaultRequest.check.manualEntry.result,
    makeAction: check)

  static let vaultSet = Command(
    .vaultSet, topic: .upkeep,
    summary: "Change when the vault locks by itself",
    answer: VaultRequest.set(lockAfterSeconds: 0).manualEntry.result,
    options: [Option.lockAfter.declaration],
    examples: [
      Example(
        "Lock after an hour without use",
        "agent vault set --lock-after 1h")
    ],
    makeAction: set)

  static func status(_ invocation: Invocation) -> Action {
    DaemonClient(invocation).action(.vault(.status), showing: VaultText.status)
  }

  static func check(_ invocation: Invocation) -> Action {
    let client = DaemonClient(invocation)
    return Action { () throws(Failure) in
      let result = try client.ask(.vault(.check))
      try client.console.answer(result, showing: VaultText.check)
      return result["sound"]?.bool == false ? ExitStatus.failed.rawValue : 0
    }
  }

  static func bind(_ invocation: Invocation) -> Action {
    change(.bind(invocation[.vaultBinding]), invocation) { Phrase("bound again: \(VaultText.slot(.object($0)))") }
  }

  static func addPassphrase(_ invocation: Invocation) throws(Failure) -> Action {
    let secret = try LevelSecret.passphrase(invocation)
    return change(
      .addPassphrase(invocation[.protection] ?? .device), invocation,
      bringing: { () throws(Failure) in [try secret.open(isNew: true)] },
      noting: { Phrase("added: \(VaultText.slot(.object($0)))") })
  }

  static func changePassphrase(_ invocation: Invocation) throws(Failure) -> Action {
    let level = invocation[.protection] ?? .passphrase
    let old = try level == .tpm2 ? LevelSecret.pin(invocation) : .passphrase(invocation)
    let new = try LevelSecret.newSecret(of: level, invocation)
    return change(
      .changePassphrase(level), invocation,
      bringing: { () throws(Failure) in [try old.open(for: .current), try new.open(isNew: true)] },
      noting: { _ in level == .tpm2 ? Phrase("PIN changed") : Phrase("passphrase changed") })
  }

  static func removeSlot(_ invocation: Invocation) throws(Failure) -> Action {
    guard let text = invocation.operands.first, let number = Int(text), (1...VaultRequest.maximumSlot).contains(number)
    else {
      throw Failure(
        .invalidRequest, "a slot must be a number from 1 to \(VaultRequest.maximumSlot)", hint: "agent vault status")
    }
    return change(.removeSlot(number), invocation) { _ in Phrase("removed the slot \(number)") }
  }

  static func rotateKey(_ invocation: Invocation) throws(Failure) -> Action {
    let client = DaemonClient(invocation)
    let passphrase = try LevelSecret.passphrase(invocation)
    return .doing { () throws(Failure) in
      let result = try client.converse { (connection) throws(Failure) in
        let slots = try VaultStatus(over: &connection, client).slotsThatNeedSecrets
        try refuseAmbiguity(slots, passphrase)
        var secrets: [SharedDescriptor] = []
        for slot in slots { secrets.append(try passphrase.open(for: .ofSlot(slot))) }
        return try client.ask(.vault(.rotateKey(slots: slots)), passing: secrets, over: &connection)
      }
      try client.console.confirm(result) { Phrase("created new keys for \(VaultText.levels($0["rotated"]))") }
    }
  }

  static func rebind(_ invocation: Invocation) throws(Failure) -> Action {
    let secret = try LevelSecret.passphrase(invocation)
    return change(
      .rebind, invocation, bringing: { () throws(Failure) in [try secret.open(for: .ofVault)] },
      noting: { _ in Phrase("the vault is now bound to this device") })
  }

  static func setAside(_ invocation: Invocation) -> Action {
    change(.setAside, invocation) { result in
      let paths = (result["paths"]?.array ?? []).compactMap(\.string).joined(separator: ", ")
      return Phrase("kept as \(paths); the next sign-in creates a new vault")
    }
  }

  static func set(_ invocation: Invocation) throws(Failure) -> Action {
    guard let seconds = invocation[.lockAfter] else {
      throw Failure(.invalidRequest, "no setting given", hint: "agent help vault set")
    }
    return change(.set(lockAfterSeconds: seconds), invocation) { _ in
      seconds == 0
        ? Phrase("the vault does not lock automatically")
        : Phrase("the vault locks after \(DurationText.text(seconds: seconds)) of inactivity")
    }
  }

  /// Throws if one passphrase is given for several slots.
  private static func refuseAmbiguity(_ slots: [Int], _ passphrase: LevelSecret) throws(Failure) {
    guard slots.count > 1, passphrase.isNamed else { return }
    let numbers = slots.map { String($0) }.joined(separator: ", ")
    throw Failure(
      .invalidRequest, "the passphrases of several slots are needed: \(numbers)",
      hint: "enter them, or remove slots first; all slots: agent vault status")
  }

  private static func change(
    _ request: VaultRequest, _ invocation: Invocation,
    bringing secrets: @escaping () throws(Failure) -> [SharedDescriptor] = { [] },
    noting note: @escaping (JSONObject) -> Phrase
  ) -> Action {
    DaemonClient(invocation).change(.vault(request), bringing: secrets, noting: note)
  }
}
