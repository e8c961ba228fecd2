internal import CPlatform
internal import Glibc

/// This process's signal handling, set up before the first thread.
package enum Signals {
  package static var SIGHUP: Int32 { Glibc.SIGHUP }
  package static var SIGINT: Int32 { Glibc.SIGINT }
  package static var SIGQUIT: Int32 { Glibc.SIGQUIT }
  package static var SIGKILL: Int32 { Glibc.SIGKILL }
  package static var SIGUSR1: Int32 { Glibc.SIGUSR1 }
  package static var SIGUSR2: Int32 { Glibc.SIGUSR2 }
  package static var SIGPIPE: Int32 { Glibc.SIGPIPE }
  package static var SIGXFSZ: Int32 { Glibc.SIGXFSZ }
  package static var SIGALRM: Int32 { Glibc.SIGALRM }
  package static var SIGTERM: Int32 { Glibc.SIGTERM }
  package static var SIGCHLD: Int32 { Glibc.SIGCHLD }
  package static var SIGCONT: Int32 { Glibc.SIGCONT }
  package static var SIGSTOP: Int32 { Glibc.SIGSTOP }
  package static var SIGTSTP: Int32 { Glibc.SIGTSTP }

  /// Makes writes to a closed pipe or socket fail with `EPIPE`, and those beyond the file size limit with `EFBIG`.
  package static func ignoreFailingWrites() {
    for signal in failingWrites { _ = agent_signal_ignore(signal) }
  }

  private static let failingWrites = [SIGPIPE, SIGXFSZ]

  /// Blocks signals in the calling thread and in threads that it starts.
  package static func block(_ list: [Int32]) {
    let result = unsafe list.withUnsafeBufferPointer { (numbers) -> Int32 in
      guard let start = numbers.baseAddress else { return 0 }
      return unsafe agent_signal_block(start, numbers.count)
    }
    precondition(result == 0, "only numbers of signals can be blocked")
  }

  package static func unblockAll() { _ = agent_signal_unblock_all() }

  /// Whether the parent process set this signal to be ignored.
  package static func isIgnored(_ signal: Int32) -> Bool { agent_signal_is_ignored(signal) == 1 }

  /// Unblocks all signals and undoes ``ignoreFailingWrites()``, for a program that replaces this process.
  package static func restoreDefaults() {
    for signal in failingWrites { _ = agent_signal_default(signal) }
    _ = agent_signal_unblock_all()
  }

  /// Stops this process as the blocked `signal` would, until it continues. Does not stop an orphaned process group.
  package static func stop(by signal: Int32) {
    _ = agent_signal_obey(signal)
  }

  /// Enables `SIGCHLD`, even if the parent process ignored it.
  package static func enableChildSignals() {
    _ = agent_signal_default(Glibc.SIGCHLD)
  }

  /// Accepts a name with or without "SIG", or a number.
  package static func named(_ text: String) -> Int32? {
    let word = text.uppercased()
    let name = word.hasPrefix("SIG") ? String(word.dropFirst(3)) : word
    if let number = Int32(name), (1...31).contains(number) { return number }
    return names.first { $0.name.utf8.elementsEqual(name.utf8) }?.number
  }

  /// The names that ``named(_:)`` accepts.
  package static let names: [(name: String, number: Int32)] = [
    ("HUP", Glibc.SIGHUP), ("INT", Glibc.SIGINT), ("QUIT", Glibc.SIGQUIT), ("USR1", Glibc.SIGUSR1),
    ("USR2", Glibc.SIGUSR2), ("ALRM", Glibc.SIGALRM), ("TERM", Glibc.SIGTERM), ("CONT", Glibc.SIGCONT),
    ("WINCH", Glibc.SIGWINCH), ("URG", Glibc.SIGURG), ("IO", Glibc.SIGIO),
  ]

  /// Makes signals that end this process first end `child`: they shut down `socket`, the connection to it, and wait for
  /// its exit, at most 10 seconds. Ignored signals stay ignored.
  package static func delayEnd(untilExitOf child: Int32, socket: Int32) {
    agent_signal_keep_child(child, socket)
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] where !isIgnored(signal) {
      _ = agent_signal_end_after_child(signal)
    }
    unsafe isKeepingChild = true
  }

  package static func stopDelayingEnd() { agent_signal_keep_child(0, -1) }

  /// Set before the first thread starts.
  private nonisolated(unsafe) static var isKeepingChild = false

  /// Ends this process with the signal, so that its parent sees the cause. Returns only if the signal does not end
  /// processes.
  package static func raise(_ signal: Int32) {
    if unsafe !isKeepingChild { _ = agent_signal_default(signal) }
    _ = agent_signal_unblock_all()
    _ = Glibc.raise(signal)
  }
}
