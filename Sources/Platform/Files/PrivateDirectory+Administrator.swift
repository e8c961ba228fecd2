internal import Glibc

extension PrivateDirectory {
  /// Reads a file of at most `limit` bytes that only the administrator `owner` (a user ID) can change: it and its
  /// directory belong to `owner`, are not links, and are not writable by others. Nil if missing.
  package static func readFile(
    at path: String, changedOnlyBy owner: UInt32 = 0, limit: Int
  ) throws(DirectoryError) -> [UInt8]? {
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    let (directoryPath, name) = (names.dropLast().joined(separator: "/"), String(names[names.count - 1]))
    do throws(DirectoryError) {
      let directory = FileDescriptor(owning: try directory(at: directoryPath, changedOnlyBy: owner))
      let number = directory.raw
      let file = FileDescriptor(
        owning: try withErrorPath(path) { () throws(SystemError) in
          // O_NONBLOCK is for FIFOs.
          try SystemCall.libc("openat") {
            unsafe openat(number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
          }
        })
      let status = try withErrorPath(path) { () throws(SystemError) in try FileStatus(of: file) }
      if let problem = status.problem(ofDirectory: false, owner: owner) { throw .untrusted(problem, path: path) }
      return try withErrorPath(path) { () throws(SystemError) in try file.readToEnd(limit: limit) }
    } catch {
      if case .system(let cause, _) = error, cause.isNotFound { return nil }
      throw error
    }
  }

  /// The unordered names in a directory that only the administrator `owner` (a user ID) can change. Nil if missing.
  /// Throws `EFBIG` above `limit`.
  package static func names(
    in directoryPath: String, changedOnlyBy owner: UInt32 = 0, limit: Int
  ) throws(DirectoryError) -> [String]? {
    do throws(DirectoryError) {
      let directory = FileDescriptor(owning: try directory(at: directoryPath, changedOnlyBy: owner))
      let number = directory.raw
      return try withErrorPath(directoryPath) { () throws(SystemError) in
        try DirectoryListing.names(in: number, limit: limit)
      }
    } catch {
      if case .system(let cause, _) = error, cause.isNotFound { return nil }
      throw error
    }
  }

  /// The caller must close the result.
  private static func directory(at directoryPath: String, changedOnlyBy owner: UInt32) throws(DirectoryError) -> Int32 {
    let directory = FileDescriptor(
      owning: try withErrorPath(directoryPath) { () throws(SystemError) in
        try SystemCall.libc("open") { unsafe open(directoryPath, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
      })
    let found = try withErrorPath(directoryPath) { () throws(SystemError) in try FileStatus(of: directory) }
    if let problem = found.problem(ofDirectory: true, owner: owner) { throw .untrusted(problem, path: directoryPath) }
    return directory.release()
  }
}
