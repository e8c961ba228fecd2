/// A file whose content the caller knows. Stays open, so that no other file can get its inode number.
package final class KnownFile: Sendable {
  let descriptor: FileDescriptor
  let status: FileStatus

  init(_ descriptor: consuming FileDescriptor) throws(SystemError) {
    status = try FileStatus(of: descriptor)
    self.descriptor = descriptor
  }

  /// Whether the path leads to this file, unmodified. Does not follow a symbolic link.
  package func isUnmodified(at path: String) -> Bool { FileStatus(at: path) == status }

  /// The file's stamp when it was read or written.
  package var stamp: FileStamp { status.stamp }
}
