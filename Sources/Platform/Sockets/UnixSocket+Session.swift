internal import CPlatform
internal import Glibc

// The program started for each token must avoid heap allocations, which cost page faults.
extension UnixSocket {
  /// Connects to the socket `name` in ``UserDirectories/sessionRuntimeDirectory`` by the rules of ``PrivateDirectory``,
  /// without heap allocations. Nil if no process listens, the daemon is in a private namespace, the directory is
  /// missing or not private, or the path is too long. Throws `EAGAIN` after the timeout.
  package static func connectInSession(name: String, seconds: Int) throws(SystemError) -> FileDescriptor? {
    try unsafe connectInSession(of: getenv("XDG_RUNTIME_DIR"), name: name, seconds: seconds)
  }

  /// With `home` as `XDG_RUNTIME_DIR`.
  package static func connectInSession(
    of home: UnsafePointer<CChar>?, name: String, seconds: Int
  ) throws(SystemError) -> FileDescriptor? {
    let capacity = agent_unix_path_capacity() + 1 + Namespaces.fileName.utf8.count
    return try unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) {
      (path) throws(SystemError) in try unsafe connect(home, building: path, name, seconds)
    }
  }

  /// Builds the socket's path in `path`.
  private static func connect(
    _ home: UnsafePointer<CChar>?, building path: UnsafeMutableBufferPointer<CChar>, _ name: String, _ seconds: Int
  ) throws(SystemError) -> FileDescriptor? {
    guard let start = path.baseAddress, let home = unsafe home,
      unsafe home.pointee == CChar(bitPattern: UInt8(ascii: "/"))
    else { return nil }
    var length = unsafe strlen(home)
    while length > 1, unsafe home[length - 1] == CChar(bitPattern: UInt8(ascii: "/")) { length -= 1 }
    let part = UserDirectories.runtimePart
    guard length + part.utf8.count + 1 + name.utf8.count <= agent_unix_path_capacity() else { return nil }
    unsafe memcpy(start, home, length)
    unsafe append(part, to: start, &length)
    guard unsafe PrivateDirectory.isUsable(start) else { return nil }
    unsafe append("/", to: start, &length)
    let directory = length
    unsafe append(Namespaces.fileName, to: start, &length)
    // The file's content is compared elsewhere.
    guard unsafe access(start, F_OK) != 0 else { return nil }
    length = directory
    unsafe append(name, to: start, &length)
    do {
      return try unsafe connect(toAddress: start, seconds: seconds)
    } catch {
      if error.wouldBlock { throw error }
      return nil
    }
  }

  /// The caller has checked the space, including a final NUL.
  private static func append(_ text: String, to start: UnsafeMutablePointer<CChar>, _ length: inout Int) {
    for byte in text.utf8 {
      unsafe start[length] = CChar(bitPattern: byte)
      length += 1
    }
    unsafe start[length] = 0
  }
}
