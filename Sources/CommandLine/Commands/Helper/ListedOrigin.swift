internal import Encoding
internal import Wire

struct ListedOrigin: Sendable, Hashable {
  let account: String
  let entry: OriginEntry

  /// The origins of one account, or of all.
  static func all(of account: String?, _ client: DaemonClient) throws(Failure) -> [ListedOrigin] {
    let accounts = try client.ask(.state(.list))["accounts"]?.array ?? []
    return accounts.flatMap { listed in
      guard let name = listed[.name]?.string, account.map({ $0.hasSameBytes(as: name) }) ?? true else {
        return [ListedOrigin]()
      }
      return (listed[.origins]?.array ?? []).compactMap { origin in
        origin.string.flatMap { OriginEntry($0, allowHTTPLoopback: true) }.map {
          ListedOrigin(account: name, entry: $0)
        }
      }
    }
  }
}
