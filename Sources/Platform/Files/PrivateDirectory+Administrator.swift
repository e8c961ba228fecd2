internal import Glibc

extension PrivateDirectory {
  /// Reads a file that only the administrator can have changed: it and its directory are owned by the administrator,
  /// not a link, and not writable by others. Nil if the file does not exist.
  ///
  /// - Parameters:
  ///   - owner: The administrator's user ID.
  ///   - limit: In bytes.
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
          // Without O_NONBLOCK, opening a FIFO would wait for a writer.
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

  /// The names in a directory that only the administrator can have changed, unordered. Nil if the directory does not
  /// exist.
  ///
  /// - Parameter limit: The maximum number of files.
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
