internal import Glibc

/// A temporary file with its own disk space, inode and descriptor, for replacing a file of the same directory without
/// further resources (invariant: reserve first). Removed if unused. Thread-safe.
package final class ReservedFile: Sendable {
  let file: FileDescriptor
  let name: String
  private let inode: UInt64
  private let path: String
  private let isClaimed = Monitor(false)

  init(for name: String, _ byteCount: Int, in directory: borrowing PrivateDirectory) throws(SystemError) {
    self.name = PrivateDirectory.temporaryName(for: name)
    path = "\(directory.path)/\(self.name)"
    file = try directory.openFile(self.name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    do {
      // Other processes must not mistake it for a leftover.
      let number = file.raw
      try SystemCall.libc("flock") { flock(number, LOCK_EX | LOCK_NB) }
      inode = try FileStatus(of: file).inode
      try file.reserve(byteCount)
    } catch {
      _ = unsafe unlinkat(directory.raw, self.name, 0)
      throw error
    }
  }

  deinit {
    // A child process has a copy until its exec.
    flock(file.raw, LOCK_UN)
    if !isClaimed.withLock({ $0 }) { _ = unsafe unlink(path) }
  }

  /// Returns false if the file is gone or already claimed.
  func claim(in directory: borrowing PrivateDirectory) -> Bool {
    guard (try? directory.inode(of: name)) == inode else { return false }
    return isClaimed.withLock { isClaimed in
      defer { isClaimed = true }
      return !isClaimed
    }
  }
}

extension FileDescriptor {
  fileprivate borrowing func reserve(_ count: Int) throws(SystemError) {
    while true {
      switch posix_fallocate(raw, 0, count) {
      case 0, EOPNOTSUPP, EINVAL: return
      case EINTR: continue
      case let number: throw SystemError(errno: number, operation: "posix_fallocate")
      }
    }
  }
}
