internal import Glibc

package enum FileTree {
  private static let maximumDepth = 64

  /// Removes a file, or a directory with its contents. Symbolic links are removed, never followed, so nothing outside
  /// the tree is removed even if the tree changes meanwhile.
  ///
  /// - Throws: `ENOENT` if it does not exist, `ELOOP` if the tree is more than 64 levels deep, or the first other
  ///   error, leaving the rest of the tree.
  package static func remove(_ path: String) throws(SystemError) {
    try SystemCall.checkText(path, "unlinkat")
    try remove(path, in: AT_FDCWD, depth: 0)
  }

  private static func remove(_ name: String, in directory: Int32, depth: Int) throws(SystemError) {
    do {
      try SystemCall.library("unlinkat") { unsafe unlinkat(directory, name, 0) }
      return
    } catch {
      // Linux returns EISDIR for a directory, POSIX EPERM.
      guard error.errno == EISDIR || error.errno == EPERM else { throw error }
    }
    guard depth < maximumDepth else { throw SystemError(errno: ELOOP, operation: "unlinkat") }
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    let child = FileDescriptor(
      owning: try SystemCall.library("openat") { unsafe openat(directory, name, flags, 0) })
    for entry in try DirectoryListing.names(in: child.raw, limit: 1_000_000) {
      try remove(entry, in: child.raw, depth: depth + 1)
    }
    try SystemCall.library("unlinkat") { unsafe unlinkat(directory, name, AT_REMOVEDIR) }
  }
}
