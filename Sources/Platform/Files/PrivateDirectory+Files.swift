internal import CPlatform
internal import Glibc

// Every name here is one component. A name with a slash, "." and ".." are `EINVAL`: names are made
// of account names, and none may lead out of the directory.
extension PrivateDirectory {
  /// Reads a file that only this user can have written and only this user can read.
  ///
  /// - Parameter forbidden: The permission bits of which none may be set.
  /// - Throws: `ENOENT`; `ELOOP` for a symbolic link; `EINVAL` for anything else that is no regular
  ///   file; `EPERM` when another user owns it; `EACCES` when its group or others have any right to
  ///   it; `EFBIG` when it is longer than `limit` bytes.
  package borrowing func readFile(
    _ name: String, limit: Int, forbidding forbidden: UInt32 = 0o077
  ) throws(SystemError) -> [UInt8] {
    let file = try openToRead(name)
    try FileStatus(of: file).check(limit: limit, forbidding: forbidden)
    return try file.readToEnd(limit: limit)
  }

  /// Reads a file as ``readFile(_:limit:forbidding:)`` does, and keeps hold of it.
  package borrowing func readKnownFile(_ name: String, limit: Int) throws(SystemError) -> ([UInt8], KnownFile) {
    // What is written while it is read changes the stamp, which is taken before.
    let known = try KnownFile(try openToRead(name))
    try known.status.check(limit: limit)
    return (try known.descriptor.readToEnd(limit: limit), known)
  }

