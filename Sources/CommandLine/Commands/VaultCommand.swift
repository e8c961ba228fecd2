internal import Encoding
internal import Platform
internal import Wire

/// `agent vault …`.
enum VaultCommand {
  @Sendable static func status(_ invocation: Invocation) throws(Failure) -> Int32 {
    let result = try DaemonClient(invocation).ask(.vault(.status))
    try invocation.has(.json) ? Console.answer(result) : Console.answer(VaultText.status(result))
    return 0
  }

  @Sendable static func check(_ invocation: Invocation) throws(Failure) -> Int32 {
    let result = try DaemonClient(invocation).ask(.vault(.check))
    try invocation.has(.json) ? Console.answer(result) : Console.answer(VaultText.check(result))
    return result["sound"]?.bool == false ? ExitStatus.failed.rawValue : 0
  }

  @Sendable static func bind(_ invocation: Invocation) throws(Failure) -> Int32 {
    let binding = invocation.text(.to).flatMap { VaultBinding(rawValue: $0) }
    return try change(.bind(binding), invocation) { "bound anew: \(VaultText.slot(.object($0)))" }
  }

  @Sendable static func addPassphrase(_ invocation: Invocation) throws(Failure) -> Int32 {
    let level = level(invocation) ?? .device
    let secret = try LevelSecret.first(.passphrase).open(invocation)
    return try change(.addPassphrase(level), invocation, bringing: [secret]) { "added: \(VaultText.slot(.object($0)))" }
  }

  @Sendable static func changePassphrase(_ invocation: Invocation) throws(Failure) -> Int32 {
    let level = level(invocation) ?? .passphrase
    let old = try LevelSecret.current(level).open(invocation, for: " until now")
    let new = try LevelSecret.next(level).open(invocation)
    return try change(.changePassphrase(level), invocation, bringing: [old, new]) { _ in
      level == .tpm2 ? "the PIN was changed" : "the passphrase was changed"
    }
  }

  @Sendable static func removeSlot(_ invocation: Invocation) throws(Failure) -> Int32 {
    guard let text = invocation.operands.first, let number = Int(text), (1...VaultRequest.maximumSlot).contains(number)
    else {
      throw Failure(
        .invalidRequest, "a slot is a number from 1 to \(VaultRequest.maximumSlot)", hint: "agent vault status")
    }
    return try change(.removeSlot(number), invocation) { _ in "removed the slot \(number)" }
  }

  @Sendable static func rotateKey(_ invocation: Invocation) throws(Failure) -> Int32 {
    let client = DaemonClient(invocation)
    let result = try client.conversing { (connection) throws(Failure) in
      let slots = try VaultStatus(over: &connection, client).slotsThatNeedSecrets
      try refuseAmbiguity(slots, invocation)
      var secrets: [SharedDescriptor] = []
      for slot in slots {
        secrets.append(try LevelSecret.passphrase.open(invocation, for: " of the slot \(slot)"))
      }
      return try client.ask(
        .vault(.rotateKey(slots: slots)), passing: secrets, over: &connection)
    }
    return try tell(result, client) { "made new keys for \(VaultText.levels($0["rotated"]))" }
  }

  @Sendable static func rebind(_ invocation: Invocation) throws(Failure) -> Int32 {
    let secret = try LevelSecret.passphrase.open(invocation, for: " of the vault")
    return try change(.rebind, invocation, bringing: [secret]) { _ in "the vault is bound to this device now" }
  }

  @Sendable static func set(_ invocation: Invocation) throws(Failure) -> Int32 {
    guard let seconds = invocation.seconds(.lockAfter) else {
      throw Failure(.invalidRequest, "no setting to change is named", hint: "agent help vault set")
    }
    return try change(.set(lockAfterSeconds: seconds), invocation) { _ in
      seconds == 0
        ? "the vault does not lock by itself"
        : "the vault locks after \(DurationText.text(seconds: seconds)) without use"
    }
  }

  // MARK: Parts

  private static func level(_ invocation: Invocation) -> ProtectionLevel? {
    invocation.text(.protection).flatMap { ProtectionLevel(rawValue: $0) }
  }

  /// One file cannot hold the passphrases of several slots.
  private static func refuseAmbiguity(
    _ slots: [Int], _ invocation: Invocation
  ) throws(Failure) {
    guard slots.count > 1, LevelSecret.passphrase.isNamed(invocation) else { return }
    let numbers = slots.map { String($0) }.joined(separator: ", ")
    throw Failure(
      .invalidRequest, "the passphrases of several slots are needed: \(numbers)",
      hint: "type them, or remove slots first: agent vault remove-slot NUMBER")
  }

  private static func change(
    _ request: VaultRequest, _ invocation: Invocation, bringing secrets: [SharedDescriptor] = [],
    _ note: (JSONObject) -> String
  ) throws(Failure) -> Int32 {
    let client = DaemonClient(invocation)
    return try tell(try client.ask(.vault(request), passing: secrets), client, note)
  }

  private static func tell(
    _ result: JSONObject, _ client: DaemonClient, _ note: (JSONObject) -> String
  ) throws(Failure) -> Int32 {
    if client.console.json {
      try Console.answer(result)
    } else {
      client.console.note(note(result))
    }
    return 0
  }
}
