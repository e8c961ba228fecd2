internal import Glibc

extension PrivateDirectory {
  /// Takes the exclusive lock on the file `name`, which is created with mode 0600 if it is missing.
  ///
  /// The lock excludes other processes and other threads of this process. It ends with the value or with the process;
  /// the file stays.
  ///
  /// - Parameters:
  ///   - wait: The longest wait for another holder; zero tries once.
  ///   - isGivenUp: Ends the wait when it is true.
  /// - Throws: `EAGAIN` if another still holds it after that time.
  package borrowing func lock(
    _ name: String, wait: Duration, unless isGivenUp: () -> Bool = { false }
  ) throws(SystemError) -> FileLock {
    let deadline = Instant.now.advanced(by: wait)
    var pause: Duration = .milliseconds(1)
    while true {
      if let lock = try attemptLock(name) { return lock }
      let left = Instant.now.duration(to: deadline)
      guard left > .zero, !isGivenUp() else { throw SystemError(errno: EAGAIN, operation: "flock") }
      // flock(2) has no time limit, so it is called again, at growing intervals.
      Threads.sleep(for: min(pause, left))
      pause = min(pause * 2, .milliseconds(20))
    }
  }

  /// Takes the lock if it is free.
  ///
  /// - Throws: `EAGAIN` if another holds it.
  package borrowing func tryLock(_ name: String) throws(SystemError) -> FileLock {
    try lock(name, wait: .zero)
  }

  /// Takes the lock; nil if another holds it.
  private borrowing func attemptLock(_ name: String) throws(SystemError) -> FileLock? {
    while true {
      let file = try openFile(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NOCTTY, mode: 0o600)
      let number = file.raw
      do {
        try SystemCall.library("flock") { flock(number, LOCK_EX | LOCK_NB) }
      } catch {
        if error.isAgain { return nil }
        throw error
      }
      // The name may have been removed or replaced between the two calls; the lock would then be on a file that no
      // other process opens.
      let held = try FileStatus(of: file)
      // The umask of whoever made it must not keep others of this user out.
      if held.owner == Machine.userID, held.permissions & 0o600 != 0o600 { fchmod(number, 0o600) }
      if let found = try? FileStatus(of: name, in: descriptor), found.inode == held.inode {
        return FileLock(holding: file)
      }
    }
  }
}

/// An exclusive lock that is held as long as this value lives.
package struct FileLock: ~Copyable, Sendable {
  private let file: FileDescriptor

  init(holding file: consuming FileDescriptor) {
    self.file = file
  }

  /// A child process that is being started has a copy of the descriptor until its `exec`, and the lock would last until
  /// that is closed too. So the lock is released explicitly.
  deinit {
    flock(file.raw, LOCK_UN)
  }

  /// Releases the lock; makes the release visible where it matters.
  package consuming func release() {}
}
