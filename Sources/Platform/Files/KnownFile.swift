/// A file whose bytes the caller knows. While this value lives the file's inode is in use, so no other file, written in
/// the same moment and of the same length, can be taken for it.
package final class KnownFile: Sendable {
  let descriptor: FileDescriptor
  let status: FileStatus

  init(_ descriptor: consuming FileDescriptor) throws(SystemError) {
    status = try FileStatus(of: descriptor)
    self.descriptor = descriptor
  }

  /// Whether the path leads to this file, as it was, and still to this user alone. A symbolic link is not followed.
  package func isStill(at path: String) -> Bool { FileStatus(at: path) == status }

  /// As ``FileStamp/init(at:)`` returns it as long as nothing is written.
  package var stamp: FileStamp { status.stamp }
}
