import Platform
import TestSupport
import Testing

@Suite struct `File lock` {
  let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private let busy = SystemError(errno: SystemError.Number.EAGAIN, operation: "flock")

  @Test func `a second holder waits as long as it said and no longer`() throws {
    let directory = try scratch.open()
    let lock = try directory.lock("lock", wait: .zero)
    let start = Instant.now
    #expect(throws: busy) { _ = try directory.lock("lock", wait: .milliseconds(120)) }
    // The holder has not released it, so it did not wait for that.
    #expect(start.duration(to: .now) >= .milliseconds(120))
    #expect(throws: busy) { _ = try directory.tryLock("lock") }
    lock.release()
  }

  @Test func `it is free when the holder lets go, and the file stays`() throws {
    let directory = try scratch.open()
    try directory.lock("lock", wait: .zero).release()
    do { _ = try directory.tryLock("lock") }
    _ = try directory.tryLock("lock")
    #expect(try ProcessRunner.shell("stat -c %a \(scratch.path)/lock").outputText == "600\n")
  }

  @Test func `it is held to the end of the scope, used or not`() throws {
    let directory = try scratch.open()
    let lock = try directory.tryLock("lock")
    withExtendedLifetime(lock) {}
    // The optimizer could end the lifetime after the last use above.
    #expect(throws: busy) { _ = try directory.tryLock("lock") }
  }

  @Test func `a waiter gets it as soon as the holder lets go`() throws {
    let directory = try scratch.open()
    let lock = try directory.tryLock("lock")
    let waiting = WorkQueue<Bool>()
    let got = WorkQueue<Bool>()
    let path = scratch.path
    try Threads.start(name: "waiter") {
      do {
        let directory = try PrivateDirectory(opening: path, create: false)
        waiting.push(true)
        try directory.lock("lock", wait: .testLimit).release()
        got.push(true)
      } catch {
        got.push(false)
      }
    }
    #expect(waiting.pop(wait: .testLimit) == true)
    #expect(got.pop(wait: .milliseconds(50)) == nil)
    lock.release()
    #expect(got.pop(wait: .testLimit) == true)
  }

  @Test func `another process that dies lets go`() throws {
    let directory = try scratch.open()
    let holder = try RunningProcess(
      executable: "/bin/sh", arguments: ["-c", "exec 9>\(scratch.path)/lock; flock 9; echo held; read end"])
    #expect(try holder.readLine() == "held")
    #expect(throws: busy) { _ = try directory.tryLock("lock") }
    #expect(try holder.terminate(Signals.SIGKILL) == .signalled(Signals.SIGKILL))
    _ = try directory.tryLock("lock")
  }

  @Test func `a child that was started meanwhile does not keep it`() throws {
    let directory = try scratch.open()
    let lock = try directory.tryLock("lock")
    let child = try RunningProcess(executable: "/bin/cat")
    lock.release()
    _ = try directory.tryLock("lock")
    child.closeInput()
    #expect(try child.wait() == .exited(0))
  }

  @Test func `a lock on a file that was removed does not count`() throws {
    let directory = try scratch.open()
    let old = try directory.tryLock("lock")
    try directory.removeFile("lock")
    let new = try directory.tryLock("lock")
    old.release()
    #expect(throws: busy) { _ = try directory.tryLock("lock") }
    new.release()
  }

  @Test func `a symbolic link is no lock file`() throws {
    let directory = try scratch.open()
    try ProcessRunner.shell("ln -s target \(scratch.path)/lock")
    #expect(throws: SystemError(errno: SystemError.Number.ELOOP, operation: "openat")) {
      _ = try directory.tryLock("lock")
    }
    #expect(try directory.fileNames() == ["lock"])
  }
}
