/// A file whose bytes the caller knows. While this value exists the file's inode is in use, so that another file
/// written at the same time with the same length cannot be mistaken for it.
package final class KnownFile: Sendable {
  let descriptor: FileDescriptor
  let status: FileStatus

  init(_ descriptor: consuming FileDescriptor) throws(SystemError) {
    status = try FileStatus(of: descriptor)
    self.descriptor = descriptor
  }

  /// Whether the path leads to this unmodified file, still private to this user. Does not follow a symbolic link.
  package func isStill(at path: String) -> Bool { FileStatus(at: path) == status }

  /// Equal to ``FileStamp/init(at:)`` as long as nothing is written.
  package var stamp: FileStamp { status.stamp }
}
