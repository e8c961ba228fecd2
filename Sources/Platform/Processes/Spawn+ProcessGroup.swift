internal import CPlatform
internal import Glibc

extension Spawn {
  /// A state change of a child.
  package enum Change: Hashable, Sendable {
    case ended(ProcessStatus)
    /// By this signal.
    case stopped(Int32)
    case continued
  }

  /// Starts a program in this process group, with its terminal and inheritable descriptors, and returns its process ID.
  /// Searches and throws like ``replaceProcess(executable:arguments:environment:)``. Ignored signals stay ignored,
  /// except those of ``Signals/ignoreFailingWrites()``.
  package static func startInProcessGroup(
    executable: String, arguments: [[UInt8]], environment: [[UInt8]], nullInput: Bool = false
  ) throws(SystemError) -> Int32 {
    try check(executable, arguments, environment, "posix_spawn")
    return try unsafe run(executable, arguments, environment, "posix_spawn") { path, words, variables in
      unsafe agent_spawn_beside(path, words, variables, nullInput ? 1 : 0)
    }
  }

  /// A child's state change since the previous call, if any. Never blocks.
  package static func change(of process: Int32) throws(SystemError) -> Change? {
    var number: Int32 = 0
    let kind = try SystemCall.uninterrupted("waitpid") { unsafe agent_child_change(process, &number) }
    switch Int(kind) {
    case agent_child_exited: return .ended(.exited(number))
    case agent_child_signalled: return .ended(.signalled(number))
    case agent_child_stopped: return .stopped(number)
    case agent_child_continued: return .continued
    default: return nil
    }
  }
}
