internal import Glibc

/// A program of this machine that is run to its end for what it prints. It has no terminal, and its directory is the
/// root of all.
package struct InstalledProgram: Sendable {
  /// Its absolute path.
  package let path: String

  /// - Parameter name: Searched on the `PATH`, or an absolute path.
  /// - Returns: Nil if there is no such program.
  package init?(_ name: String) {
    guard let path = Spawn.search(name), path.utf8.first == UInt8(ascii: "/") else { return nil }
    self.path = path
  }

  /// The result of a run.
  package struct Result: Sendable {
    package let status: ProcessStatus
    package var output: [UInt8]

    package var succeeded: Bool { status == .exited(0) }
  }

  /// Runs the program.
  ///
  /// - Parameters:
  ///   - input: Its standard input, whole.
  ///   - changes: Variables beside those of this process; nil takes one away.
  ///   - isHeard: Whether its standard error is this process's.
  ///   - joinsErrors: Whether its standard error is a part of the output.
  ///   - patience: The longest run.
  ///   - limit: The most bytes of output.
  /// - Throws: `ETIMEDOUT` and `EFBIG` for a run that is ended for its length or its output; what a start throws.
  package func run(
    _ arguments: [String], input: [UInt8] = [], changes: [String: String?] = [:], isHeard: Bool = false,
    joinsErrors: Bool = false, patience: Duration = .seconds(15), limit: Int = 1 << 20
  ) throws(SystemError) -> Result {
    let question = try FileDescriptor.inMemory(input.span)
    let silence = try FileDescriptor(opening: "/dev/null", for: .writing)
    var pipe = try Pipe()
    var inherits = [(parent: question.raw, child: Int32(0)), (parent: pipe.writing.raw, child: 1)]
    if joinsErrors {
      inherits.append((parent: pipe.writing.raw, child: 2))
    } else if !isHeard {
      inherits.append((parent: silence.raw, child: 2))
    }
    let child = try Spawn.start(
      Spawn.Request(
        executable: path, arguments: [path] + arguments, environment: Self.environment(changes), newSession: true,
        inherits: inherits, directory: "/"))
    // The end of the output comes when no other has this end open.
    pipe.writing = try FileDescriptor(opening: "/dev/null", for: .writing)
    do {
      let output = try Self.output(pipe.reading, until: .now.advanced(by: patience), limit)
      return Result(status: try Spawn.wait(child), output: output)
    } catch {
      try? Spawn.killGroup(child, Signals.SIGKILL)
      _ = try? Spawn.wait(child)
      throw error
    }
  }

  private static func output(
    _ pipe: borrowing FileDescriptor, until deadline: Instant, _ limit: Int
  ) throws(SystemError) -> [UInt8] {
    var output: [UInt8] = []
    while true {
      guard try pipe.waitUntilReadable(timeout: Instant.now.duration(to: deadline)) else {
        throw SystemError.timedOut(operation: "read")
      }
      if try pipe.read(into: &output, upTo: 65_536) == 0 { return output }
      if output.count > limit { throw SystemError(errno: EFBIG, operation: "read") }
    }
  }

  private static func environment(_ changes: [String: String?]) -> [String] {
    let kept = Environment.all().filter { changes[$0.0] == nil }.map { "\($0.0)=\($0.1)" }
    return kept + changes.compactMap { name, value in value.map { "\(name)=\($0)" } }
  }
}
