internal import CPlatform
internal import Glibc

// Others may read shared files, but not change them. They may be symbolic links: see `LinkWalk`.
extension PrivateDirectory {
  private static let rightsToChange: UInt32 = 0o022

  /// Opens a file that the platform provides. It and everything that leads to it, including symbolic links, must belong
  /// to this user or root and not be replaceable by others. Retries, since Kubernetes may be replacing `..data`. Never
  /// blocks.
  package static func openProvidedFile(_ path: String) throws(DirectoryError) -> FileDescriptor {
    for _ in 1..<providedFileAttempts {
      do throws(DirectoryError) { return try openProvidedFileOnce(path) } catch {
        switch error {
        case .untrusted(.dangling, _): continue
        case .system(let cause, _) where cause.isNotFound: continue
        default: throw error
        }
      }
    }
    return try openProvidedFileOnce(path)
  }

  private static let providedFileAttempts = 3

  private static func openProvidedFileOnce(_ path: String) throws(DirectoryError) -> FileDescriptor {
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    let parent = names.dropLast().joined(separator: "/") + "/."
    var walk = try withErrorPath(path) { () throws(SystemError) in
      try SystemCall.checkText(path, "open")
      let number = try SystemCall.checked(unsafe agent_open_path(AT_FDCWD, parent), "open")
      return try LinkWalk(at: String(names[names.count - 1]), in: FileDescriptor(owning: number), allowsSticky: true)
    }
    let name = try walk.run()
    let directory = walk.directory.raw
    let file = FileDescriptor(
      owning: try withErrorPath(path) { () throws(SystemError) in
        // O_NONBLOCK is for FIFOs.
        try SystemCall.libc("openat") {
          unsafe openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        }
      })
    let status = try withErrorPath(path) { () throws(SystemError) in try FileStatus(of: file) }
    let owner = status.owner == 0 ? 0 : geteuid()
    if let problem = status.problem(ofDirectory: false, owner: owner) { throw .untrusted(problem, path: path) }
    return file
  }

  /// Opens a directory that others may read, but only this user may change. `create` creates missing directories with
  /// mode 0700.
  package init(changedByUserAlone path: String, create: Bool) throws(DirectoryError) {
    let path = PrivateDirectory.withoutFinalSlashes(path)
    let opened =
      FileProblem.of(path) == .symbolicLink
      ? try PrivateDirectory.openLinkTarget(path)
      : FileDescriptor(
        owning: try PrivateDirectory.withErrorPath(path) { () throws(SystemError) in
          try PrivateDirectory.openOrCreate(path, create: create)
        })
    let status = try PrivateDirectory.withErrorPath(path) { () throws(SystemError) in try FileStatus(of: opened) }
    if status.owner != Machine.userID { throw .untrusted(.notOwned, path: path) }
    if let problem = status.problem(ofDirectory: true) { throw .untrusted(problem, path: path) }
    self.init(path, opened)
  }

  private static func openLinkTarget(_ path: String) throws(DirectoryError) -> FileDescriptor {
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    let parent = names.dropLast().joined(separator: "/") + "/."
    var walk = try withErrorPath(path) { () throws(SystemError) in
      let number = try SystemCall.checked(unsafe agent_open_path(AT_FDCWD, parent), "open")
      return try LinkWalk(at: String(names[names.count - 1]), in: FileDescriptor(owning: number))
    }
    let name = try walk.run()
    return try directory(name, at: walk, path)
  }

  /// Reads a file that others may read, but not change.
  package borrowing func readFile(changedByUserAlone name: String, limit: Int) throws(SystemError) -> [UInt8] {
    try readFile(name, limit: limit, forbidding: PrivateDirectory.rightsToChange)
  }

  /// Like ``replaceFile(_:with:mode:isDurable:in:)``, but keeps others' read permissions.
  package borrowing func replaceFile(
    changedByUserAlone name: String, with bytes: Span<UInt8>, in reserved: ReservedFile? = nil
  ) throws(SystemError) {
    let mode = (try? FileStatus(of: name, in: descriptor).permissions) ?? 0
    try replaceFile(name, with: bytes, mode: 0o600 | mode & 0o044, in: reserved)
  }

  /// A new file has mode 0600.
  package borrowing func replaceFile(keepingModeOf name: String, with bytes: Span<UInt8>) throws(SystemError) {
    try replaceFile(name, with: bytes, mode: (try? FileStatus(of: name, in: descriptor).permissions) ?? 0o600)
  }

  /// The target of a symbolic link; nil for other files.
  package borrowing func link(_ name: String) -> String? { LinkWalk.target(of: name, in: descriptor) }

  /// Throws `EEXIST` if the name exists.
  package borrowing func createLink(_ name: String, to target: String) throws(SystemError) {
    try PrivateDirectory.checkName(name)
    try SystemCall.checkText(target, "symlinkat")
    let directory = raw
    try SystemCall.libc("symlinkat") { unsafe symlinkat(target, directory, name) }
  }

  /// Calls `body` with the directory and name of a file, or of a symbolic link's target. Throws `untrusted` unless it
  /// is a regular file that only this user may change.
  package borrowing func withTarget<Result: ~Copyable>(
    of name: String, _ body: (borrowing PrivateDirectory, String) throws(SystemError) -> Result
  ) throws(DirectoryError) -> Result {
    let path = "\(path)/\(name)"
    guard LinkWalk.target(of: name, in: descriptor) != nil else { return try withCheckedFile(name, path, body) }
    var walk = try PrivateDirectory.withErrorPath(path) { () throws(SystemError) in
      try LinkWalk(at: name, in: descriptor)
    }
    let last = try walk.run()
    let directory = PrivateDirectory(walk.path, try PrivateDirectory.directory(".", at: walk, path))
    guard directory.exists(last) else { throw .untrusted(.dangling, path: path) }
    return try directory.withCheckedFile(last, "\(directory.path)/\(last)", body)
  }

  private borrowing func withCheckedFile<Result: ~Copyable>(
    _ name: String, _ path: String, _ body: (borrowing PrivateDirectory, String) throws(SystemError) -> Result
  ) throws(DirectoryError) -> Result {
    if let problem = (try? FileStatus(of: name, in: descriptor))?.problem(ofDirectory: false) {
      throw .untrusted(problem, path: path)
    }
    do { return try body(self, name) } catch { throw .system(error, path: path) }
  }

  /// If `name` is missing, the error contains `link`.
  private static func directory(
    _ name: String, at walk: borrowing LinkWalk, _ link: String
  ) throws(DirectoryError) -> FileDescriptor {
    let number = walk.directory.raw
    do {
      return FileDescriptor(
        owning: try SystemCall.libc("open") {
          unsafe openat(number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        })
    } catch {
      throw error.isNotFound ? .untrusted(.dangling, path: link) : .system(error, path: "\(walk.path)/\(name)")
    }
  }
}
