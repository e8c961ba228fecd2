/// The lease of a request to a resource.
package struct RequestLease: Sendable, Hashable {
  /// The name in events.
  package let name: String
  /// Whether paths or methods are limited.
  package let isNarrow: Bool

  package init(name: String, isNarrow: Bool) {
    self.name = name
    self.isNarrow = isNarrow
  }
}
