/// The lease under which another program sends a request.
package struct RequestLease: Sendable, Hashable {
  package let name: String
  /// Whether the lease limits paths or methods.
  package let isNarrow: Bool

  package init(name: String, isNarrow: Bool) {
    self.name = name
    self.isNarrow = isNarrow
  }
}
