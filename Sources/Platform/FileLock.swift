internal import Glibc

/// An exclusive lock that is held as long as this value lives.
package struct FileLock: ~Copyable, Sendable {
  private let file: FileDescriptor

  init(holding file: consuming FileDescriptor) {
    self.file = file
  }

  /// A child that was being started holds a copy of the descriptor for a moment, and closing ours
  /// would not end the lock before the child's is closed too. So it is unlocked by name.
  deinit {
    flock(file.raw, LOCK_UN)
  }

  /// Ends the lock here; says at the place what the end of scope does silently.
  package consuming func release() {}
}
