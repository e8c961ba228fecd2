internal import CPlatform
internal import Glibc

extension Spawn {
  /// Replaces this process by another program; returns only if that failed.
  ///
  /// A name without a slash is searched in `PATH` as by `execvp(3)`, and a file that the kernel cannot run is run by
  /// `/bin/sh`. Signals are as after ``Signals/restoreDefaults()``.
  ///
  /// - Returns: `ENOENT` if there is no such program, `EACCES` if it may not be run: exit statuses 127 and 126 of
  ///   shells.
  package static func replaceProcess(
    executable: String, arguments: [String], environment: [String]
  ) -> SystemError {
    replaceProcess(
      executable: executable, arguments: arguments.map { Array($0.utf8) },
      environment: environment.map { Array($0.utf8) })
  }

  /// The same with strings as the bytes they are: arguments and variables need not be UTF-8.
  package static func replaceProcess(
    executable: String, arguments: [[UInt8]], environment: [[UInt8]]
  ) -> SystemError {
    let invalid = SystemError(errno: EINVAL, operation: "execve")
    if executable.utf8.contains(0) || (arguments + environment).contains(where: { $0.contains(0) }) { return invalid }
    if executable.isEmpty { return SystemError(errno: ENOENT, operation: "execve") }
    Signals.restoreDefaults()
    var refused = false
    for path in candidates(for: executable) {
      let failure = execute(path, arguments, environment)
      switch failure {
      case EACCES: refused = true
      case ENOENT, ENOTDIR, ESTALE, ENODEV, ETIMEDOUT: break
      default: return SystemError(errno: failure, operation: "execve")
      }
    }
    return SystemError(errno: refused ? EACCES : ENOENT, operation: "execve")
  }

  /// The path of an executable program, found as by ``replaceProcess(executable:arguments:environment:)``; nil if there
  /// is none.
  package static func search(_ executable: String) -> String? {
    candidates(for: executable).first { path in
      guard unsafe access(path, X_OK) == 0 else { return false }
      var status = stat()
      return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
  }

  static func candidates(for executable: String) -> [String] {
    if executable.utf8.contains(UInt8(ascii: "/")) { return [executable] }
    let path = Environment.value("PATH") ?? "/bin:/usr/bin"
    return path.split(separator: ":", omittingEmptySubsequences: false).map { directory in
      // An empty entry is the current directory.
      directory.isEmpty ? "./\(executable)" : "\(directory)/\(executable)"
    }
  }

  private static func execute(_ path: String, _ arguments: [[UInt8]], _ environment: [[UInt8]]) -> Int32 {
    let variables = CStringVector(environment)
    let words = CStringVector(arguments)
    let result = unsafe agent_execute(path, words.base, variables.base)
    guard result == -ENOEXEC else { return -result }
    let script = CStringVector([Array("/bin/sh".utf8), Array(path.utf8)] + arguments.dropFirst())
    return unsafe -agent_execute("/bin/sh", script.base, variables.base)
  }
}
