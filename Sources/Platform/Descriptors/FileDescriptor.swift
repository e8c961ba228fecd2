internal import CPlatform
internal import Glibc

/// An open descriptor with one owner, closed when the owner goes away.
///
/// Every descriptor that this module opens is close-on-exec.
@usableFromInline package struct FileDescriptor: ~Copyable, Sendable {
  /// The number, valid as long as this value lives. Never close it.
  package let raw: Int32

  /// Takes over an open descriptor.
  package init(owning raw: Int32) {
    precondition(raw >= 0, "a descriptor is never negative")
    self.raw = raw
  }

  deinit {
    _ = Glibc.close(raw)
  }

  /// Closes now, and throws a delayed write error, which the end of scope would hide.
  package consuming func close() throws(SystemError) {
    let number = raw
    discard self
    // Linux has closed the descriptor even when the call was interrupted.
    if Glibc.close(number) != 0, errno != EINTR { throw SystemError(errno: errno, operation: "close") }
  }

  /// Gives up ownership: the caller closes the number.
  package consuming func release() -> Int32 {
    let number = raw
    discard self
    return number
  }

  /// A second descriptor for the same open file.
  package borrowing func duplicate() throws(SystemError) -> FileDescriptor {
    FileDescriptor(owning: try SystemCall.checked(agent_duplicate(raw), "fcntl"))
  }

  /// Chooses whether reads and writes that would wait throw `EAGAIN`.
  package borrowing func setNonBlocking(_ enabled: Bool) throws(SystemError) {
    try SystemCall.checked(agent_set_nonblocking(raw, enabled ? 1 : 0), "fcntl")
  }
}

extension FileDescriptor {
  /// The access that a file is opened with.
  package enum Access: Sendable {
    /// Reading an existing file.
    case reading
    /// Writing to an existing file, from its start.
    case writing
    /// Writing to a file that is created with mode 0600 or emptied.
    case replacing
    /// Writing to the end of a file, which is created with mode 0600.
    case appending
  }

  /// Opens the file at a path, following symbolic links: for files named by the user.
  package init(opening path: String, for access: Access) throws(SystemError) {
    try SystemCall.checkText(path, "open")
    let flags =
      switch access {
      case .reading: O_RDONLY
      case .writing: O_WRONLY
      case .replacing: O_WRONLY | O_CREAT | O_TRUNC
      case .appending: O_WRONLY | O_CREAT | O_APPEND
      }
    self.init(owning: try SystemCall.library("open") { unsafe open(path, flags | O_CLOEXEC | O_NOCTTY, 0o600) })
  }

  /// As ``init(opening:for:)``, but waits no longer than this: the open of a FIFO ends when another program has opened
  /// its other end, which may never happen.
  ///
  /// A thread of its own waits. One that is given up waits on, for as long as the process lives.
  ///
  /// - Throws: `ETIMEDOUT` when the time has passed.
  package static func opening(
    _ path: String, for access: Access, within patience: Duration
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
    guard let result = opened.wait(patience, for: { $0 }) else { throw .timedOut(operation: "open") }
    return try result.get().descriptor.duplicate()
  }

  /// Opens the regular file at a path for reading, following symbolic links. Never waits for another program.
  ///
  /// - Throws: `EISDIR` for a directory, and `EINVAL` for anything else that is no regular file.
  package static func openingRegularFile(_ path: String) throws(SystemError) -> FileDescriptor {
    try SystemCall.checkText(path, "open")
    // Without O_NONBLOCK the open of a named pipe would wait for a writer.
    let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
    let file = FileDescriptor(owning: try SystemCall.library("open") { unsafe open(path, flags) })
    switch try file.kind() {
    case .file: return file
    case .directory: throw SystemError(errno: EISDIR, operation: "open")
    case .stream, .other: throw .unsuitable(operation: "open")
    }
  }
}

/// The two ends of a new pipe, both close-on-exec and blocking.
///
/// Frozen, which alone lets another module move the two ends out of it.
@frozen @usableFromInline package struct Pipe: ~Copyable, Sendable {
  package var reading: FileDescriptor
  package var writing: FileDescriptor

  package init() throws(SystemError) {
    let ends = try unsafe SystemCall.pair("pipe2") { unsafe agent_pipe($0) }
    reading = FileDescriptor(owning: ends.0)
    writing = FileDescriptor(owning: ends.1)
  }
}
