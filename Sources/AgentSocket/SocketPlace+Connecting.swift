package import Platform
package import Wire

extension SocketPlace {
  /// Receives the steps of the search. Creates their text only on demand.
  package typealias Tell = (_ step: () -> String) -> Void

  /// Connects to this user's daemon; nil if none runs.
  ///
  /// - Parameter seconds: The timeout for connecting.
  /// - Throws: `timeout`.
  package static func connectToDaemon(
    within seconds: Int = WireProtocol.defaultTimeoutSeconds, telling tell: Tell = { _ in }
  ) throws(Failure) -> DaemonConnection? {
    if let place = try named() {
      tell { "the socket is the one that AGENT_SOCKET names" }
      return try place.connect(within: seconds, telling: tell)
    }
    let best = best
    if let best, let connection = try best.connect(within: seconds, telling: tell) { return connection }
    for place in all where place != best {
      if let connection = try place.connect(within: seconds, telling: tell) { return connection }
    }
    return nil
  }

  /// Connects to the daemon at this socket; nil if none runs.
  package func connect(
    within seconds: Int = WireProtocol.defaultTimeoutSeconds, telling tell: Tell = { _ in }
  ) throws(Failure) -> DaemonConnection? {
    if otherUser != nil {
      // The directory may be another user's. Only the peer's user matters.
      return try connection(telling: tell) { () throws(SystemError) in
        try UnixSocket.connect(path: path, seconds: seconds)
      }
    }
    // No daemon uses a directory that is missing or not private.
    guard let directory = try? PrivateDirectory(opening: directory, create: false) else {
      tell { "no daemon at \(path): the directory is missing or open to other users" }
      return nil
    }
    if isForeign(directory) {
      tell { "the daemon at \(path) is in another network or mount namespace" }
      return nil
    }
    return try connection(telling: tell) { () throws(SystemError) in
      try UnixSocket.connect(in: directory, name: name, seconds: seconds)
    }
  }

  /// Connects in an open directory.
  package func connect(
    in directory: borrowing PrivateDirectory, within seconds: Int = WireProtocol.defaultTimeoutSeconds
  ) throws(Failure) -> DaemonConnection? {
    try connection { () throws(SystemError) in try UnixSocket.connect(in: directory, name: name, seconds: seconds) }
  }

  private func connection(
    telling tell: Tell = { _ in }, _ connect: () throws(SystemError) -> FileDescriptor
  ) throws(Failure) -> DaemonConnection? {
    let socket: FileDescriptor
    do {
      socket = try connect()
    } catch  where error.isNotFound || error.isConnectionRefused {
      // A crash left the socket file.
      tell { "no daemon listens at \(path)" }
      return nil
    } catch  where error.isAgain {
      // The connection queue is full: the daemon or its machine is stopped.
      throw .queueFull
    } catch {
      throw Failure(error, doing: "cannot connect to the daemon's socket \(path)")
    }
    let connection = try DaemonConnection(over: socket, servedBy: otherUser)
    tell { "found the daemon at \(path)" }
    return connection
  }
}
