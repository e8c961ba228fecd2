internal import CPlatform
internal import Glibc

package enum Processes {
  /// Whether this process leads its process group.
  package static var isGroupLeader: Bool { getpgrp() == getpid() }

  package static func exit(_ status: Int32) -> Never { Glibc.exit(status) }

  /// The arguments, beginning with this process's name. Repairs bytes that are not UTF-8.
  package static var arguments: [String] {
    var arguments: [String] = []
    while let bytes = unsafe argument(arguments.count) {
      unsafe arguments.append(String(decoding: bytes, as: UTF8.self))
    }
    return arguments
  }

  /// Stops a process and waits until it has stopped. After `timeout`, resumes it and returns false.
  package static func suspend(_ process: Int32, within timeout: Duration) -> Bool {
    let deadline = Instant.now.advanced(by: timeout)
    guard (try? Spawn.kill(process, Signals.SIGSTOP)) != nil else { return false }
    while Instant.now < deadline {
      switch state(of: process) {
      case UInt8(ascii: "T"): return true
      case nil, UInt8(ascii: "Z"), UInt8(ascii: "X"): return false
      // Poll, since only its parent gets a signal.
      default: Threads.sleep(for: .milliseconds(1))
      }
    }
    try? Spawn.kill(process, Signals.SIGCONT)
    return false
  }

  /// The letter in `/proc/PID/stat` (`proc_pid_stat(5)`), such as T for stopped.
  private static func state(of process: Int32) -> UInt8? {
    guard let text = try? FileDescriptor.content(of: "/proc/\(process)/stat", limit: 4096),
      let name = text.lastIndex(of: UInt8(ascii: ")")), text.count > name + 2
    else { return nil }
    return text[name + 2]
  }

  /// Argument 0 is this process's name. Nil after the last argument. Valid until this process ends.
  package static func argument(_ index: Int) -> UnsafeBufferPointer<UInt8>? {
    guard let text = unsafe agent_argument(Int32(clamping: index)) else { return nil }
    let bytes = unsafe UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
    return unsafe UnsafeBufferPointer(start: bytes, count: strlen(text))
  }
}

package enum ProcessStatus: Hashable, Sendable {
  /// The exit status, 0 to 255.
  case exited(Int32)
  case signalled(Int32)

  /// For a signal, its number plus 128.
  package var shellStatus: Int32 {
    switch self {
    case .exited(let status): status
    case .signalled(let signal): 128 + signal
    }
  }
}
