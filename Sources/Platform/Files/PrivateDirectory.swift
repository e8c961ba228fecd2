internal import CPlatform
internal import Glibc

/// A directory that only this user can change, checked on the open descriptor that all operations use.
package struct PrivateDirectory: ~Copyable, Sendable {
  package let path: String
  let descriptor: FileDescriptor

  /// Never close it.
  package var raw: Int32 { descriptor.raw }

  /// All permissions of the group and others.
  package static var allRights: UInt32 { 0o077 }

  /// Opens a directory of this user, not itself a link, that grants others none of the `rights` (permission bits).
  /// Restores this user's permissions to read and search it. `create` creates missing directories with mode 0700.
  package init(
    opening path: String, create: Bool, withoutOthersRights rights: UInt32 = PrivateDirectory.allRights
  ) throws(DirectoryError) {
    let path = PrivateDirectory.withoutFinalSlashes(path)
    descriptor = try PrivateDirectory.openChecked(path, create: create, rights)
    self.path = path
  }

  /// Opens an existing directory for unencrypted tokens, which must not reach a disk. Throws `untrusted` unless it is
  /// in memory, or `runtime`, one of this user's runtime directories, or a parent of these.
  package static func openForTokens(_ path: String, or runtime: String?) throws(DirectoryError) -> PrivateDirectory {
    let directory = try PrivateDirectory(opening: path, create: false)
    let places = [runtime].compactMap { $0 } + UserDirectories.runtimeCandidates()
    let isRuntime = places.contains { place in
      place.utf8.elementsEqual(directory.path.utf8)
        || place.utf8.lastIndex(of: UInt8(ascii: "/")).map { place.utf8[..<$0].elementsEqual(directory.path.utf8) }
          ?? false
    }
    guard isRuntime || FileSystemKind(at: path)?.isMemory ?? false else { throw .untrusted(.onDisk, path: path) }
    return directory
  }

  /// Lets others access entries by name, but not list or change them.
  package func allowOthersToSearch() throws(SystemError) {
    let number = descriptor.raw
    try SystemCall.libc("fchmod") { fchmod(number, 0o711) }
  }

  /// Opens or creates the first usable directory, or throws the first error.
  package static func opening(firstOf paths: [String]) throws(DirectoryError) -> PrivateDirectory {
    var problem: DirectoryError?
    for path in paths {
      do { return try PrivateDirectory(opening: path, create: true) } catch { problem = problem ?? error }
    }
    throw problem ?? .untrusted(.notDirectory, path: "XDG_RUNTIME_DIR")
  }

  init(_ path: String, _ descriptor: consuming FileDescriptor) {
    self.path = path
    self.descriptor = descriptor
  }

  private static func openChecked(
    _ path: String, create: Bool, _ rights: UInt32
  ) throws(DirectoryError) -> FileDescriptor {
    let number = try withErrorPath(path) { () throws(SystemError) in try openOrCreate(path, create: create) }
    let descriptor = FileDescriptor(owning: number)
    let status = try withErrorPath(path) { () throws(SystemError) in try FileStatus(of: descriptor) }
    guard isOwned(status) else { throw .untrusted(.notOwned, path: path) }
    guard deniesRights(status, rights) else {
      throw .untrusted(.tooOpen(mode: status.permissions, isDirectory: true), path: path)
    }
    return descriptor
  }

  private static func isOwned(_ status: FileStatus) -> Bool { status.owner == Machine.userID }

  private static func deniesRights(_ status: FileStatus, _ rights: UInt32) -> Bool { status.permissions & rights == 0 }

  /// Whether ``init(opening:create:withoutOthersRights:)`` would accept the directory. Allocates no heap memory.
  static func isUsable(_ path: UnsafePointer<CChar>) -> Bool {
    guard let number = try? unsafe openDirectory(path), let status = try? FileStatus(of: FileDescriptor(owning: number))
    else { return false }
    return isOwned(status) && deniesRights(status, allRights)
  }

  /// The caller must close the result.
  static func openOrCreate(_ path: String, create: Bool) throws(SystemError) -> Int32 {
    try check(path)
    do {
      let number = try unsafe openDirectory(path)
      repair(number)
      return number
    } catch {
      if error.isPermissionDenied, (try? setOwnersRights(at: path)) != nil { return try unsafe openDirectory(path) }
      guard create, error.isNotFound else { throw error }
    }
    try createWithParents(path)
    return try unsafe openDirectory(path)
  }

  /// Read and search, restored if missing. A missing write permission alone may be intentional.
  private static let ownersRights: UInt32 = 0o500

  /// Restores the owner's permissions, which an unusual umask may have removed.
  private static func repair(_ number: Int32) {
    var status = stat()
    guard unsafe fstat(number, &status) == 0, status.st_uid == Machine.userID,
      status.st_mode & ownersRights != ownersRights
    else { return }
    fchmod(number, status.st_mode & 0o7777 | 0o700)
  }

  /// Throws `EPERM` for another user's directory.
  private static func setOwnersRights(at path: String) throws(SystemError) {
    let directory = FileDescriptor(
      owning: try SystemCall.checked(unsafe agent_open_path(AT_FDCWD, path), "open"))
    let status = try FileStatus(of: directory)
    guard isOwned(status) else { throw SystemError(errno: EPERM, operation: "chmod") }
    let mode = status.permissions | 0o700
    guard mode != status.permissions else { return }
    // fchmod(2) does not accept such a descriptor.
    try SystemCall.libc("chmod") { unsafe chmod("/proc/self/fd/\(directory.raw)", mode) }
  }

  private static func openDirectory(_ path: UnsafePointer<CChar>) throws(SystemError) -> Int32 {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    return try SystemCall.libc("open") { unsafe open(path, flags) }
  }

  static func withErrorPath<Result: ~Copyable>(
    _ path: String, _ body: () throws(SystemError) -> Result
  ) throws(DirectoryError) -> Result {
    do {
      return try body()
    } catch {
      // Linux returns ENOTDIR for a link, POSIX ELOOP.
      let isOther = error.operation == "open" && (error.errno == ENOTDIR || error.errno == ELOOP)
      throw isOther ? .untrusted(.notDirectory, path: path) : .system(error, path: path)
    }
  }

  /// Removes trailing slashes: the kernel would follow a link before them.
  static func withoutFinalSlashes(_ path: String) -> String {
    var path = Substring(path)
    while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
    return String(path)
  }

  /// Throws `EINVAL` for a final "." or "..": the kernel would follow a link before it.
  private static func check(_ path: String) throws(SystemError) {
    try SystemCall.checkText(path, "open")
    let bytes = path.utf8
    if bytes.elementsEqual(".".utf8) || bytes.elementsEqual("..".utf8) || path.hasSuffix("/.") || path.hasSuffix("/..")
    {
      throw SystemError(errno: EINVAL, operation: "open")
    }
  }

  private static func createWithParents(_ path: String) throws(SystemError) {
    do {
      try createDirectory(path)
    } catch {
      guard error.isNotFound, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex
      else { throw error }
      try createWithParents(withoutFinalSlashes(String(path[..<slash])))
      try createDirectory(path)
    }
  }

  private static func createDirectory(_ path: String) throws(SystemError) {
    do {
      try SystemCall.libc("mkdir") { unsafe mkdir(path, 0o700) }
    } catch {
      if error.isNameTaken { return }
      throw error
    }
    // The umask may have cleared some permissions.
    if (try? setOwnersRights(at: path)) == nil, let number = try? unsafe openDirectory(path) {
      let directory = FileDescriptor(owning: number)
      repair(directory.raw)
      extendLifetime(directory)
    }
  }
}

