internal import Glibc

/// The result of `stat(2)`.
struct FileStatus: Sendable, Hashable {
  let owner: UInt32
  let permissions: UInt32
  let isRegular: Bool
  let isSocket: Bool
  let size: Int
  let inode: UInt64
  let device: UInt64
  let stamp: FileStamp

  private init(_ raw: stat) {
    owner = raw.st_uid
    permissions = raw.st_mode & 0o7777
    isRegular = raw.st_mode & S_IFMT == S_IFREG
    isSocket = raw.st_mode & S_IFMT == S_IFSOCK
    size = Int(raw.st_size)
    inode = UInt64(raw.st_ino)
    device = UInt64(raw.st_dev)
    stamp = FileStamp(raw)
  }

  init(of descriptor: borrowing FileDescriptor) throws(SystemError) {
    var raw = stat()
    let number = descriptor.raw
    try SystemCall.libc("fstat") { unsafe fstat(number, &raw) }
    self.init(raw)
  }

  /// Does not follow a final link.
  init?(at path: String) {
    var raw = stat()
    guard unsafe lstat(path, &raw) == 0 else { return nil }
    self.init(raw)
  }

  /// Does not follow a link.
  init(of name: String, in directory: borrowing FileDescriptor) throws(SystemError) {
    var raw = stat()
    let number = directory.raw
    try SystemCall.libc("fstatat") { unsafe fstatat(number, name, &raw, AT_SYMLINK_NOFOLLOW) }
    self.init(raw)
  }

  /// Throws `EINVAL`, `EPERM`, `EACCES` or `EFBIG` like ``PrivateDirectory/readFile(_:limit:forbidding:)``.
  func check(limit: Int, forbidding forbidden: UInt32 = 0o077) throws(SystemError) {
    guard isRegular else { throw SystemError(errno: EINVAL, operation: "openat") }
    guard owner == Machine.userID else { throw SystemError(errno: EPERM, operation: "openat") }
    guard permissions & forbidden == 0 else { throw SystemError(errno: EACCES, operation: "openat") }
    guard size <= limit else { throw SystemError(errno: EFBIG, operation: "read") }
  }
}
