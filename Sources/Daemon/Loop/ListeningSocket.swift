internal import Platform
internal import Wire

/// The daemon's socket and the lock that makes it the only one; only the lock's holder removes a socket.
final class ListeningSocket {
  /// The socket's name, and which file it is. Its calls wait for the disk.
  final class Place: Sendable {
    fileprivate let directory: PrivateDirectory
    fileprivate let name: String
    private let inode: UInt64

    fileprivate init(_ directory: consuming PrivateDirectory, _ name: String) throws(SystemError) {
      inode = try directory.inode(of: name)
      self.directory = directory
      self.name = name
    }

    /// False when the socket's name is gone or names another socket: the directory went away at logout.
    func isStillOurs() -> Bool { (try? directory.inode(of: name)) == inode }
  }

  var path: String { place.directory.path + "/" + place.name }
  let place: Place
  /// Nil if the system has no watch left for this user; the socket's name is then looked at once a minute.
  private let watch: DirectoryWatch?
  private var lock: FileLock?
  private let descriptor: FileDescriptor
  /// The service manager made the socket and removes it.
  private let isInherited: Bool
  private(set) var isOpen = true

  /// How long a daemon that is just ending may keep its lock.
  private static let lockWait = Duration.seconds(3)
  private static let backlog = 128

  private init(
    _ place: Place, _ lock: consuming FileLock, _ descriptor: consuming FileDescriptor,
    _ watch: consuming DirectoryWatch?, isInherited: Bool
  ) {
    self.place = place
    self.lock = .some(lock)
    self.descriptor = descriptor
    self.watch = watch
    self.isInherited = isInherited
  }

  /// Binds `name` in `directory`.
  ///
  /// - Throws: `EAGAIN` when another daemon lives there.
  static func bind(_ directory: consuming PrivateDirectory, _ name: String) throws(SystemError) -> ListeningSocket {
    let lock = try directory.lock(WireProtocol.lifetimeLockName, wait: lockWait)
    if directory.exists(name) { try directory.removeFile(name) }
    try Namespaces.note(in: directory)
    let descriptor = try UnixSocket.listen(in: directory, name: name, backlog: backlog)
    let watch = try? DirectoryWatch(directory)
    return ListeningSocket(try Place(directory, name), lock, descriptor, watch, isInherited: false)
  }

  /// Takes over a socket that the service manager bound for us.
  static func inherit(
    _ descriptor: consuming FileDescriptor, _ directory: consuming PrivateDirectory, _ name: String
  ) throws(SystemError) -> ListeningSocket {
    let lock = try directory.lock(WireProtocol.lifetimeLockName, wait: lockWait)
    try descriptor.setNonBlocking(true)
    try Namespaces.note(in: directory)
    let watch = try? DirectoryWatch(directory)
    return ListeningSocket(try Place(directory, name), lock, descriptor, watch, isInherited: true)
  }

  var raw: Int32 { descriptor.raw }
  var watchRaw: Int32? {
    switch watch {
    case .some(let watch): watch.raw
    case .none: nil
    }
  }

  /// The next peer that waits; nil when there is none.
  ///
  /// - Throws: `EMFILE` and the like, if the process or the system has no descriptor left.
  func accept() throws(SystemError) -> FileDescriptor? {
    guard isOpen else { return nil }
    do { return try UnixSocket.accept(descriptor) } catch {
      if error.isOutOfDescriptors { throw error }
      return nil
    }
  }

  /// Takes what the watch has told. ``Place/isStillOurs()`` says what it means.
  func drainWatch() {
    switch watch {
    case .some(let watch): watch.drain()
    case .none: break
    }
  }

  /// Lets another daemon have the directory.
  func release() { lock = nil }

  /// No new peers. Removes the socket if it is ours, so that the next client starts a daemon of its own.
  func close() {
    isOpen = false
    if !isInherited, place.isStillOurs() { try? place.directory.removeFile(place.name) }
  }
}
