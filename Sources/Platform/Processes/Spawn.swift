internal import CPlatform
internal import Glibc

/// Starts other programs without `fork`, which would break Swift's threads.
package enum Spawn {
  package struct Request: Sendable {
    /// Not searched in `PATH`.
    package var executable: String
    /// Begins with the program's own name.
    package var arguments: [String]
    /// The complete environment, as "NAME=VALUE".
    package var environment: [String]
    /// Whether the child leads a new session without a terminal.
    package var newSession: Bool
    /// Descriptor numbers in this process and the child. 0, 1 and 2 are inherited even if not listed, unless
    /// ``nullStandardStreams`` is true.
    package var inherits: [(parent: Int32, child: Int32)]
    /// Whether 0, 1 and 2 are `/dev/null` unless listed.
    package var nullStandardStreams: Bool
    /// The current directory; nil for this process's.
    package var directory: String?

    package init(
      executable: String, arguments: [String], environment: [String], newSession: Bool = false,
      inherits: [(parent: Int32, child: Int32)] = [], nullStandardStreams: Bool = false, directory: String? = nil
    ) {
      self.executable = executable
      self.arguments = arguments
      self.environment = environment
      self.newSession = newSession
      self.inherits = inherits
      self.nullStandardStreams = nullStandardStreams
      self.directory = directory
    }
  }

  /// Starts a program with no signals blocked or ignored. Returns its process ID, for ``wait(_:)``.
  package static func start(_ request: Request) throws(SystemError) -> Int32 {
    for text in [request.executable, request.directory ?? ""] + request.arguments + request.environment {
      try SystemCall.checkText(text, "posix_spawn")
    }
    for entry in request.inherits where entry.child < 0 || entry.parent < 0 {
      throw SystemError(errno: EBADF, operation: "posix_spawn")
    }
    return try SystemCall.checked(startUnchecked(request), "posix_spawn")
  }

  /// Returns the process ID, or a negated error number.
  private static func startUnchecked(_ request: Request) -> Int32 {
    let arguments = CStringVector(request.arguments.map { Array($0.utf8) })
    let environment = CStringVector(request.environment.map { Array($0.utf8) })
    let parents = request.inherits.map(\.parent)
    let children = request.inherits.map(\.child)
    func spawn(_ executable: UnsafePointer<CChar>, _ directory: UnsafePointer<CChar>?) -> Int32 {
      unsafe parents.withUnsafeBufferPointer { parents in
        unsafe children.withUnsafeBufferPointer { children in
          var raw = unsafe agent_spawn_request(
            executable: executable, arguments: arguments.base, environment: environment.base, directory: directory,
            parent_descriptors: parents.baseAddress, child_descriptors: children.baseAddress,
            descriptor_count: parents.count, new_session: request.newSession ? 1 : 0,
            null_standard_streams: request.nullStandardStreams ? 1 : 0)
          return unsafe agent_spawn(&raw)
        }
      }
    }
    return unsafe request.executable.withCString { executable in
      guard let directory = request.directory else { return unsafe spawn(executable, nil) }
      return unsafe directory.withCString { unsafe spawn(executable, $0) }
    }
  }

  /// Waits until a child ends.
  package static func wait(_ process: Int32) throws(SystemError) -> ProcessStatus {
    while true {
      if let status = try poll(process, block: true) { return status }
    }
  }

  /// Nil while the child is running.
  package static func tryWait(_ process: Int32) throws(SystemError) -> ProcessStatus? {
    try poll(process, block: false)
  }

  /// Opens a descriptor that is readable once the child has ended (`pidfd_open(2)`).
  package static func processDescriptor(_ process: Int32) throws(SystemError) -> FileDescriptor {
    FileDescriptor(owning: try SystemCall.checked(agent_process_descriptor(process), "pidfd_open"))
  }

  /// Sends a signal to one process, never to a group.
  package static func kill(_ process: Int32, _ signal: Int32) throws(SystemError) {
    guard process > 0 else { throw SystemError(errno: ESRCH, operation: "kill") }
    try SystemCall.libc("kill") { Glibc.kill(process, signal) }
  }

  package static func killGroup(_ leader: Int32, _ signal: Int32) throws(SystemError) {
    guard leader > 1 else { throw SystemError(errno: ESRCH, operation: "kill") }
    try SystemCall.libc("kill") { Glibc.kill(-leader, signal) }
  }

  private static func poll(_ process: Int32, block: Bool) throws(SystemError) -> ProcessStatus? {
    var signalled: Int32 = 0
    var number: Int32 = 0
    let ended = try SystemCall.uninterrupted("waitpid") {
      unsafe agent_wait(process, block ? 1 : 0, &signalled, &number)
    }
    guard ended == 1 else { return nil }
    return signalled != 0 ? .signalled(number) : .exited(number)
  }
}
