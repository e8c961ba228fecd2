internal import Platform

package struct SocketLocation: Sendable, Hashable {
  package let directory: String
  package let name: String
  /// Another user whose daemon is accepted.
  package private(set) var otherUser: UInt32?
  /// Whether this is a default location, where daemons of other namespaces are ignored.
  private var isDefault = false

  package init(directory: String, name: String) {
    self.directory = directory
    self.name = name
  }

  /// The location in `AGENT_SOCKET`; nil if unset. `AGENT_SOCKET_USER` names another user whose daemon is accepted.
  ///
  /// - Throws: `invalid_configuration` for a relative path or an invalid user ID.
  package static func fromEnvironment() throws(Failure) -> SocketLocation? {
    try location(for: Environment.value("AGENT_SOCKET"), user: Environment.value("AGENT_SOCKET_USER"))
  }

  /// ``fromEnvironment()`` for these values of the variables.
  package static func location(for variable: String?, user: String? = nil) throws(Failure) -> SocketLocation? {
    guard let path = variable, !path.isEmpty else { return nil }
    guard var location = SocketLocation(path: path) else {
      throw Failure(.invalidConfiguration, "AGENT_SOCKET must be the absolute path of a socket")
    }
    if let user, !user.isEmpty {
      guard let number = UInt32(user), number != UInt32.max else {
        throw Failure(.invalidConfiguration, "AGENT_SOCKET_USER must be a user ID")
      }
      location.otherUser = number
    }
    return location
  }

  /// Nil unless the path is absolute and names a file.
  package init?(path: String) {
    let bytes = path.utf8
    guard bytes.first == UInt8(ascii: "/"), let slash = bytes.lastIndex(of: UInt8(ascii: "/")),
      bytes.index(after: slash) < bytes.endIndex
    else { return nil }
    directory = slash == bytes.startIndex ? "/" : String(path[..<slash])
    name = String(path[bytes.index(after: slash)...])
  }

  /// Needs no system call. Nil without `XDG_RUNTIME_DIR`.
  package static var firstDefault: SocketLocation? {
    UserDirectories.sessionRuntimeDirectory.map(SocketLocation.init(default:))
  }

  /// The default locations, in the order that daemons try.
  package static var all: [SocketLocation] { UserDirectories.runtimeCandidates().map(SocketLocation.init(default:)) }

  /// The daemon's directory: from `AGENT_SOCKET`, else the first existing default, else the first. Throws as
  /// ``fromEnvironment()``.
  package static func currentDirectory() throws(Failure) -> String {
    if let named = try fromEnvironment() { return named.directory }
    let candidates = UserDirectories.runtimeCandidates()
    let found = candidates.first { (try? PrivateDirectory(opening: $0, create: false)) != nil }
    return found ?? candidates.first ?? ""
  }

  private init(default directory: String) {
    self.init(directory: directory, name: WireProtocol.socketName)
    isDefault = true
  }

  /// Whether this directory's daemon was started in another network or mount namespace.
  func isForeign(_ directory: borrowing PrivateDirectory) -> Bool {
    isDefault && Namespaces.areOutside(of: directory)
  }

  /// Whether a daemon in another network or mount namespace listens here.
  package var isServedElsewhere: Bool {
    guard isDefault, let directory = try? PrivateDirectory(opening: directory, create: false) else { return false }
    return isForeign(directory) && UnixSocket.isListening(in: directory, name: name)
  }

  package var path: String { "\(directory)/\(name)" }
}
