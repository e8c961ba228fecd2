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
    return listing.text
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
      case "host": "this machine"
      case "tpm2": slot["protection"]?.string == "tpm2" ? "the TPM with a PIN" : "the TPM"
      case "passphrase": "a passphrase"
      case .some(let other): other
      case nil: "?"
      }
    return "\(kind) opens \(slot["protection"]?.string ?? "?")"
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
    return listing.text
  }

  private static func state(_ state: JSON?) -> String {
    switch state?.string {
    case "opens": "it opens"
    case "asks": "it is in order"
    case "locked": "it is locked"
    case "foreign": "it was made on another device"
    case "secret_missing": "the device secret is gone"
    case "unavailable": "the TPM cannot be asked now"
    case "damaged": "it is damaged"
    case "unknown": "this program does not know its kind"
    default: state?.string ?? "?"
    }
  }
}
