internal import Crypto
internal import Encoding
internal import OAuth

struct ProxyRoute: Equatable, Sendable {
  let url: String
  let isEncrypted: Bool
  /// In the form `user:password`.
  let credentials: SharedSecret?

  /// Nil for a direct connection to `host`. Throws `setup` unless the proxy's URL is only a known scheme, host and
  /// port.
  init?(_ proxy: Transport.Proxy, host: String) throws(HTTPFailure) {
    guard let uri = try? URI(proxy.url), Transport.Proxy.schemes.contains(where: uri.hasScheme),
      uri.path.isEmpty || uri.path == "/",
      uri.query == nil, uri.fragment == nil
    else { throw HTTPFailure(.setup) }
    if ProxyExclusions(proxy.exclusions).excludes(host) { return nil }
    url = proxy.url
    isEncrypted = uri.isHTTPS
    credentials = proxy.credentials
  }

  static func == (one: ProxyRoute, other: ProxyRoute) -> Bool {
    one.url == other.url && isSame(one.credentials, other.credentials)
  }

  private static func isSame(_ one: SharedSecret?, _ other: SharedSecret?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return one === other || one.bytes.isEqual(to: other.bytes)
  }
}
