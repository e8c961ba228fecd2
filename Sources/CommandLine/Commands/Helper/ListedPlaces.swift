internal import Encoding
internal import Vocabulary
internal import Wire

/// An origin that may get an account's token, according to its settings.
struct ListedPlace: Sendable, Hashable {
  let account: String
  let entry: OriginEntry

  /// Those of one account, or of all. Empty for an account that cannot be shown.
  static func all(of account: String?, _ client: DaemonClient) throws(Failure) -> [ListedPlace] {
    var accounts = account.map { [$0] } ?? []
    if account == nil {
      accounts = try client.ask(.state(.list))["accounts"]?.array?.compactMap { $0[.name]?.string } ?? []
    }
    var places: [ListedPlace] = []
    for account in accounts {
      guard let shown = try? client.ask(.account(.show(account: account))) else { continue }
      for text in shown["settings"]?["origins"]?.array ?? [] {
        guard let entry = text.string.flatMap({ OriginEntry($0, allowHTTPLoopback: true) }) else { continue }
        places.append(ListedPlace(account: account, entry: entry))
      }
    }
    return places
  }
}
