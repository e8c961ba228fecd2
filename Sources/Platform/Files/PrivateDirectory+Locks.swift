internal import Glibc

extension PrivateDirectory {
  /// Locks a file against other processes and threads, creating it with mode 0600 if necessary. Throws `EAGAIN` after
  /// `wait`, or if `isGivenUp` returns true.
  package borrowing func lock(
    _ name: String, wait: Duration, unless isGivenUp: () -> Bool = { false }
  ) throws(SystemError) -> FileLock {
    let deadline = Instant.now.advanced(by: wait)
    var pause: Duration = .milliseconds(1)
    while true {
      if let lock = try attemptLock(name) { return lock }
      let left = Instant.now.duration(to: deadline)
      guard left > .zero, !isGivenUp() else { throw SystemError.busyLock }
      // flock(2) has no timeout.
      Threads.sleep(for: min(pause, left))
      pause = min(pause * 2, .milliseconds(20))
    }
  }

  /// Throws `EAGAIN` if the file is locked.
  package borrowing func tryLock(_ name: String) throws(SystemError) -> FileLock {
    try lock(name, wait: .zero)
  }

  private borrowing func attemptLock(_ name: String) throws(SystemError) -> FileLock? {
    while true {
      let file = try openFile(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NOCTTY, mode: 0o600)
      let number = file.raw
      do {
        try SystemCall.libc("flock") { flock(number, LOCK_EX | LOCK_NB) }
      } catch {
        if error.wouldBlock { return nil }
        throw error
      }
      // Otherwise, other processes would not open the locked file.
      let held = try FileStatus(of: file)
      // The creator's umask must not lock out other processes.
      if held.owner == Machine.userID, held.permissions & 0o600 != 0o600 { fchmod(number, 0o600) }
      if let found = try? FileStatus(of: name, in: descriptor), found.inode == held.inode {
        return FileLock(holding: file)
      }
    }
  }
}

extension SystemError {
  /// The error if the file is already locked.
  package static var busyLock: SystemError { SystemError(errno: EAGAIN, operation: "flock") }
}

/// An exclusive lock on a file while this value exists.
package struct FileLock: ~Copyable, Sendable {
  private let file: FileDescriptor

  init(holding file: consuming FileDescriptor) {
    self.file = file
  }

  /// Unlocks explicitly: a child process has a copy until its `exec`.
  deinit {
    flock(file.raw, LOCK_UN)
  }

  package consuming func release() {}
}
