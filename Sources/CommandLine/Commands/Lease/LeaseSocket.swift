internal import Encoding
internal import Platform
internal import Wire

/// The socket for programs that use a lease, or for the remote host of `agent ssh`.
struct LeaseSocket: ~Copyable {
  let path: String
  private var listener: FileDescriptor?
  private let directory: PrivateDirectory
  private let name: String
  private let mode: UInt32
  /// Other sockets to remove with this one.
  private var otherNames: [String] = []
  private let ownsDirectory: Bool

  private static let backlog = 64
  /// Limits the wait while other processes create sockets.
  private static let timeout = Duration.seconds(5)

  /// Without a path, creates a directory in the runtime directory. `servesOthers` lets other users connect.
  init(at path: String?, servesOthers: Bool) throws(Failure) {
    try DaemonLauncher.refuseForeignDirectories()
    guard let path else {
      try self.init(inOwnDirectoryServingOthers: servesOthers)
      return
    }
    guard let location = SocketLocation(path: path) else {
      throw Failure(.invalidRequest, "\"--socket\" must be the absolute path of a new socket")
    }
    try self.init(location, ownsDirectory: false, servesOthers: servesOthers)
  }

  private init(inOwnDirectoryServingOthers servesOthers: Bool) throws(Failure) {
    guard let runtime = UserDirectories.runtimeCandidates().first else {
      throw Failure(
        .invalidConfiguration, "no directory for the socket: neither XDG_RUNTIME_DIR nor HOME is set")
    }
    let leases: PrivateDirectory
    do {
      leases = try PrivateDirectory(opening: "\(runtime)/\(WireProtocol.leaseFolder)", create: true)
    } catch {
      throw Failure(error)
    }
    let lock: FileLock
    do { lock = try leases.lockSockets(wait: Self.timeout) } catch {
      throw Failure(error, doing: "cannot prepare \(leases.path)")
    }
    let location = SocketLocation(
      directory: "\(leases.path)/\(HexDigit.text(Randomness.bytes(8)))", name: WireProtocol.socketName)
    try self.init(location, ownsDirectory: true, servesOthers: servesOthers)
    lock.release()
  }

  private init(_ location: SocketLocation, ownsDirectory: Bool, servesOthers: Bool) throws(Failure) {
    let directory: PrivateDirectory
    do {
      directory = try PrivateDirectory(
        opening: location.directory, create: ownsDirectory, withoutOthersRights: servesOthers ? 0o022 : 0o077)
    } catch {
      throw Failure(error)
    }
    if servesOthers, ownsDirectory {
      do { try directory.allowOthersToSearch() } catch {
        throw Failure(error, doing: "cannot open \(location.directory)")
      }
    }
    let mode: UInt32 = servesOthers ? 0o666 : 0o600
    listener = .some(try Self.listen(in: directory, location, mode: mode))
    self.mode = mode
    self.directory = directory
    self.ownsDirectory = ownsDirectory
    name = location.name
    path = location.path
  }

  private static func listen(
    in directory: borrowing PrivateDirectory, _ location: SocketLocation, mode: UInt32
  ) throws(Failure) -> FileDescriptor {
    guard !directory.exists(location.name) else {
      throw Failure(.invalidConfiguration, Phrase("\(location.path) already exists"), hint: "choose another path")
    }
    do {
      return try UnixSocket.listen(in: directory, name: location.name, mode: mode, backlog: backlog)
    } catch {
      throw Failure(error, doing: "cannot create the socket \(location.path)")
    }
  }

  mutating func takeListener() -> FileDescriptor {
    guard let taken = listener.take() else { preconditionFailure("the socket was taken") }
    return taken
  }

  /// Creates an HTTP socket next to this one, with the port in its name.
  mutating func addHTTPSocket(for port: UInt16) throws(Failure) -> FileDescriptor {
    let name = WireProtocol.leaseHTTPName(port: port)
    do {
      let socket = try UnixSocket.listen(in: directory, name: name, mode: mode, backlog: Self.backlog)
      otherNames.append(name)
      return socket
    } catch {
      throw Failure(error, doing: "cannot create the socket \(directory.path)/\(name)")
    }
  }

  /// The path for another program's socket, removed with this one.
  mutating func addSocket(named name: String) -> String {
    otherNames.append(name)
    return "\(directory.path)/\(name)"
  }

  deinit {
    for name in [name] + otherNames { try? directory.removeFile(name, isDurable: false) }
    if ownsDirectory { directory.removeEmpty() }
  }
}
