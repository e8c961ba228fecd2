internal import Encoding
internal import Vocabulary
internal import Wire

/// A place that an account lists as one that may get its token.
struct ListedPlace: Sendable, Hashable {
  let account: String
  let entry: OriginEntry

  /// Those of one account, or of all. An account that cannot be shown has none.
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
