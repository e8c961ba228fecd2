/// A program, run for its output without a terminal.
package struct InstalledProgram: Sendable {
  package let path: String

  /// An absolute path, or a name to search in `PATH`. Nil if missing.
  package init?(_ name: String) {
    guard let path = Spawn.search(name), path.utf8.first == UInt8(ascii: "/") else { return nil }
    self.path = path
  }

  package struct Result: Sendable {
    package let status: ProcessStatus
    package var output: [UInt8]

    package var succeeded: Bool { status == .exited(0) }
  }

  /// Runs the program and waits for its end. Throws `ETIMEDOUT` after `timeout`, `EFBIG` above `limit` bytes of output.
  ///
  /// - Parameters:
  ///   - changes: Environment variables to set, or to remove if nil.
  ///   - showsErrors: Whether it inherits standard error.
  ///   - joinsErrors: Whether the output includes standard error.
  ///   - directory: Its current directory; nil for this process's.
  package func run(
    _ arguments: [String], input: [UInt8] = [], changes: [String: String?] = [:], showsErrors: Bool = false,
    joinsErrors: Bool = false, timeout: Duration = .seconds(15), limit: Int = 1 << 20,
    directory: String? = "/"
  ) throws(SystemError) -> Result {
    let question = try FileDescriptor.inMemory(input.span)
    let silence = try FileDescriptor(opening: "/dev/null", for: .writing)
    var pipe = try Pipe()
    var inherits = [(parent: question.raw, child: Int32(0)), (parent: pipe.writing.raw, child: 1)]
    if joinsErrors {
      inherits.append((parent: pipe.writing.raw, child: 2))
    } else if !showsErrors {
      inherits.append((parent: silence.raw, child: 2))
    }
    let child = try Spawn.start(
      Spawn.Request(
        executable: path, arguments: [path] + arguments, environment: Self.environment(changes), newSession: true,
        inherits: inherits, directory: directory))
    // The output ends when no process has this end open.
    pipe.writing = try FileDescriptor(opening: "/dev/null", for: .writing)
    do {
      let output = try pipe.reading.readToEnd(limit: limit, within: timeout)
      return Result(status: try Spawn.wait(child), output: output)
    } catch {
      try? Spawn.killGroup(child, Signals.SIGKILL)
      _ = try? Spawn.wait(child)
      throw error
    }
  }

  private static func environment(_ changes: [String: String?]) -> [String] {
    let kept = Environment.all().filter { changes[$0.0] == nil }.map { "\($0.0)=\($0.1)" }
    return kept + changes.compactMap { name, value in value.map { "\(name)=\($0)" } }
  }
}
