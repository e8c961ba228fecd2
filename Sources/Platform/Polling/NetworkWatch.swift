internal import CPlatform

/// Becomes readable when an address or a route of this machine is added or removed (rtnetlink(7)).
///
/// A container may have no such socket; the initialiser throws then.
package struct NetworkWatch: ~Copyable, Sendable {
  private let descriptor: FileDescriptor

  package init() throws(SystemError) {
    descriptor = FileDescriptor(owning: try SystemCall.checked(agent_network_watch_create(), "socket"))
  }

  /// For a ``Poller``.
  package var raw: Int32 { descriptor.raw }

  /// Discards the events, and returns whether an address or a route was added, so that a server may be reachable now.
  package borrowing func take() -> Bool { agent_network_watch_take(descriptor.raw) == 1 }
}
