internal import Glibc

extension PrivateDirectory {
  /// Does what ``replaceFile(_:with:mode:isDurable:)`` could fail at for want of space or rights, and undoes it.
  ///
  /// It waits for no disk, so it says nothing of one that is broken.
  ///
  /// - Parameter growth: How many bytes longer than the present file the new one may be.
  /// - Throws: The error of the step that failed.
  package borrowing func rehearseReplacing(_ name: String, growth: Int) throws(SystemError) {
    try PrivateDirectory.checkName(name)
    let size = (try? FileStatus(of: name, in: descriptor).size) ?? 0
    let temporary = PrivateDirectory.temporaryName(for: name)
    let file = try openFile(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    let directory = raw
    defer { unsafe unlinkat(directory, temporary, 0) }
    try file.reserve(size + growth)
  }
}

extension FileDescriptor {
  /// Takes room on the disk for this many bytes. A file system that cannot do so promises nothing.
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
