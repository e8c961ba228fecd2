/// A file with known content, kept open so that no other file can get its inode number.
package final class KnownFile: Sendable {
  let descriptor: FileDescriptor
  let status: FileStatus

  init(_ descriptor: consuming FileDescriptor) throws(SystemError) {
    status = try FileStatus(of: descriptor)
    self.descriptor = descriptor
  }

  /// Whether the path leads to this unmodified file, without following a link.
  package func isUnmodified(at path: String) -> Bool { FileStatus(at: path) == status }

  /// The stamp when the file was read or written.
  package var stamp: FileStamp { status.stamp }
}
