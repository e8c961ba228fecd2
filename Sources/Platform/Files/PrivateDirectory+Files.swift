internal import CPlatform
internal import Glibc

// Names with a slash, "." and ".." throw `EINVAL`: they would lead elsewhere.
extension PrivateDirectory {
  /// Reads a private file of this user. Throws `ENOENT`, `ELOOP` for a symbolic link, `EINVAL` for another kind,
  /// `EPERM` if another user owns it, `EACCES` for a `forbidden` permission, `EFBIG` above `limit` bytes.
  package borrowing func readFile(
    _ name: String, limit: Int, forbidding forbidden: UInt32 = 0o077
  ) throws(SystemError) -> [UInt8] {
    let file = try openToRead(name)
    try FileStatus(of: file).check(limit: limit, forbidding: forbidden)
    return try file.readToEnd(limit: limit)
  }

  /// Like ``readFile(_:limit:forbidding:)``, but also returns the file.
  package borrowing func readKnownFile(_ name: String, limit: Int) throws(SystemError) -> ([UInt8], KnownFile) {
    // Before reading, so that a concurrent write changes the status.
    let known = try KnownFile(try openToRead(name))
    try known.status.check(limit: limit)
    return (try known.descriptor.readToEnd(limit: limit), known)
  }

  private borrowing func openToRead(_ name: String) throws(SystemError) -> FileDescriptor {
    // O_NONBLOCK is for FIFOs.
    try openFile(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
  }

  /// Creates or replaces a file atomically: a crash or power failure leaves the old content or the new. On an error,
  /// the old file still exists.
  ///
  /// - Parameters:
  ///   - mode: The exact permission bits, despite the umask.
  ///   - isDurable: Whether the file must survive a power failure.
  ///   - reserved: From ``reserveReplacement(of:growth:)``.
  package borrowing func replaceFile(
    _ name: String, with bytes: Span<UInt8>, mode: UInt32 = 0o600, isDurable: Bool = true,
    in reserved: ReservedFile? = nil
  ) throws(SystemError) {
    let temporary = try writeTemporary(for: name, bytes, mode: mode, isDurable: isDurable, in: reserved)
    try rename(temporary, to: name, isDurable: isDurable)
  }

  /// Like ``replaceFile(_:with:mode:isDurable:in:)``, but returns the new file; nil, with the file replaced, if no
  /// descriptor is free.
  package borrowing func replaceKnownFile(
    _ name: String, with bytes: Span<UInt8>, in reserved: ReservedFile? = nil
  ) throws(SystemError) -> KnownFile? {
    let temporary = try writeTemporary(for: name, bytes, mode: 0o600, in: reserved)
    let known = try? KnownFile(try openToRead(temporary))
    try rename(temporary, to: name, isDurable: true)
    return known
  }

  private borrowing func rename(_ temporary: String, to name: String, isDurable: Bool) throws(SystemError) {
    let directory = raw
    let new = try? inode(of: temporary)
    do {
      try SystemCall.libc("renameat") { unsafe renameat(directory, temporary, directory, name) }
    } catch {
      // A network file system may report a successful rename as failed.
      guard !wasRenamed(new, at: name, from: temporary) else { return synchronise() }
      unsafe unlinkat(directory, temporary, 0)
      throw error
    }
    if isDurable { synchronise() }
  }

  private borrowing func wasRenamed(_ inode: UInt64?, at name: String, from temporary: String) -> Bool {
    guard let inode, let found = try? self.inode(of: name) else { return false }
    return found == inode && !exists(temporary)
  }

  /// Durably writes a new file with mode 0600. Throws `EEXIST` if the name exists.
  package borrowing func createFile(_ name: String, with bytes: Span<UInt8>) throws(SystemError) {
    let temporary = try writeTemporary(for: name, bytes, mode: 0o600)
    let directory = raw
    defer { unsafe unlinkat(directory, temporary, 0) }
    do { try SystemCall.libc("linkat") { unsafe linkat(directory, temporary, directory, name, 0) } } catch {
      guard let made = try? inode(of: temporary), (try? inode(of: name)) == made else { throw error }
    }
    synchronise()
  }

  /// Removes anything but a directory.
  package borrowing func removeFile(_ name: String, isDurable: Bool = true) throws(SystemError) {
    try PrivateDirectory.checkName(name)
    let directory = raw
    try SystemCall.libc("unlinkat") { unsafe unlinkat(directory, name, 0) }
    if isDurable { synchronise() }
  }

  /// Removes this directory if it is empty.
  package consuming func removeEmpty() {
    let path = path
    _ = try? SystemCall.libc("rmdir") { unsafe rmdir(path) }
  }

  /// Durably overwrites a range of a file in place, which needs no disk space.
  package borrowing func overwrite(_ range: Range<Int>, of name: String, with byte: UInt8) throws(SystemError) {
    let file = try openFile(name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    let number = file.raw
    _ = try SystemCall.libc("lseek") { Int32(truncatingIfNeeded: lseek(number, range.lowerBound, SEEK_SET)) }
    let bytes = [UInt8](repeating: byte, count: range.count)
    try file.writeAll(bytes.span)
    try SystemCall.libc("fsync") { fsync(number) }
  }

  /// Renames a file to the first unused of "NAME.old-1", "NAME.old-2" and so on. Returns its path.
  package borrowing func setAside(_ name: String) throws(SystemError) -> String {
    try PrivateDirectory.checkName(name)
    var number = 1
    while exists("\(name).old-\(number)") { number += 1 }
    let new = "\(name).old-\(number)"
    let directory = raw
    try SystemCall.libc("renameat") { unsafe renameat(directory, name, directory, new) }
    synchronise()
    return "\(path)/\(new)"
  }

  /// True even for a dangling link.
  package borrowing func exists(_ name: String) -> Bool {
    (try? inode(of: name)) != nil
  }

  /// Does not follow a link.
  package borrowing func inode(of name: String) throws(SystemError) -> UInt64 {
    try PrivateDirectory.checkName(name)
    return try FileStatus(of: name, in: descriptor).inode
  }

  package borrowing func isStillAtItsPath() -> Bool {
    guard let found = FileStatus(at: path), let own = try? FileStatus(of: descriptor) else { return false }
    return found.inode == own.inode && found.device == own.device
  }

  borrowing func openFile(_ name: String, _ flags: Int32, mode: UInt32 = 0) throws(SystemError) -> FileDescriptor {
    try PrivateDirectory.checkName(name)
    let directory = raw
    return FileDescriptor(
      owning: try SystemCall.libc("openat") { unsafe openat(directory, name, flags | O_CLOEXEC, mode) })
  }

  /// Throws `EINVAL` unless the name is one component, `ENAMETOOLONG` above 255 bytes.
  static func checkName(_ name: String) throws(SystemError) {
    let bytes = name.utf8
    let isBad = bytes.isEmpty || name == "." || name == ".." || bytes.contains(UInt8(ascii: "/")) || bytes.contains(0)
    if isBad { throw SystemError(errno: EINVAL, operation: "openat") }
    if bytes.count > 255 { throw SystemError(errno: ENAMETOOLONG, operation: "openat") }
  }

  /// Syncs the directory, or the entire file system if necessary (`EINVAL` on vboxsf and 9p). Ignores errors, which do
  /// not undo a rename.
  private borrowing func synchronise() {
    agent_sync_directory(raw)
  }

  /// Writes a temporary file and returns its name.
  private borrowing func writeTemporary(
    for name: String, _ bytes: Span<UInt8>, mode: UInt32, isDurable: Bool = true, in reserved: ReservedFile? = nil
  ) throws(SystemError) -> String {
    try PrivateDirectory.checkName(name)
    if let reserved, reserved.claim(in: self) {
      do {
        try PrivateDirectory.fill(reserved.file, with: bytes, mode: mode, isDurable: isDurable)
      } catch {
        unsafe unlinkat(raw, reserved.name, 0)
        throw error
      }
      return reserved.name
    }
    let temporary = PrivateDirectory.temporaryName(for: name)
    let file = try openFile(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    do {
      try PrivateDirectory.fill(file, with: bytes, mode: mode, isDurable: isDurable)
      try file.close()
    } catch {
      unsafe unlinkat(raw, temporary, 0)
      throw error
    }
    return temporary
  }

  /// A random name ".NAME.RANDOM.tmp".
  static func temporaryName(for name: String) -> String {
    let suffix = Randomness.bytes(8).map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
    return ".\(name).\(suffix).tmp"
  }

  private static func fill(
    _ file: borrowing FileDescriptor, with bytes: Span<UInt8>, mode: UInt32, isDurable: Bool
  ) throws(SystemError) {
    let number = file.raw
    try file.writeAll(bytes)
    // A reserved file is longer.
    try SystemCall.libc("ftruncate") { ftruncate(number, bytes.count) }
    try SystemCall.libc("fchmod") { fchmod(number, mode) }
    if isDurable { try SystemCall.libc("fsync") { fsync(number) } }
  }

  /// Removes temporary files of interrupted writes to these names, except a ``ReservedFile`` in use. The caller must
  /// prevent concurrent writes.
  package borrowing func removeLeftovers(of names: String...) throws(SystemError) {
    let prefixes = names.map { ".\($0)." }
    for found in try fileNames() where found.utf8.first == UInt8(ascii: ".") && found.hasSuffix(".tmp") {
      let isOurs = prefixes.contains { found.hasPrefix($0) && found.utf8.count == $0.utf8.count + 20 }
      if isOurs, !isReserved(found) { try removeFile(found) }
    }
  }

  private borrowing func isReserved(_ name: String) -> Bool {
    guard let file = try? openToRead(name) else { return false }
    let number = file.raw
    do { try SystemCall.libc("flock") { flock(number, LOCK_EX | LOCK_NB) } } catch { return error.wouldBlock }
    return false
  }

  /// All names except "." and "..", sorted bytewise. Skips names that are not UTF-8. Throws `EFBIG` above 10,000.
  package borrowing func fileNames() throws(SystemError) -> [String] {
    try DirectoryListing.names(in: raw, limit: 10_000).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
