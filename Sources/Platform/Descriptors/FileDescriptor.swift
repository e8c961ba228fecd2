internal import CPlatform
internal import Glibc

/// An open descriptor, closed on destruction. This module opens descriptors close-on-exec.
@usableFromInline package struct FileDescriptor: ~Copyable, Sendable {
  /// Never close it.
  package let raw: Int32

  package init(owning raw: Int32) {
    precondition(raw >= 0, "a descriptor is never negative")
    self.raw = raw
  }

  deinit {
    _ = Glibc.close(raw)
  }

  /// Closes the descriptor, throwing a delayed write error.
  package consuming func close() throws(SystemError) {
    let number = raw
    discard self
    // On Linux, an interrupted call has closed it.
    if Glibc.close(number) != 0, errno != EINTR { throw SystemError(errno: errno, operation: "close") }
  }

  /// Returns the number, which the caller must close.
  package consuming func release() -> Int32 {
    let number = raw
    discard self
    return number
  }

  /// Returns another descriptor for the same open file.
  package borrowing func duplicate() throws(SystemError) -> FileDescriptor { try Self.duplicate(raw) }

  /// Duplicates a descriptor that remains open.
  package static func duplicate(_ raw: Int32) throws(SystemError) -> FileDescriptor {
    FileDescriptor(owning: try SystemCall.checked(agent_duplicate(raw), "fcntl"))
  }

  /// Sets whether reads and writes throw `EAGAIN` instead of blocking.
  package borrowing func setNonBlocking(_ enabled: Bool) throws(SystemError) {
    try SystemCall.checked(agent_set_nonblocking(raw, enabled ? 1 : 0), "fcntl")
  }

  package enum Access: Sendable {
    case reading
    /// Writes to an existing file from its start.
    case writing
    /// Creates a file with mode 0600, or truncates it.
    case replacing
    /// Appends to a file, or creates it with mode 0600.
    case appending
  }

  /// Opens a file, following symbolic links.
  package init(opening path: String, for access: Access) throws(SystemError) {
    try SystemCall.checkText(path, "open")
    let flags =
      switch access {
      case .reading: O_RDONLY
      case .writing: O_WRONLY
      case .replacing: O_WRONLY | O_CREAT | O_TRUNC
      case .appending: O_WRONLY | O_CREAT | O_APPEND
      }
    self.init(owning: try SystemCall.libc("open") { unsafe open(path, flags | O_CLOEXEC | O_NOCTTY, 0o600) })
  }

  /// Like ``init(opening:for:)``, but throws `ETIMEDOUT` if that takes longer, as for a FIFO. Opening then continues on
  /// another thread.
  package static func opening(
    _ path: String, for access: Access, within timeout: Duration
  ) throws(SystemError) -> FileDescriptor {
    let opened = Monitor<Result<SharedDescriptor, SystemError>?>(nil)
    try Threads.start(name: "opening") {
      let result: Result<SharedDescriptor, SystemError>
      do throws(SystemError) {
        result = .success(SharedDescriptor(try FileDescriptor(opening: path, for: access)))
      } catch {
        result = .failure(error)
      }
      opened.update { $0 = result }
    }
    guard let result = opened.wait(timeout, for: { $0 }) else { throw .timedOut(operation: "open") }
    return try result.get().descriptor.duplicate()
  }

  /// Opens a regular file for reading, following symbolic links. Never blocks. Throws `EISDIR` or `EINVAL` for other
  /// kinds.
  package static func openingRegularFile(_ path: String) throws(SystemError) -> FileDescriptor {
    try SystemCall.checkText(path, "open")
    // O_NONBLOCK is for FIFOs.
    let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
    let file = FileDescriptor(owning: try SystemCall.libc("open") { unsafe open(path, flags) })
    switch try file.kind() {
    case .file: return file
    case .directory: throw SystemError(errno: EISDIR, operation: "open")
    case .stream, .other: throw .unsuitable(operation: "open")
    }
  }
}

/// A new pipe, close-on-exec and blocking. Frozen, so that another module can move the ends out.
@frozen @usableFromInline package struct Pipe: ~Copyable, Sendable {
  package var reading: FileDescriptor
  package var writing: FileDescriptor

  package init() throws(SystemError) {
    let ends = try unsafe SystemCall.pair("pipe2") { unsafe agent_pipe($0) }
    reading = FileDescriptor(owning: ends.0)
    writing = FileDescriptor(owning: ends.1)
  }
}
