internal import Glibc

/// Identifies a file's content: equal stamps mean no change.
package struct FileStamp: Sendable, Hashable {
  private let device: UInt64
  private let inode: UInt64
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int

  init(_ raw: stat) {
    device = UInt64(raw.st_dev)
    inode = UInt64(raw.st_ino)
    size = Int(raw.st_size)
    seconds = raw.st_mtim.tv_sec
    nanoseconds = raw.st_mtim.tv_nsec
  }

  /// In unix seconds.
  package var writtenAt: Int { seconds }

  /// Does not follow a link.
  package init?(at path: String) {
    guard let status = FileStatus(at: path) else { return nil }
    self = status.stamp
  }
}

extension PrivateDirectory {
  /// Nil if missing. Does not follow a link.
  package borrowing func stamp(of name: String) throws(SystemError) -> FileStamp? {
    try PrivateDirectory.checkName(name)
    do { return try FileStatus(of: name, in: descriptor).stamp } catch {
      if error.isNotFound { return nil }
      throw error
    }
  }
}
