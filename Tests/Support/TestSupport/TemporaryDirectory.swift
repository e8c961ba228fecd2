package import Platform

/// A directory for one test, with mode 0700, removed with its content on deinitialization.
package final class TemporaryDirectory: Sendable {
  /// The absolute path, without a trailing slash.
  package let path: String

  package init() throws {
    let parent = Environment.value("TMPDIR") ?? "/tmp"
    let suffix = Randomness.bytes(8).map { String($0, radix: 36) }.joined()
    path = "\(parent)/agent-test-\(suffix)"
    _ = try PrivateDirectory(opening: path, create: true)
  }

  deinit { try? FileTree.remove(path) }

  package func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Opens the directory or a private subdirectory, which is created if necessary.
  package func open(_ name: String? = nil) throws(DirectoryError) -> PrivateDirectory {
    try PrivateDirectory(opening: name.map { path($0) } ?? path, create: true)
  }

  /// Writes a file with mode 0600, replacing an existing one.
  package func write(_ name: String, _ bytes: [UInt8]) throws(SystemError) {
    let file = try FileDescriptor(opening: path(name), for: .replacing)
    try file.writeAll(bytes.span)
    try file.close()
  }

  package func write(_ name: String, _ text: String) throws(SystemError) {
    try write(name, Array(text.utf8))
  }

  /// Writes an executable script by a shell: the kernel does not execute a file open for writing, and other tests'
  /// programs inherit this process's descriptors.
  package func writeProgram(_ name: String, _ script: String) throws(ProcessFailure) {
    let written = try ProcessRunner.run(
      executable: "/bin/sh", arguments: ["-c", "cat >\"$0\" && chmod 700 \"$0\"", path(name)],
      input: Array("#!/bin/sh\n\(script)\n".utf8))
    guard written.succeeded else { throw ProcessFailure.ended(error: written.errorText) }
  }

  /// Reads a file of at most 64 MiB.
  package func read(_ name: String) throws(SystemError) -> [UInt8] {
    try FileDescriptor(opening: path(name), for: .reading).readToEnd(limit: 64 << 20)
  }

  package func readText(_ name: String) throws(SystemError) -> String {
    String(decoding: try read(name), as: UTF8.self)
  }

  /// Creates a socket without a listener, in a private subdirectory.
  package func makeAbandonedSocket(in directory: String, _ name: String = "socket") throws {
    try UnixSocket.shutDown(UnixSocket.listen(in: try open(directory), name: name, backlog: 1))
  }
}