  private borrowing func openToRead(_ name: String) throws(SystemError) -> FileDescriptor {
    // Without O_NONBLOCK the open of a named pipe would wait for a writer.
    try openFile(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
  }

  /// Writes a file, or replaces it atomically: after a crash or power failure the name has either all the old bytes or
  /// all the new ones, and after a return the new ones, if the file system can sync a directory.
  ///
  /// - Parameters:
  ///   - mode: The exact permission bits, whatever the umask.
  ///   - isDurable: Whether the file survives a power failure. False for files that are useless after a restart of the
  ///     machine.
  /// - Throws: The error of the step that failed. The old file is still there then.
  package borrowing func replaceFile(
    _ name: String, with bytes: Span<UInt8>, mode: UInt32 = 0o600, isDurable: Bool = true
  ) throws(SystemError) {
    let temporary = try writeTemporary(for: name, bytes, mode: mode, isDurable: isDurable)
    try rename(temporary, to: name, isDurable: isDurable)
  }

  /// Replaces a file as ``replaceFile(_:with:mode:isDurable:)`` does, and keeps hold of the new one.
  ///
  /// - Returns: Nil if there is no descriptor for that; the file is replaced all the same.
  package borrowing func replaceKnownFile(_ name: String, with bytes: Span<UInt8>) throws(SystemError) -> KnownFile? {
    let temporary = try writeTemporary(for: name, bytes, mode: 0o600)
    let known = try? KnownFile(try openToRead(temporary))
    try rename(temporary, to: name, isDurable: true)
    return known
  }

  private borrowing func rename(_ temporary: String, to name: String, isDurable: Bool) throws(SystemError) {
    let directory = raw
    let new = try? inode(of: temporary)
    do {
      try SystemCall.library("renameat") { unsafe renameat(directory, temporary, directory, name) }
    } catch {
      // A network file system may lose the answer, and fail a rename that it has done.
      guard !isDone(new, at: name, from: temporary) else { return synchronise() }
      unsafe unlinkat(directory, temporary, 0)
      throw error
    }
    if isDurable { synchronise() }
  }

  /// Whether a file has come from its temporary name to another one.
  private borrowing func isDone(_ inode: UInt64?, at name: String, from temporary: String) -> Bool {
    guard let inode, let found = try? self.inode(of: name) else { return false }
    return found == inode && !exists(temporary)
  }

  /// Creates a new durable file with mode 0600.
  ///
  /// - Throws: `EEXIST` if the name exists; nothing has changed then.
  package borrowing func createFile(_ name: String, with bytes: Span<UInt8>) throws(SystemError) {
    let temporary = try writeTemporary(for: name, bytes, mode: 0o600)
    let directory = raw
    defer { unsafe unlinkat(directory, temporary, 0) }
    // A link, unlike a rename, fails if the name exists.
    do { try SystemCall.library("linkat") { unsafe linkat(directory, temporary, directory, name, 0) } } catch {
      guard let made = try? inode(of: temporary), (try? inode(of: name)) == made else { throw error }
    }
    synchronise()
  }

  /// Removes a name. The file may be of any kind except a directory.
  package borrowing func removeFile(_ name: String, isDurable: Bool = true) throws(SystemError) {
    try PrivateDirectory.checkName(name)
    let directory = raw
    try SystemCall.library("unlinkat") { unsafe unlinkat(directory, name, 0) }
    if isDurable { synchronise() }
  }

  /// Removes the directory itself, if it is empty.
  package consuming func removeEmpty() {
    let path = path
    _ = try? SystemCall.library("rmdir") { unsafe rmdir(path) }
  }

  /// Overwrites a part of a file with one byte, in place and durably. It needs no space on the disk.
  package borrowing func overwrite(_ range: Range<Int>, of name: String, with byte: UInt8) throws(SystemError) {
    let file = try openFile(name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    let number = file.raw
    _ = try SystemCall.library("lseek") { Int32(truncatingIfNeeded: lseek(number, range.lowerBound, SEEK_SET)) }
    let bytes = [UInt8](repeating: byte, count: range.count)
    try file.writeAll(bytes.span)
    try SystemCall.library("fsync") { fsync(number) }
  }

  /// Renames a file of any kind to the first free name of "NAME.old-1", "NAME.old-2" and so on.
  ///
  /// - Returns: The new path.
  package borrowing func setAside(_ name: String) throws(SystemError) -> String {
    try PrivateDirectory.checkName(name)
    var number = 1
    while exists("\(name).old-\(number)") { number += 1 }
    let new = "\(name).old-\(number)"
    let directory = raw
    try SystemCall.library("renameat") { unsafe renameat(directory, name, directory, new) }
    synchronise()
    return "\(path)/\(new)"
  }

  /// Whether the name exists; a dangling link counts.
  package borrowing func exists(_ name: String) -> Bool {
    (try? inode(of: name)) != nil
  }

  /// The inode number of a name, without following a link.
  package borrowing func inode(of name: String) throws(SystemError) -> UInt64 {
    try PrivateDirectory.checkName(name)
    return try FileStatus(of: name, in: descriptor).inode
  }

  /// Whether ``path`` still leads to this directory.
  package borrowing func isStillAtItsPath() -> Bool {
    var found = stat()
    guard unsafe lstat(path, &found) == 0, let own = try? FileStatus(of: descriptor) else { return false }
    return UInt64(found.st_ino) == own.inode && UInt64(found.st_dev) == own.device
  }

  borrowing func openFile(_ name: String, _ flags: Int32, mode: UInt32 = 0) throws(SystemError) -> FileDescriptor {
    try PrivateDirectory.checkName(name)
    let directory = raw
    return FileDescriptor(
      owning: try SystemCall.library("openat") { unsafe openat(directory, name, flags | O_CLOEXEC, mode) })
  }

  static func checkName(_ name: String) throws(SystemError) {
    let bytes = name.utf8
    let isBad = bytes.isEmpty || name == "." || name == ".." || bytes.contains(UInt8(ascii: "/")) || bytes.contains(0)
    if isBad { throw SystemError(errno: EINVAL, operation: "openat") }
    if bytes.count > 255 { throw SystemError(errno: ENAMETOOLONG, operation: "openat") }
  }

  /// Has the names in the directory written to the disk.
  ///
  /// An error is none of the change of the name, which every process sees already, and whose file is on the disk: who
  /// reported it as failed would be wrong. Some file systems have no such call for a directory (`EINVAL` on vboxsf and
  /// 9p), so that of the whole file system is tried then.
  private borrowing func synchronise() {
    agent_sync_directory(raw)
  }
}

extension PrivateDirectory {
  /// A temporary file ".NAME.RANDOM.tmp" whose bytes are on the disk. Removed again on failure.
  private borrowing func writeTemporary(
    for name: String, _ bytes: Span<UInt8>, mode: UInt32, isDurable: Bool = true
  ) throws(SystemError) -> String {
    try PrivateDirectory.checkName(name)
    let temporary = PrivateDirectory.temporaryName(for: name)
    let file = try openFile(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    do {
      try PrivateDirectory.fill(file, with: bytes, mode: mode, isDurable: isDurable)
    } catch {
      unsafe unlinkat(raw, temporary, 0)
      throw error
    }
    return temporary
  }

  static func temporaryName(for name: String) -> String {
    let suffix = Randomness.bytes(8).map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
    return ".\(name).\(suffix).tmp"
  }

  private static func fill(
    _ file: consuming FileDescriptor, with bytes: Span<UInt8>, mode: UInt32, isDurable: Bool
  ) throws(SystemError) {
    let number = file.raw
    try file.writeAll(bytes)
    try SystemCall.library("fchmod") { fchmod(number, mode) }
    if isDurable { try SystemCall.library("fsync") { fsync(number) } }
    try file.close()
  }

  /// Removes the temporary files of interrupted writes of these names. Call it under the lock that guards them, or a
  /// running write loses its file.
  package borrowing func removeLeftovers(of names: String...) throws(SystemError) {
    let prefixes = names.map { ".\($0)." }
    for found in try fileNames() where found.utf8.first == UInt8(ascii: ".") && found.hasSuffix(".tmp") {
      let isOurs = prefixes.contains { found.hasPrefix($0) && found.utf8.count == $0.utf8.count + 20 }
      if isOurs { try removeFile(found) }
    }
  }

  /// All names but "." and "..", sorted by their bytes. Names that are not UTF-8 are left out.
  ///
  /// - Throws: `EFBIG` when there are more than 10,000.
  package borrowing func fileNames() throws(SystemError) -> [String] {
    try DirectoryListing.names(in: raw, limit: 10_000).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
