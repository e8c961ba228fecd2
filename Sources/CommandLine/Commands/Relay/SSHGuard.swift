internal import Platform

/// Ends an `ssh` session and its connection if `agent ssh` is killed: a connection stopped for a question would never
/// continue.
struct SSHGuard: ~Copyable {
  /// If this pipe closes without a line, the guard ends the session.
  private let writing: FileDescriptor
  private let process: Int32

  /// `session` and `connection` are process IDs. `ending` is the command that ends the connection.
  init(_ session: Int32, _ connection: Int32, ending: [String]) throws(SystemError) {
    let script = "read -r line && exit; kill -HUP \"$1\"; kill -CONT \"$2\"; shift 2; exec \"$@\""
    let pipe = try Pipe()
    process = try Spawn.start(
      Spawn.Request(
        executable: "/bin/sh", arguments: ["sh", "-c", script, "sh", "\(session)", "\(connection)"] + ending,
        environment: Environment.all().map { "\($0.0)=\($0.1)" }, newSession: true,
        inherits: [(parent: pipe.reading.raw, child: 0)], nullStandardStreams: true, directory: "/"))
    writing = pipe.writing
  }

  deinit {
    try? writing.writeAll([UInt8(ascii: "\n")].span)
    _ = try? Spawn.wait(process)
  }

  /// Ends the guard process, but not the session.
  consuming func finish() {}
}
