internal import CPlatform
internal import Glibc

extension Spawn {
  /// A change of state of a child.
  package enum Change: Hashable, Sendable {
    case ended(ExitStatus)
    /// By this signal.
    case stopped(Int32)
    case continued
  }

  /// Starts a program in the process group of this one, with its terminal, its descriptors that are not close-on-exec,
  /// and its ignored signals except `SIGPIPE`. A terminal treats both as one job.
  ///
  /// The program is found as ``replaceProcess(executable:arguments:environment:)`` finds it.
  ///
  /// - Parameter nullInput: Whether its standard input is `/dev/null`.
  /// - Throws: `ENOENT` if there is no such program, `EACCES` if it may not be run.
  package static func startBeside(
    executable: String, arguments: [[UInt8]], environment: [[UInt8]], nullInput: Bool = false
  ) throws(SystemError) -> Int32 {
    let isInvalid = executable.utf8.contains(0) || (arguments + environment).contains { $0.contains(0) }
    if isInvalid { throw SystemError(errno: EINVAL, operation: "posix_spawn") }
    if executable.isEmpty { throw SystemError(errno: ENOENT, operation: "posix_spawn") }
    var refused = false
    for path in candidates(for: executable) {
      let result = begin(path, arguments, environment, nullInput)
      if result > 0 { return result }
      switch -result {
      case EACCES: refused = true
      case ENOENT, ENOTDIR, ESTALE, ENODEV, ETIMEDOUT: break
      default: throw SystemError(errno: -result, operation: "posix_spawn")
      }
    }
    throw SystemError(errno: refused ? EACCES : ENOENT, operation: "posix_spawn")
  }

  private static func begin(
    _ path: String, _ arguments: [[UInt8]], _ environment: [[UInt8]], _ nullInput: Bool
  ) -> Int32 {
    let variables = CStringVector(environment)
    let words = CStringVector(arguments)
    let result = unsafe agent_spawn_beside(path, words.base, variables.base, nullInput ? 1 : 0)
    guard result == -ENOEXEC else { return result }
    let script = CStringVector([Array("/bin/sh".utf8), Array(path.utf8)] + arguments.dropFirst())
    return unsafe agent_spawn_beside("/bin/sh", script.base, variables.base, nullInput ? 1 : 0)
  }

  /// The change of a child since the last call; nil if there was none. Never waits.
  ///
  /// - Throws: `ECHILD` if it is no child of this process or was waited for already.
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
