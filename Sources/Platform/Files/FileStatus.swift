internal import Glibc

/// The properties of a file that decide about access.
struct FileStatus {
  let owner: UInt32
  let permissions: UInt32
  let isRegular: Bool
  let size: Int
  let inode: UInt64
  let device: UInt64

  private init(_ raw: stat) {
    owner = raw.st_uid
    permissions = raw.st_mode & 0o7777
    isRegular = raw.st_mode & S_IFMT == S_IFREG
    size = Int(raw.st_size)
    inode = UInt64(raw.st_ino)
    device = UInt64(raw.st_dev)
  }

  /// The status of an open file.
  init(of descriptor: borrowing FileDescriptor) throws(SystemError) {
    var raw = stat()
    let number = descriptor.raw
    try SystemCall.library("fstat") { unsafe fstat(number, &raw) }
    self.init(raw)
  }

  /// The status of a name in an open directory, without following a link.
  init(of name: String, in directory: borrowing FileDescriptor) throws(SystemError) {
    var raw = stat()
    let number = directory.raw
    try SystemCall.library("fstatat") { unsafe fstatat(number, name, &raw, AT_SYMLINK_NOFOLLOW) }
    self.init(raw)
  }
}
