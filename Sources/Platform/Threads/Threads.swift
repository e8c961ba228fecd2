internal import CPlatform
internal import Glibc

/// Operating system threads. Use them for blocking work, never Swift's shared pool.
package enum Threads {
  /// Starts a thread with all signals blocked and at least 512 KiB of stack. Debuggers show 15 bytes of `name`. Throws
  /// `EAGAIN` if the system allows no more threads.
  package static func start(
    name: String, stackBytes: Int = 512 << 10, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    let box = unsafe Unmanaged.passRetained(Box(body))
    let shortName = String(decoding: Array(name.utf8.prefix(15)), as: UTF8.self)
    let run: @convention(c) (UnsafeMutableRawPointer) -> Void = { context in
      unsafe Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
    }
    let result = unsafe agent_thread_start(shortName, max(stackBytes, 512 << 10), run, box.toOpaque())
    if result < 0 {
      unsafe box.release()
      throw SystemError(errno: -result, operation: "pthread_create")
    }
  }

  package static func sleep(for duration: Duration) {
    let deadline = Instant.now.advanced(by: duration)
    while true {
      let left = max(0, Instant.now.duration(to: deadline).saturatingNanoseconds)
      if left == 0 { return }
      var pause = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
      unsafe nanosleep(&pause, nil)
    }
  }

  private final class Box: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }
}
