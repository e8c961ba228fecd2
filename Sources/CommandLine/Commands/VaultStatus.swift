internal import Encoding
internal import Wire

/// What the daemon tells of the vault, as far as commands need it.
struct VaultStatus {
  private let result: JSONObject

  init(over connection: inout DaemonConnection, _ client: DaemonClient) throws(Failure) {
    result = try client.ask(.vault(.status), over: &connection)
  }

  /// What is wrong with the vault; nil when it can be used.
  var problem: Failure? { result["problem"].flatMap { Failure(json: $0) } }

  /// Whether something opens the level.
  func has(_ level: ProtectionLevel) -> Bool { entry(level) != nil }

  func isLocked(_ level: ProtectionLevel) -> Bool { entry(level)?["locked"]?.bool == true }

  /// Whether the account, or any when none is named, is kept at the level.
  func guards(_ account: String?, at level: ProtectionLevel) -> Bool {
    let names = (entry(level)?["accounts"]?.array ?? []).compactMap(\.string)
    guard let account else { return !names.isEmpty }
    return names.contains { $0.utf8.elementsEqual(account.utf8) }
  }

  /// The slots whose passphrase is needed to seal everything anew, by their numbers.
  var slotsThatNeedSecrets: [Int] {
    (result["slots"]?.array ?? []).compactMap { $0["needs_secret"]?.bool == true ? $0["slot"]?.int : nil }
  }

  private func entry(_ level: ProtectionLevel) -> JSON? {
    result["levels"]?.array?.first { $0["protection"]?.string?.utf8.elementsEqual(level.rawValue.utf8) ?? false }
  }
}
