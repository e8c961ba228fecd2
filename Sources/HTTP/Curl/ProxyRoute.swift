internal import Crypto
internal import Encoding
internal import OAuth

struct ProxyRoute: Equatable, Sendable {
  let url: String
  /// Whether the connection to the proxy uses TLS.
  let isEncrypted: Bool
  /// `user:password`.
  let credentials: SharedSecret?

  /// The proxy for `host`, or nil if the connection is direct.
  ///
  /// - Throws: `setup` unless the proxy's URL has one of the known schemes and nothing but scheme, host and port.
  init?(_ proxy: Transport.Proxy, host: String) throws(HTTPFailure) {
    guard let uri = try? URI(proxy.url), Transport.Proxy.schemes.contains(where: uri.hasScheme),
      uri.path.isEmpty || uri.path == "/",
      uri.query == nil, uri.fragment == nil
    else { throw HTTPFailure(.setup) }
    if Self.isExcluded(host, by: proxy.exclusions) { return nil }
    url = proxy.url
    isEncrypted = uri.isHTTPS
    credentials = proxy.credentials
  }

  /// Whether a list in the format of `no_proxy` names the host. An entry matches its name and all subdomains, with or
  /// without a leading dot; `*` matches all. A trailing dot is ignored, as by curl. Addresses are compared as text.
  static func isExcluded(_ host: String, by list: String) -> Bool {
    let host = withoutFinalDot(host.lowercased())
    return list.utf8.split(whereSeparator: { $0 == 0x2C || $0 == 0x20 || $0 == 0x09 }).contains { part in
      let entry = withoutFinalDot(String(decoding: part, as: UTF8.self).lowercased())
      if entry == "*" { return true }
      let name = entry.utf8.first == UInt8(ascii: ".") ? String(entry.dropFirst()) : entry
      return !name.isEmpty && (host == name || host == "[\(name)]" || host.hasSuffix("." + name))
    }
  }

  private static func withoutFinalDot(_ name: String) -> String {
    name.utf8.last == UInt8(ascii: ".") ? String(name.dropLast()) : name
  }

  static func == (one: ProxyRoute, other: ProxyRoute) -> Bool {
    one.url == other.url && isSame(one.credentials, other.credentials)
  }

  private static func isSame(_ one: SharedSecret?, _ other: SharedSecret?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return one === other || one.bytes.isEqual(to: other.bytes)
  }
}
