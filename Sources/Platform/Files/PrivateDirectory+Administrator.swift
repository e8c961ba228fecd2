internal import Glibc

extension PrivateDirectory {
  /// Reads a file that only this administrator can have changed: the file and its directory are the administrator's,
  /// are no links, and nobody else may write to them.
  ///
  /// - Parameters:
  ///   - path: Of a file in a directory that is reached without links.
  ///   - owner: The user id of the administrator.
  /// - Returns: Nil if there is no such file.
  package static func readFile(
    at path: String, changedOnlyBy owner: UInt32 = 0, limit: Int
  ) throws(DirectoryError) -> [UInt8]? {
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    let place = names.dropLast().joined(separator: "/")
    do {
      let directory = FileDescriptor(
        owning: try SystemCall.library("open") {
          unsafe open(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        })
      if let problem = try FileStatus(of: directory).problem(ofDirectory: true, owner) {
        throw DirectoryError.untrusted(problem, path: place)
      }
      let (number, name) = (directory.raw, String(names[names.count - 1]))
      let file = FileDescriptor(
        owning: try SystemCall.library("open") {
          unsafe openat(number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        })
      if let problem = try FileStatus(of: file).problem(ofDirectory: false, owner) {
        throw DirectoryError.untrusted(problem, path: path)
      }
      return try file.readToEnd(limit: limit)
    } catch let error as SystemError {
      if error.isNotFound { return nil }
      throw .system(error, path: path)
    } catch let error as DirectoryError {
      throw error
    } catch {
      fatalError("no other error is thrown here")
    }
  }
}

extension FileStatus {
  fileprivate func problem(ofDirectory isDirectory: Bool, _ owner: UInt32) -> FileProblem? {
    if !isDirectory && !isRegular { return .notRegular }
    if self.owner != owner { return .notOwned }
    return permissions & 0o022 == 0 ? nil : .writable(mode: permissions, isDirectory: isDirectory)
  }
}
