internal import Glibc

extension PrivateDirectory {
  /// Takes the exclusive lock on the file `name`, which is made with mode 0600 where it is missing.
  ///
  /// The lock is held between processes and between threads of one process. It ends with the value
  /// or with the process, whichever is first; the file stays.
  ///
  /// - Parameter wait: How long to wait for another holder; zero tries once.
  /// - Throws: `EAGAIN` when another still holds it after that time.
  package borrowing func lock(_ name: String, wait: Duration) throws(SystemError) -> FileLock {
    let deadline = Instant.now.advanced(by: wait)
    var pause: Duration = .milliseconds(1)
    while true {
      if let lock = try attemptLock(name) { return lock }
      let left = Instant.now.duration(to: deadline)
      guard left > .zero else { throw SystemError(errno: EAGAIN, operation: "flock") }
      // flock(2) knows no time limit, so it is asked again, less and less often.
      Threads.sleep(for: min(pause, left))
      pause = min(pause * 2, .milliseconds(20))
    }
  }

  /// Takes the lock if it is free.
  ///
  /// - Throws: `EAGAIN` when another holds it.
  package borrowing func tryLock(_ name: String) throws(SystemError) -> FileLock {
    try lock(name, wait: .zero)
  }

  /// Nil when another holds it.
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
      // The name may have been removed or replaced between the two calls; then the lock would be on
      // a file that nobody else can find.
      let held = try FileStatus(of: file)
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

  /// A child that was being started holds a copy of the descriptor for a moment, and closing ours
  /// would not end the lock before the child's is closed too. So it is unlocked by name.
  deinit {
    flock(file.raw, LOCK_UN)
  }

  /// Ends the lock here; says at the place what the end of scope does silently.
  package consuming func release() {}
}
