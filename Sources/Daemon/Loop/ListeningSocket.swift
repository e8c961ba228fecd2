internal import Platform
internal import Wire

/// The daemon's socket, and the lock that permits only one daemon. Only the lock's owner removes a socket.
final class ListeningSocket {
  /// The socket's name and inode. Methods may block on the disk.
  final class SocketFile: Sendable {
    fileprivate let directory: PrivateDirectory
    fileprivate let name: String
    private let inode: UInt64

    fileprivate init(_ directory: consuming PrivateDirectory, _ name: String) throws(SystemError) {
      inode = try directory.inode(of: name)
      self.directory = directory
      self.name = name
    }

    /// Whether the name still refers to this socket.
    func isStillOurs() -> Bool { (try? directory.inode(of: name)) == inode }
  }

  var path: String { file.directory.path + "/" + file.name }
  let file: SocketFile
  /// Nil if unavailable; the socket is then checked once a minute.
  private var watch: DirectoryWatch?
  private var lock: FileLock?
  private let descriptor: FileDescriptor
  /// Whether a service manager created the socket and removes it.
  private let isInherited: Bool
  private(set) var isOpen = true

  /// How long to wait for an ending daemon.
  private static let lockWait = Duration.seconds(3)
  private static let backlog = 128

  private init(
    _ file: SocketFile, _ lock: consuming FileLock, _ descriptor: consuming FileDescriptor,
    _ watch: consuming DirectoryWatch?, isInherited: Bool
  ) {
    self.file = file
    self.lock = .some(lock)
    self.descriptor = descriptor
    self.watch = watch
    self.isInherited = isInherited
  }

  /// Binds a socket, replacing that of an earlier daemon. Throws `EAGAIN` if another daemon uses the directory.
  static func bind(_ directory: consuming PrivateDirectory, _ name: String) throws(SystemError) -> ListeningSocket {
    let lock = try directory.lock(WireProtocol.lifetimeLockName, wait: lockWait)
    if directory.exists(name) { try directory.removeFile(name) }
    try Namespaces.writeFile(in: directory)
    let descriptor = try UnixSocket.listen(in: directory, name: name, backlog: backlog)
    let watch = try? DirectoryWatch(directory)
    return ListeningSocket(try SocketFile(directory, name), lock, descriptor, watch, isInherited: false)
  }

  /// Adopts a socket bound by a service manager. Throws `EAGAIN` if another daemon uses the directory.
  static func inherit(
    _ descriptor: consuming FileDescriptor, _ directory: consuming PrivateDirectory, _ name: String
  ) throws(SystemError) -> ListeningSocket {
    let lock = try directory.lock(WireProtocol.lifetimeLockName, wait: lockWait)
    try descriptor.setNonBlocking(true)
    try Namespaces.writeFile(in: directory)
    let watch = try? DirectoryWatch(directory)
    return ListeningSocket(try SocketFile(directory, name), lock, descriptor, watch, isInherited: true)
  }

  var raw: Int32 { descriptor.raw }
  var watchRaw: Int32? { watch?.raw }

  /// Accepts the next peer, if any. Throws an error such as `EMFILE` if no descriptor is free.
  func accept() throws(SystemError) -> FileDescriptor? {
    guard isOpen else { return nil }
    do { return try UnixSocket.accept(descriptor) } catch {
      if error.isOutOfDescriptors { throw error }
      return nil
    }
  }

  /// Reads pending events. Call ``SocketFile/isStillOurs()`` afterwards.
  func drainWatch() { watch?.drain() }

  /// Lets another daemon use the directory.
  func release() { lock = nil }

  /// Stops accepting peers. Removes the socket unless it is another daemon's.
  func close() {
    isOpen = false
    if !isInherited, file.isStillOurs() { try? file.directory.removeFile(file.name) }
  }
}
