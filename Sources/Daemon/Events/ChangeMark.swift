internal import Encoding
internal import Platform
internal import Wire

/// A line in a file of the runtime directory that is another one after each change that a shell's prompt should follow.
/// A shell reads it without a process of its own.
struct ChangeMark: Sendable {
  private let directories: [String]

  /// - Parameter socketPath: The daemon's socket; nil for a private daemon, which tells those who asked another one.
  init(socketPath: String?) {
    let own = socketPath.flatMap { path in path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } }
    directories = own.map { [$0] } ?? UserDirectories.runtimeCandidates()
  }

  /// Writes another line. Without the file a prompt asks once a minute, so a failure costs no more than that. Blocking.
  func change() {
    let line = Array((HexDigit.text(Randomness.bytes(8)) + "\n").utf8)
    for path in directories {
      guard let directory = try? PrivateDirectory(opening: path, create: false) else { continue }
      try? directory.replaceFile(WireProtocol.changesName, with: line.span, isDurable: false)
    }
  }
}
