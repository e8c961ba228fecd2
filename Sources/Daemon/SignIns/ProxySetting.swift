internal import Encoding
internal import OAuth
internal import Sessions
internal import Wire

/// A proxy's URL for the settings, and its password for the vault.
struct ProxySetting {
  let url: String
  /// `user:password`
  let credentials: String?

  /// The default scheme is http. Throws `invalid_request` if the URL is invalid.
  init(_ text: String) throws(Failure) {
    let invalid = Failure(
      .invalidRequest, "the proxy's URL is not valid",
      hint: "use one that begins with http://, https://, socks5:// or socks5h://")
    let proxy = text.range(ofASCII: "://") != nil ? text : "http://" + text
    guard let start = proxy.range(ofASCII: "://") else { throw invalid }
    var rest = proxy[start.upperBound...]
    let authority = rest.prefix { $0 != "/" }
    if let at = authority.lastIndex(of: "@") {
      credentials = String(authority[..<at])
      rest = rest[rest.index(after: at)...]
    } else {
      credentials = nil
    }
    let bare = proxy[..<start.upperBound] + rest
    guard let uri = try? URI(String(bare)), Transport.Proxy.schemes.contains(where: uri.hasScheme) else {
      throw invalid
    }
    url = uri.text
  }
}

extension AccountConfiguration {
  /// Replaces or removes the proxy. Returns `user:password` from the URL, for the vault.
  mutating func replaceProxy(from given: AccountSettings) throws(Failure) -> String? {
    self.proxySource = given.proxySource == .option ? .option : nil
    self.proxy = nil
    self.proxyExclusions = given.proxyExclusions
    guard let text = given.proxy, !text.isEmpty else { return nil }
    let setting = try ProxySetting(text)
    self.proxy = setting.url
    return setting.credentials
  }

  /// Like ``replaceProxy(from:)``, but keeps a proxy set with an option if the request names none.
  mutating func replaceProxyUnlessNamed(from given: AccountSettings) throws(Failure) -> String? {
    given.proxySource == nil && self.proxySource == .option ? nil : try replaceProxy(from: given)
  }
}

extension String {
  fileprivate func range(ofASCII needle: String) -> Range<String.Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(needle) { return start..<index(start, offsetBy: needle.count) }
      start = index(after: start)
    }
    return nil
  }
}
