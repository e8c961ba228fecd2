package import Encoding

extension AccountConfiguration {
  /// Whether the account's access token, or a proof for it, may go to this URL.
  package func mayUseToken(at url: URI) -> Bool {
    url.isHTTPS || (allowHTTPLoopback && url.isHTTPLoopback)
  }
}
