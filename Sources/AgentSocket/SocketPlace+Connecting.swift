package import Platform
package import Wire

extension SocketPlace {
  /// Receives the steps of the search. The text is only created if it is printed.
  package typealias Tell = (_ step: () -> String) -> Void

  /// Connects to this user's daemon; nil if it is not running.
  ///
  /// - Parameter seconds: The timeout for a daemon that accepts no connections.
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

  /// Connects to the daemon at this socket; nil if none listens.
  package func connect(
    within seconds: Int = WireProtocol.defaultTimeoutSeconds, telling tell: Tell = { _ in }
  ) throws(Failure) -> DaemonConnection? {
    if otherUser != nil {
      // The directory may be another user's. Only the user of the peer process matters.
      return try connection(telling: tell) { () throws(SystemError) in
        try UnixSocket.connect(path: path, seconds: seconds)
      }
    }
    // The daemon uses no directory that is missing or not private.
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

  /// Connects with an open directory.
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
      // A socket file without a listener was left by a crash.
      tell { "no daemon listens at \(path)" }
      return nil
    } catch  where error.isAgain {
      // Its connection queue is full: the daemon or its machine is stopped.
      throw .queueFull
    } catch {
      throw Failure(error, doing: "cannot connect to the daemon's socket \(path)")
    }
    let connection = try DaemonConnection(over: socket, servedBy: otherUser)
    tell { "found the daemon at \(path)" }
    return connection
  }
}
