internal import CPlatform
internal import Glibc

extension PrivateDirectory {
  /// Performs and undoes the steps of ``replaceFile(_:with:mode:isDurable:in:)`` that could fail for lack of space
  /// (`growth` bytes) or permissions. Throws the failed step's error: `EBUSY` for a mount point, `EPERM` for the
  /// attribute `i` or `a` (chattr(1)).
  package borrowing func rehearseReplacing(_ name: String, growth: Int) throws(SystemError) {
    _ = try reserveReplacement(of: name, growth: growth)
  }

  /// Creates the file for a later ``replaceFile(_:with:mode:isDurable:in:)``, which then needs no disk space. Throws
  /// like ``rehearseReplacing(_:growth:)``.
  package borrowing func reserveReplacement(of name: String, growth: Int) throws(SystemError) -> ReservedFile {
    try PrivateDirectory.checkName(name)
    return try ReservedFile(for: name, try replaceableSize(of: name) + growth, in: self)
  }

  /// Zero if missing. Throws if a rename could not replace the file.
  private borrowing func replaceableSize(of name: String) throws(SystemError) -> Int {
    var size: Int64 = 0
    switch unsafe agent_replaceable(raw, name, &size) {
    case 0: return Int(size)
    // Forbidden in some containers, missing in old kernels.
    case ENOSYS: return (try? FileStatus(of: name, in: descriptor).size) ?? 0
    case let number: throw SystemError(errno: number, operation: "rename")
    }
  }

  /// Creates and removes a file in a directory or its nearest existing parent.
  package static func tryWriting(near path: String) throws(DirectoryError) {
    let directory = try nearest(path)
    try withErrorPath(directory.path) { () throws(SystemError) in
      let name = temporaryName(for: "test")
      let file = try directory.openFile(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
      let number = directory.raw
      defer { unsafe unlinkat(number, name, 0) }
      let byte: [UInt8] = [0]
      try file.writeAll(byte.span)
      let written = file.raw
      try SystemCall.libc("fsync") { fsync(written) }
    }
  }

  /// Opens the directory or its nearest existing parent.
  private static func nearest(_ path: String) throws(DirectoryError) -> PrivateDirectory {
    var path = withoutFinalSlashes(path)
    while true {
      do {
        let number = try SystemCall.libc("open") { () in unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        return PrivateDirectory(path, FileDescriptor(owning: number))
      } catch {
        guard error.isNotFound, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex
        else { throw .system(error, path: path) }
        path = String(path[..<slash])
      }
    }
  }
}
