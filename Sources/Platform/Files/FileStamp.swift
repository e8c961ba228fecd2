internal import Glibc

/// Tells whether a file is still the one that was read.
package struct FileStamp: Sendable, Hashable {
  private let inode: UInt64
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int

  init(_ raw: stat) {
    inode = UInt64(raw.st_ino)
    size = Int(raw.st_size)
    seconds = raw.st_mtim.tv_sec
    nanoseconds = raw.st_mtim.tv_nsec
  }
}

extension FileStamp {
  /// When the content was last written, in unix seconds.
  package var writtenAt: Int { seconds }

  /// The stamp of what is at `path` now, nil when nothing is. A symbolic link is not followed.
  package init?(at path: String) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}

extension PrivateDirectory {
  /// The file's stamp, nil when there is no such name. A symbolic link is not followed.
  package borrowing func stamp(of name: String) throws(SystemError) -> FileStamp? {
    try PrivateDirectory.checkName(name)
    var status = stat()
    let directory = raw
    do {
      try SystemCall.library("fstatat") { unsafe fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) }
    } catch {
      if error.isNotFound { return nil }
      throw error
    }
    return FileStamp(status)
  }
}
