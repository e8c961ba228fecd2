internal import CPlatform

/// Becomes readable when an address or route of this machine is added or removed (rtnetlink(7)). Creation fails in some
/// containers.
package struct NetworkWatch: ~Copyable, Sendable {
  private let descriptor: FileDescriptor

  package init() throws(SystemError) {
    descriptor = FileDescriptor(owning: try SystemCall.checked(agent_network_watch_create(), "socket"))
  }

  package var raw: Int32 { descriptor.raw }

  /// Discards the events. Returns whether an address or route was added.
  package borrowing func drain() -> Bool { agent_network_watch_take(descriptor.raw) == 1 }
}

/// Becomes readable when a name in a directory is removed or replaced (inotify(7)).
package struct DirectoryWatch: ~Copyable, Sendable {
  private let descriptor: FileDescriptor

  package init(_ directory: borrowing PrivateDirectory) throws(SystemError) {
    descriptor = FileDescriptor(owning: try SystemCall.checked(agent_watch_create(directory.raw), "inotify_add_watch"))
  }

  package var raw: Int32 { descriptor.raw }

  /// Discards the events. Read the directory to find the change.
  package borrowing func drain() { agent_watch_drain(descriptor.raw) }
}
