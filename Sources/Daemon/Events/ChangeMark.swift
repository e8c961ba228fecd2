internal import Encoding
internal import Platform
internal import Wire

/// A file in the runtime directory whose only line changes when shell prompts may be outdated.
struct ChangeMark: Sendable {
  private let directories: [String]

  /// - Parameter socketPath: The daemon's socket. Nil for a private daemon, which changes other daemons' files.
  init(socketPath: String?) {
    let own = socketPath.flatMap { path in path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } }
    directories = own.map { [$0] } ?? UserDirectories.runtimeCandidates()
  }

  /// Writes a new random line. Blocking.
  func change() {
    let line = Array((HexDigit.text(Randomness.bytes(8)) + "\n").utf8)
    for path in directories {
      guard let directory = try? PrivateDirectory(opening: path, create: false) else { continue }
      try? directory.replaceFile(WireProtocol.changesFileName, with: line.span, isDurable: false)
    }
  }
}
