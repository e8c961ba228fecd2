internal import Platform
internal import Wire

/// Where a daemon's socket is, or would be.
struct SocketPlace: Sendable, Hashable {
  let directory: String
  let name: String

  /// The place that `AGENT_SOCKET` names; nil without it.
  ///
  /// - Throws: `invalid_configuration` when it is no absolute path.
  static func named(by variable: String?) throws(Failure) -> SocketPlace? {
    guard let path = variable, !path.isEmpty else { return nil }
    let bytes = path.utf8
    guard bytes.first == UInt8(ascii: "/"), let slash = bytes.lastIndex(of: UInt8(ascii: "/")),
      bytes.index(after: slash) < bytes.endIndex
    else { throw Failure(.invalidConfiguration, "AGENT_SOCKET must be the absolute path of a socket") }
    let directory = slash == bytes.startIndex ? "/" : String(path[..<slash])
    return SocketPlace(directory: directory, name: String(path[bytes.index(after: slash)...]))
  }

  /// The best of the usual places, which costs nothing to find; nil without `XDG_RUNTIME_DIR`.
  static var best: SocketPlace? {
    UserDirectories.sessionRuntimeDirectory.map { SocketPlace(directory: $0, name: WireProtocol.socketName) }
  }

  /// The usual places in the order in which a daemon would be started.
  static var all: [SocketPlace] { places(in: UserDirectories.runtimeCandidates()) }

  private static func places(in directories: [String]) -> [SocketPlace] {
    directories.map { SocketPlace(directory: $0, name: WireProtocol.socketName) }
  }

  /// The socket's path, for messages.
  var path: String { "\(directory)/\(name)" }
}
