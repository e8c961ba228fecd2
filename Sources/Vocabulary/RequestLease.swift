/// The lease under which another program sends a request to a resource.
package struct RequestLease: Sendable, Hashable {
  /// The lease's name in events.
  package let name: String
  /// Whether the lease limits paths or methods.
  package let isNarrow: Bool

  package init(name: String, isNarrow: Bool) {
    self.name = name
    self.isNarrow = isNarrow
  }
}
