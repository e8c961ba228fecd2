internal import Encoding
internal import Wire

/// The words of `agent vault …`.
enum VaultText {
  static func status(_ result: JSONObject) -> String {
    var listing = Listing()
    let path = result["path"]?.string ?? "?"
    listing.add(["vault", result["exists"]?.bool == true ? path : "none yet; it will be \(path)"])
    listing.add("binding", binding(.object(result)))
    listing.add(["locks", idleTime(result["lock_after"]?.int ?? 0)])
    for level in result["levels"]?.array ?? [] {
      listing.add([level["protection"]?.string ?? "?", self.level(level)])
    }
    for slot in result["slots"]?.array ?? [] { listing.add(["slot \(slot["slot"]?.int ?? 0)", purpose(slot)]) }
    if let problem = result["problem"] {
      let hint = problem["hint"]?.string.map { "; try: \($0)" } ?? ""
      listing.add(["problem", (problem["message"]?.string ?? "?") + hint])
    }
    return listing.text()
  }

  /// The binding of the vault, and why it is not the TPM; nil when there is no vault.
  static func binding(_ vault: JSON) -> String? {
    guard vault["exists"]?.bool == true else { return nil }
    let bound = vault["device_bound"]?.bool == true
    let name =
      switch vault["binding"]?.string {
      case "tpm2": Phrase("the TPM").english
      case "host":
        bound
          ? Phrase("this machine").english
          : Phrase("the device secret alone, since the machine has no id").english
      case nil: Phrase("a passphrase only").english
      case .some(let other): other
      }
    return vault["binding_problem"]?.string.map { "\(name); \($0)" } ?? name
  }

  /// The vault on one line.
  static func line(_ vault: JSON?) -> Phrase {
    guard let vault else { return Phrase(verbatim: "") }
    guard vault["exists"]?.bool != false else { return Phrase("none yet") }
    let path = vault["path"]?.string ?? "unknown"
    guard let binding = binding(vault) else { return Phrase("\(path), bound to nothing") }
    return Phrase("\(path), bound to \(Phrase(known: binding))")
  }

  /// What is not as it should be.
  static func problems(_ vault: JSON?) -> [String] {
    guard let vault, vault["exists"]?.bool == true, vault["device_bound"]?.bool == false else { return [] }
    return ["the vault is bound to \(binding(vault) ?? "nothing")"]
  }

  private static func idleTime(_ seconds: Int) -> String {
    seconds == 0 ? "only when asked to" : "after \(DurationText.text(seconds: seconds)) without use"
  }

  private static func level(_ level: JSON) -> String {
    let names = (level["accounts"]?.array ?? []).compactMap(\.string)
    let state = level["locked"]?.bool == true ? "locked" : "open"
    return names.isEmpty ? state : "\(state), \(names.joined(separator: " "))"
  }

  private static func purpose(_ slot: JSON) -> String {
    let kind =
      switch slot["kind"]?.string {
      case "host": "machine key"
      case "tpm2": slot["protection"]?.string == "tpm2" ? "TPM key with PIN" : "TPM key"
      case "passphrase": "passphrase"
      case .some(let other): other
      case nil: "?"
      }
    return "\(kind), level \(slot["protection"]?.string ?? "?")"
  }

  /// A slot in a sentence.
  static func slot(_ slot: JSON) -> String { "slot \(slot["slot"]?.int ?? 0), \(purpose(slot))" }

  /// The words of levels, in a sentence.
  static func levels(_ levels: JSON?) -> String {
    let words = (levels?.array ?? []).compactMap(\.string)
    return words.isEmpty ? "nothing, since nothing is there" : words.joined(separator: ", ")
  }

  static func check(_ result: JSONObject) -> String {
    var listing = Listing()
    for slot in result["slots"]?.array ?? [] {
      listing.add(["slot \(slot["slot"]?.int ?? 0)", "\(purpose(slot)): \(state(slot["state"]))"])
    }
    for record in result["accounts"]?.array ?? [] {
      listing.add([record["account"]?.string ?? "?", state(record["state"])])
    }
    listing.add("problem", result["problem"]?["message"]?.string)
    return listing.text()
  }

  private static func state(_ state: JSON?) -> String {
    switch state?.string {
    case "opens": "ok"
    case "asks": "intact, not opened"
    case "locked": "locked"
    case "foreign": "made on another device"
    case "secret_missing": "device secret missing"
    case "unavailable": "TPM not available"
    case "damaged": "damaged"
    case "unknown": "unknown kind"
    default: state?.string ?? "?"
    }
  }
}
