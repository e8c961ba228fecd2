internal import CPlatform

/// Becomes readable when a name in a directory goes away or is replaced (inotify(7)).
package struct DirectoryWatch: ~Copyable, Sendable {
  private let descriptor: FileDescriptor

  package init(_ directory: borrowing PrivateDirectory) throws(SystemError) {
    descriptor = FileDescriptor(owning: try SystemCall.checked(agent_watch_create(directory.raw), "inotify_add_watch"))
  }

  /// For a ``Poller``.
  package var raw: Int32 { descriptor.raw }

  /// Discards the events. The caller reads the directory to see what changed.
  package borrowing func drain() { agent_watch_drain(descriptor.raw) }
}
