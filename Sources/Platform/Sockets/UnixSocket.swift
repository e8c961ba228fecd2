internal import CPlatform
internal import Glibc

package enum UnixSocket {
  /// Returns a non-blocking listener on a new socket with these permission bits. Throws `EADDRINUSE` if the name
  /// exists; only the holder of the lifetime lock may remove it.
  package static func listen(
    in directory: borrowing PrivateDirectory, name: String, mode: UInt32 = 0o600, backlog: Int
  ) throws(SystemError) -> FileDescriptor {
    try PrivateDirectory.checkName(name)
    let socket = try makeSocket()
    let number = socket.raw
    // The file gets the socket's permissions, so that others can never connect.
    try SystemCall.libc("fchmod") { fchmod(number, mode) }
    try unsafe SystemCall.checked(agent_unix_bind(number, path(of: name, in: directory)), "bind")
    // The umask cleared some permissions.
    try SystemCall.libc("chmod") { unsafe chmod(path(of: name, in: directory), mode) }
    try SystemCall.libc("listen") { Glibc.listen(number, Int32(clamping: backlog)) }
    try socket.setNonBlocking(true)
    return socket
  }

  /// Returns a blocking socket. Check ``peerUserID(_:)`` before sending a secret. Throws `ENOENT` or `ECONNREFUSED` if
  /// no process listens, `EAGAIN` after the timeout `seconds`, which also applies to later writes; nil for no limit.
  package static func connect(
    in directory: borrowing PrivateDirectory, name: String, seconds: Int? = nil
  ) throws(SystemError) -> FileDescriptor {
    try PrivateDirectory.checkName(name)
    return try unsafe connect(toAddress: path(of: name, in: directory), seconds: seconds)
  }

  /// Accepts a path of any length.
  package static func connect(path: String, seconds: Int? = nil) throws(SystemError) -> FileDescriptor {
    try SystemCall.checkText(path, "connect")
    if path.utf8.count <= agent_unix_path_capacity() { return try unsafe connect(toAddress: path, seconds: seconds) }
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
      throw SystemError(errno: ENAMETOOLONG, operation: "connect")
    }
    let parent = slash == path.startIndex ? "/" : String(path[..<slash])
    let directory = FileDescriptor(
      owning: try SystemCall.libc("open") { unsafe open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
    return try unsafe connect(toAddress: "/proc/self/fd/\(directory.raw)\(path[slash...])", seconds: seconds)
  }

  /// True unless the connection is refused. Never blocks.
  package static func isListening(in directory: borrowing PrivateDirectory, name: String) -> Bool {
    do throws(SystemError) {
      try PrivateDirectory.checkName(name)
      let socket = try makeSocket()
      try socket.setNonBlocking(true)
      let number = socket.raw
      try SystemCall.uninterrupted("connect") { unsafe agent_unix_connect(number, path(of: name, in: directory)) }
      return true
    } catch {
      return !error.isConnectionRefused
    }
  }

  /// Returns a non-blocking socket. Throws `EAGAIN` if no connection is waiting, `ECONNABORTED` if it was closed
  /// meanwhile, `EMFILE` if no descriptor is free.
  package static func accept(_ listener: borrowing FileDescriptor) throws(SystemError) -> FileDescriptor {
    let number = listener.raw
    return FileDescriptor(owning: try SystemCall.uninterrupted("accept4") { agent_accept(number) })
  }

  /// Ends a listener or connection immediately for all processes, since closing may wait for the `exec` of a starting
  /// program.
  package static func shutDown(_ socket: borrowing FileDescriptor) throws(SystemError) {
    let number = socket.raw
    try SystemCall.libc("shutdown") { Glibc.shutdown(number, Int32(SHUT_RDWR)) }
  }

  package static func shutDownWriting(_ socket: borrowing FileDescriptor) throws(SystemError) {
    let number = socket.raw
    try SystemCall.libc("shutdown") { Glibc.shutdown(number, Int32(SHUT_WR)) }
  }

  /// The peer's effective user when it connected or listened (`SO_PEERCRED`).
  package static func peerUserID(_ socket: borrowing FileDescriptor) throws(SystemError) -> UInt32 {
    try peer(socket).user
  }

  /// The peer's user and process ID, 0 if invisible in this namespace. A socket-activated daemon appears as its service
  /// manager.
  package static func peer(
    _ socket: borrowing FileDescriptor
  ) throws(SystemError) -> (user: UInt32, process: Int32) {
    var user: UInt32 = 0
    let process = try SystemCall.checked(unsafe agent_peer(socket.raw, &user), "getsockopt")
    return (user, process)
  }

  /// False for a listener and for anything but a local stream socket.
  package static func isConnection(_ socket: borrowing FileDescriptor) -> Bool {
    agent_is_unix_connection(socket.raw) == 1
  }

  /// Makes reads and writes of a blocking socket throw `EAGAIN` after this time. 0 for no limit.
  package static func setTimeouts(_ socket: borrowing FileDescriptor, seconds: Int) throws(SystemError) {
    let (milliseconds, overflow) = max(0, seconds).multipliedReportingOverflow(by: 1000)
    try SystemCall.checked(agent_set_timeouts(socket.raw, overflow ? .max : milliseconds), "setsockopt")
  }

  private static func makeSocket() throws(SystemError) -> FileDescriptor {
    FileDescriptor(owning: try SystemCall.checked(agent_unix_socket(), "socket"))
  }

  /// The path must fit into a socket address.
  static func connect(toAddress path: UnsafePointer<CChar>, seconds: Int?) throws(SystemError) -> FileDescriptor {
    let socket = try makeSocket()
    let number = socket.raw
    if let seconds { try SystemCall.checked(agent_set_send_timeout(number, Int(clamping: seconds)), "setsockopt") }
    try SystemCall.uninterrupted("connect") { unsafe agent_unix_connect(number, path) }
    return socket
  }

  /// Uses `/proc` if the path is too long for a socket address.
  private static func path(of name: String, in directory: borrowing PrivateDirectory) -> String {
    let direct = "\(directory.path)/\(name)"
    return direct.utf8.count <= agent_unix_path_capacity() ? direct : "/proc/self/fd/\(directory.raw)/\(name)"
  }
}

/// Two connected local sockets, close-on-exec and blocking. Frozen like ``Pipe``.
@frozen @usableFromInline package struct SocketPair: ~Copyable, Sendable {
  package var first: FileDescriptor
  package var second: FileDescriptor

  package init() throws(SystemError) {
    let ends = try unsafe SystemCall.pair("socketpair") { unsafe agent_socket_pair($0) }
    first = FileDescriptor(owning: ends.0)
    second = FileDescriptor(owning: ends.1)
  }
}
