internal import Encoding
internal import Vocabulary

enum VaultText {
  static func status(_ result: JSONObject) -> String {
    var listing = Listing()
    let path = result["path"]?.string ?? "?"
    listing.add([
      Phrase("vault"),
      result["exists"]?.bool == true ? Phrase(verbatim: path) : Phrase("none yet; it will be \(path)"),
    ])
    if let binding = binding(.object(result)) { listing.add([Phrase("binding"), binding]) }
    listing.add([Phrase("locks"), idleTime(result["lock_after"]?.int ?? 0)])
    for level in result["levels"]?.array ?? [] {
      listing.add([Phrase(verbatim: level["protection"]?.string ?? "?"), self.level(level)])
    }
    for slot in result["slots"]?.array ?? [] { listing.add([number(slot), purpose(slot)]) }
    if let problem = result["problem"] {
      let text = Phrase(problem, "message") ?? Phrase(verbatim: "?")
      let hint = Phrase(problem, "hint")
      listing.add([Phrase("problem"), hint.map { Phrase("\(text); try: \($0)") } ?? text])
    }
    return listing.text()
  }

  /// The binding, and why it is not the TPM; nil without a vault.
  static func binding(_ vault: JSON) -> Phrase? {
    guard vault["exists"]?.bool == true else { return nil }
    let bound = vault["device_bound"]?.bool == true
    let name =
      switch vault["binding"]?.string {
      case "tpm2": Phrase("the TPM")
      case "host":
        bound ? Phrase("this machine") : Phrase("the device secret only, because the machine has no ID")
      case nil: Phrase("a passphrase only")
      case .some(let other): Phrase(verbatim: other)
      }
    return Phrase(vault, "binding_problem").map { Phrase("\(name); \($0)") } ?? name
  }

  /// The vault's path and binding.
  static func line(_ vault: JSON?) -> Phrase {
    guard let vault else { return Phrase(verbatim: "") }
    guard vault["exists"]?.bool != false else { return Phrase("none yet") }
    let path = vault["path"]?.string ?? "unknown"
    guard let binding = binding(vault) else { return Phrase("\(path), not bound") }
    return Phrase("\(path), bound to \(binding)")
  }

  static func problems(_ vault: JSON?) -> [Phrase] {
    guard let vault, vault["exists"]?.bool == true, vault["device_bound"]?.bool == false else { return [] }
    return [binding(vault).map { Phrase("the vault is bound to \($0)") } ?? Phrase("the vault is not bound")]
  }

  private static func idleTime(_ seconds: Int) -> Phrase {
    seconds == 0
      ? Phrase("only on request") : Phrase("after \(DurationText.text(seconds: seconds)) of inactivity")
  }

  /// True if no account is protected; always false for `device`, whose accounts may be unknown.
  static func isEmpty(_ level: JSON) -> Bool {
    level["accounts"]?.array?.isEmpty ?? true
      && level["protection"]?.string?.hasSameBytes(as: Protection.device.rawValue) != true
  }

  private static func level(_ level: JSON) -> Phrase {
    if isEmpty(level) { return Phrase("no accounts") }
    let names = (level["accounts"]?.array ?? []).compactMap(\.string)
    let state = level["locked"]?.bool == true ? Phrase("locked") : Phrase("open")
    return names.isEmpty ? state : Phrase("\(state), \(names.joined(separator: " "))")
  }

  private static func purpose(_ slot: JSON) -> Phrase {
    let kind =
      switch slot["kind"]?.string {
      case "host": Phrase("machine key")
      case "tpm2": slot["protection"]?.string == "tpm2" ? Phrase("TPM key with PIN") : Phrase("TPM key")
      case "passphrase": Phrase("passphrase")
      case .some(let other): Phrase(verbatim: other)
      case nil: Phrase(verbatim: "?")
      }
    return Phrase("\(kind), level \(slot["protection"]?.string ?? "?")")
  }

  private static func number(_ slot: JSON) -> Phrase { Phrase("slot \(slot["slot"]?.int ?? 0)") }

  static func slot(_ slot: JSON) -> Phrase { Phrase("\(number(slot)), \(purpose(slot))") }

  /// The levels with new keys.
  static func levels(_ levels: JSON?) -> Phrase {
    let words = (levels?.array ?? []).compactMap(\.string)
    return words.isEmpty
      ? Phrase("nothing, because the vault is empty") : Phrase(verbatim: words.joined(separator: ", "))
  }

  static func check(_ result: JSONObject) -> String {
    var listing = Listing()
    for slot in result["slots"]?.array ?? [] {
      listing.add([number(slot), Phrase("\(purpose(slot)): \(state(slot["state"]))")])
    }
    for record in result["accounts"]?.array ?? [] {
      listing.add([Phrase(verbatim: record["account"]?.string ?? "?"), state(record["state"])])
    }
    if let problem = result["problem"].flatMap({ Phrase($0, "message") }) { listing.add([Phrase("problem"), problem]) }
    return listing.text()
  }

  private static func state(_ state: JSON?) -> Phrase {
    switch state?.string {
    case "opens": Phrase("ok")
    case "asks": Phrase("intact, not opened")
    case "locked": Phrase("locked")
    case "foreign": Phrase("created on another device")
    case "secret_missing": Phrase("device secret missing")
    case "unavailable": Phrase("TPM not available")
    case "damaged": Phrase("damaged")
    case "unknown": Phrase("unknown kind")
    default: Phrase(verbatim: state?.string ?? "?")
    }
  }
}
