internal import CPlatform
internal import Glibc

extension FileDescriptor {
  /// The kind of an open file.
  package enum Kind: Sendable, Hashable {
    /// A regular file, with the bytes from the current offset to the end.
    case file(Range<Int>)
    /// A pipe or a socket.
    case stream
    case directory
    case other
  }

  package borrowing func kind() throws(SystemError) -> Kind {
    var raw = stat()
    let number = self.raw
    try SystemCall.libc("fstat") { unsafe fstat(number, &raw) }
    switch raw.st_mode & S_IFMT {
    case S_IFIFO, S_IFSOCK: return .stream
    case S_IFDIR: return .directory
    case S_IFREG:
      let offset = try SystemCall.libc("lseek") { lseek(number, 0, SEEK_CUR) }
      return .file(offset..<max(offset, Int(raw.st_size)))
    default: return .other
    }
  }

  /// False for a pipe or socket.
  package borrowing func isSeekable() -> Bool { lseek(raw, 0, SEEK_CUR) >= 0 }

  /// Reads at `offset`, keeping the current offset. Returns the number of bytes.
  package borrowing func read(into buffer: inout MutableSpan<UInt8>, at offset: Int) throws(SystemError) -> Int {
    let number = raw
    return unsafe try buffer.withUnsafeMutableBytes { (bytes) throws(SystemError) in
      try SystemCall.libc("pread") { unsafe pread(number, bytes.baseAddress, bytes.count, offset) }
    }
  }

  /// Creates an in-memory file, with the offset at its start.
  package static func inMemory(_ bytes: Span<UInt8>) throws(SystemError) -> FileDescriptor {
    let file = FileDescriptor(owning: try SystemCall.checked(agent_memory_file(), "memfd_create"))
    try file.writeAll(bytes)
    let number = file.raw
    try SystemCall.libc("lseek") { lseek(number, 0, SEEK_SET) }
    return file
  }
}