package enum DirectoryError: Error, Hashable, Sendable {
  case system(SystemError, path: String)
  /// The file or directory at `path` is refused.
  case untrusted(FileProblem, path: String)

  /// A command that fixes the problem. Nil if there is none, the path is unprintable, or its file system ignores modes.
  package var remedy: String? {
    let (change, path) =
      switch self {
      // Not for sticky directories such as /tmp.
      case .untrusted(.writable(let mode, _), let path) where mode & 0o1000 == 0: ("go-w", path)
      case .untrusted(.tooOpen(let mode, let isDirectory), let path) where mode & 0o1000 == 0:
        (isDirectory ? "700" : "600", path)
      case .untrusted, .system: ("", "")
      }
    guard !path.isEmpty, path.unicodeScalars.allSatisfy({ $0.isASCII ? $0.value >= 0x20 && $0 != "\u{7F}" : true }),
      FileSystemKind(at: path)?.ignoresModes != true
    else { return nil }
    return
      "chmod \(change) '\(path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
  }

  /// In lowercase without a full stop, with the ``remedy``.
  package var message: String {
    let sentence =
      switch self {
      case .system(let error, let path): "\(path): \(error.message)"
      case .untrusted(let problem, let path): problem.sentence(about: path, mode: problem.mode ?? "")
      }
    return remedy.map { "\(sentence): \($0)" } ?? sentence
  }
}
