/// The lease through which a request to a resource came.
package struct RequestLease: Sendable, Hashable {
  /// The name of the lease in its events.
  package let name: String
  /// Whether the lease is limited to paths or methods.
  package let isNarrow: Bool

  package init(name: String, isNarrow: Bool) {
    self.name = name
    self.isNarrow = isNarrow
  }
}
