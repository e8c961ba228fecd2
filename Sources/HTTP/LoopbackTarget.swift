/// The one request that a redirect listener waits for.
package struct LoopbackTarget: Sendable, Hashable {
  /// What the `Host` header may be: the address and the port that the redirect URI names.
  package let hosts: [String]
  /// From "/" on, as it is in the redirect URI.
  package let path: String

  package init(hosts: [String], path: String) {
    self.hosts = hosts
    self.path = path
  }
}
