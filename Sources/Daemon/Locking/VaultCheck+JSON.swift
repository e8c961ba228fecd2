internal import Encoding
internal import Vault
internal import Wire

extension VaultCheck {
  /// `{"sound","slots","accounts","problem"}`.
  var json: JSONObject {
    var object = JSONObject([("sound", .bool(isSound))])
    object["slots"] = .array(
      slots.map { slot in
        var json = slot.summary.json
        json["state"] = .string(slot.state.wireName)
        return .object(json)
      })
    object["accounts"] = .array(
      records.map { record in
        [
          "account": .string(record.account.text), "protection": .string(record.protection.rawValue),
          "state": .string(record.state.rawValue),
        ]
      })
    object["problem"] = problem.map { Failure($0, account: nil).json }
    return object
  }

  /// The result if no vault exists.
  static let nothing = JSONObject([("sound", true), ("slots", .array([])), ("accounts", .array([]))])
}

extension VaultCheck.SlotState {
  fileprivate var wireName: String {
    switch self {
    case .opens: "opens"
    case .needsSecret: "asks"
    case .foreign: "foreign"
    case .deviceSecretMissing: "secret_missing"
    case .unavailable: "unavailable"
    case .damaged: "damaged"
    case .unknown: "unknown"
    }
  }
}
