internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// The socket of a lease, which outlives the daemons that serve it.
struct LeaseSocket: ~Copyable {
  let path: String
  let listener: SharedDescriptor
  private let directory: PrivateDirectory
  private let name: String
  /// The directory is the socket's own, and goes with it.
  private let ownsDirectory: Bool

  private static let backlog = 64
  /// The folder of the runtime directory that has a directory for each lease, so that one can be mounted alone.
  private static let folder = "leases"

  /// - Parameters:
  ///   - path: Where the socket is to be; nil for a directory of its own in the runtime directory.
  ///   - servesOthers: Whether other users may come to it: its own directory then lets them through.
  init(at path: String?, servesOthers: Bool) throws(Failure) {
    let place = try Self.place(path)
    let directory: PrivateDirectory
    do {
      directory = try PrivateDirectory(
        opening: place.directory, create: path == nil, withoutOthersRights: servesOthers ? 0o022 : 0o077)
    } catch {
      throw Failure(error)
    }
    if servesOthers, path == nil {
      do { try directory.letOthersThrough() } catch {
        throw Failure(error, doing: "\(place.directory) cannot be opened")
      }
    }
    listener = try Self.listen(in: directory, place, mode: servesOthers ? 0o666 : 0o600)
    self.directory = directory
    ownsDirectory = path == nil
    name = place.name
    self.path = place.path
  }

  private static func listen(
    in directory: borrowing PrivateDirectory, _ place: SocketPlace, mode: UInt32
  ) throws(Failure) -> SharedDescriptor {
    guard !directory.exists(place.name) else {
      throw Failure(.invalidConfiguration, Phrase("\(place.path) exists already"), hint: "name another path")
    }
    do {
      return SharedDescriptor(try UnixSocket.listen(in: directory, name: place.name, mode: mode, backlog: backlog))
    } catch {
      throw Failure(error, doing: "the socket \(place.path) could not be made")
    }
  }

  private static func place(_ path: String?) throws(Failure) -> SocketPlace {
    guard let path else {
      guard let runtime = UserDirectories.runtimeCandidates().first else {
        throw Failure(
          .invalidConfiguration, "there is no place for the socket: neither XDG_RUNTIME_DIR nor HOME is set")
      }
      return SocketPlace(
        directory: "\(runtime)/\(folder)/\(HexDigit.text(Randomness.bytes(8)))", name: WireProtocol.socketName)
    }
    guard let place = SocketPlace(path: path) else {
      throw Failure(.invalidRequest, "\"--socket\" takes the absolute path of a socket that is to be made")
    }
    return place
  }

  consuming func remove() {
    try? directory.removeFile(name, isDurable: false)
    if ownsDirectory { directory.removeEmpty() }
  }
}
