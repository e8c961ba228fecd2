internal import Encoding
internal import Platform
internal import Vocabulary
internal import Wire

/// `agent vault …`.
enum VaultCommand {
  static func status(_ invocation: Invocation) -> Action {
    .ask(.vault(.status), DaemonClient(invocation), showing: VaultText.status)
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
    change(.bind(invocation[.to]), invocation) { Phrase("bound again: \(VaultText.slot(.object($0)))") }
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
    let new = try LevelSecret.replacing(level, invocation)
    return change(
      .changePassphrase(level), invocation,
      bringing: { () throws(Failure) in [try old.open(for: .untilNow), try new.open(isNew: true)] },
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

  // MARK: Parts

  /// One file cannot contain the passphrases of several slots.
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
    .change(.vault(request), DaemonClient(invocation), bringing: secrets, noting: note)
  }
}
