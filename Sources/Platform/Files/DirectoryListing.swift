internal import CPlatform
internal import Glibc

enum DirectoryListing {
  /// All names except "." and "..", unordered. Skips names that are not UTF-8. Throws `EFBIG` above `limit`.
  static func names(in directory: Int32, limit: Int) throws(SystemError) -> [String] {
    // A duplicate would share its position.
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    let number = try SystemCall.libc("openat") { unsafe openat(directory, ".", flags, 0) }
    guard let stream = unsafe agent_directory_open(number) else {
      let failure = SystemError(errno: errno, operation: "fdopendir")
      Glibc.close(number)
      throw failure
    }
    defer { unsafe agent_directory_close(stream) }
    var names: [String] = []
    var failure: Int32 = 0
    while let entry = unsafe agent_directory_next(stream, &failure) {
      guard let name = unsafe String(validatingCString: entry), name != ".", name != ".." else { continue }
      if names.count == limit { throw SystemError(errno: EFBIG, operation: "readdir") }
      names.append(name)
    }
    if failure != 0 { throw SystemError(errno: failure, operation: "readdir") }
    return names
  }
}
