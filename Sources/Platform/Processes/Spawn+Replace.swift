internal import CPlatform
internal import Glibc

extension Spawn {
  /// Replaces this process by a program, found and run like `execvp(3)`, after ``Signals/restoreDefaults()``. Returns
  /// only on failure: `ENOENT` if there is no such program, `EACCES` if it is not executable (statuses 127 and 126 of
  /// shells).
  package static func replaceProcess(
    executable: String, arguments: [String], environment: [String]
  ) -> SystemError {
    replaceProcess(
      executable: executable, arguments: arguments.map { Array($0.utf8) },
      environment: environment.map { Array($0.utf8) })
  }

  /// Accepts strings that are not UTF-8.
  package static func replaceProcess(
    executable: String, arguments: [[UInt8]], environment: [[UInt8]]
  ) -> SystemError {
    do {
      try check(executable, arguments, environment, "execve")
      Signals.restoreDefaults()
      _ = try unsafe run(executable, arguments, environment, "execve") { path, words, variables in
        unsafe agent_execute(path, words, variables)
      }
      preconditionFailure("a replaced process does not return")
    } catch {
      return error
    }
  }

  /// Searches like ``replaceProcess(executable:arguments:environment:)``. Nil if there is no such program. Skips the
  /// file `other`, even through a link.
  package static func search(_ executable: String, except other: String? = nil) -> String? {
    var unwanted = stat()
    let hasUnwanted = other.map { path in unsafe stat(path, &unwanted) == 0 } ?? false
    return candidates(for: executable).first { path in
      guard unsafe access(path, X_OK) == 0 else { return false }
      var status = stat()
      guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
      return !hasUnwanted || status.st_ino != unwanted.st_ino || status.st_dev != unwanted.st_dev
    }
  }

  /// Whether both paths lead to the same file.
  package static func isSame(_ path: String, _ other: String) -> Bool {
    var (one, two) = (stat(), stat())
    return unsafe stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_ino == two.st_ino
      && one.st_dev == two.st_dev
  }

  /// The name itself if it contains a slash, otherwise its paths in `PATH`.
  static func candidates(for executable: String) -> [String] {
    if executable.utf8.contains(UInt8(ascii: "/")) { return [executable] }
    let path = Environment.value("PATH") ?? "/bin:/usr/bin"
    return path.split(separator: ":", omittingEmptySubsequences: false).map { directory in
      // An empty entry is the current directory.
      directory.isEmpty ? "./\(executable)" : "\(directory)/\(executable)"
    }
  }

  typealias CStrings = UnsafePointer<UnsafeMutablePointer<CChar>?>

  /// Throws `EINVAL` for a NUL, `ENOENT` for an empty program name.
  static func check(
    _ executable: String, _ arguments: [[UInt8]], _ environment: [[UInt8]], _ operation: String
  ) throws(SystemError) {
    let isInvalid = executable.utf8.contains(0) || (arguments + environment).contains { $0.contains(0) }
    if isInvalid { throw SystemError(errno: EINVAL, operation: operation) }
    if executable.isEmpty { throw SystemError(errno: ENOENT, operation: operation) }
  }

  /// Runs the first executable candidate, with `/bin/sh` if it has no interpreter line. `call` returns a process ID or
  /// a negated error number. Throws `EACCES` if no candidate is executable, `ENOENT` without candidates.
  static func run(
    _ executable: String, _ arguments: [[UInt8]], _ environment: [[UInt8]], _ operation: String,
    by call: (_ path: String, _ arguments: CStrings, _ environment: CStrings) -> Int32
  ) throws(SystemError) -> Int32 {
    let variables = CStringVector(environment)
    let words = CStringVector(arguments)
    var isForbidden = false
    for path in candidates(for: executable) {
      var result = unsafe call(path, words.base, variables.base)
      if result == -ENOEXEC {
        let script = CStringVector([Array("/bin/sh".utf8), Array(path.utf8)] + arguments.dropFirst())
        result = unsafe call("/bin/sh", script.base, variables.base)
      }
      if result > 0 { return result }
      switch -result {
      case EACCES: isForbidden = true
      case ENOENT, ENOTDIR, ESTALE, ENODEV, ETIMEDOUT: break
      default: throw SystemError(errno: -result, operation: operation)
      }
    }
    throw SystemError(errno: isForbidden ? EACCES : ENOENT, operation: operation)
  }
}
