internal import CPlatform

/// Becomes readable when addresses or routes of this machine come or go (rtnetlink(7)).
///
/// A container may have no such socket; then nothing can be told.
package struct NetworkWatch: ~Copyable, Sendable {
  private let descriptor: FileDescriptor

  package init() throws(SystemError) {
    descriptor = FileDescriptor(owning: try SystemCall.checked(agent_network_watch_create(), "socket"))
  }

  /// For a ``Poller``.
  package var raw: Int32 { descriptor.raw }

  /// Takes what has happened, and says whether an address or a route came: something may be in reach that was not.
  package borrowing func take() -> Bool { agent_network_watch_take(descriptor.raw) == 1 }
}
