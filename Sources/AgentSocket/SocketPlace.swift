internal import Platform
package import Wire

/// The place of a daemon's socket.
package struct SocketPlace: Sendable, Hashable {
  package let directory: String
  package let name: String

  /// The place of a socket of this name.
  package init(directory: String, name: String) {
    self.directory = directory
    self.name = name
  }

  /// The place that `AGENT_SOCKET` names; nil without it.
  ///
  /// - Throws: `invalid_configuration` if it is no absolute path.
  package static func named(by variable: String?) throws(Failure) -> SocketPlace? {
    guard let path = variable, !path.isEmpty else { return nil }
    guard let place = SocketPlace(path: path) else {
      throw Failure(.invalidConfiguration, "AGENT_SOCKET must be the absolute path of a socket")
    }
    return place
  }

  /// The place of a path; nil if it is no absolute path of a file.
  package init?(path: String) {
    let bytes = path.utf8
    guard bytes.first == UInt8(ascii: "/"), let slash = bytes.lastIndex(of: UInt8(ascii: "/")),
      bytes.index(after: slash) < bytes.endIndex
    else { return nil }
    directory = slash == bytes.startIndex ? "/" : String(path[..<slash])
    name = String(path[bytes.index(after: slash)...])
  }

  /// The first default place, found without a system call; nil without `XDG_RUNTIME_DIR`.
  package static var best: SocketPlace? {
    UserDirectories.sessionRuntimeDirectory.map { SocketPlace(directory: $0, name: WireProtocol.socketName) }
  }

  /// The default places, in the order in which a daemon uses them.
  package static var all: [SocketPlace] { places(in: UserDirectories.runtimeCandidates()) }

  private static func places(in directories: [String]) -> [SocketPlace] {
    directories.map { SocketPlace(directory: $0, name: WireProtocol.socketName) }
  }

  /// The socket's path, for messages.
  package var path: String { "\(directory)/\(name)" }
}
