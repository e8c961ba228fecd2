package import Platform
package import Wire

extension SocketPlace {
  /// Receives the steps of the search; the text is made only if it is printed.
  package typealias Tell = (_ step: () -> String) -> Void

  /// A connection to this user's daemon; nil if none is running.
  package static func connectToDaemon(telling tell: Tell = { _ in }) throws(Failure) -> DaemonConnection? {
    if let place = try named(by: Environment.value("AGENT_SOCKET")) {
      tell { "the socket is the one that AGENT_SOCKET names" }
      return try place.connect(telling: tell)
    }
    let best = best
    if let best, let connection = try best.connect(telling: tell) { return connection }
    for place in all where place != best {
      if let connection = try place.connect(telling: tell) { return connection }
    }
    return nil
  }

  /// A connection to the daemon at this place; nil if none listens there.
  package func connect(telling tell: Tell = { _ in }) throws(Failure) -> DaemonConnection? {
    // The daemon uses no directory that is missing or not private.
    guard let directory = try? PrivateDirectory(opening: directory, create: false) else {
      tell { "no daemon at \(path): the directory is missing or open to other users" }
      return nil
    }
    guard let connection = try connect(in: directory) else {
      tell { "no daemon listens at \(path)" }
      return nil
    }
    tell { "found the daemon at \(path)" }
    return connection
  }

  /// The same with an open directory.
  package func connect(in directory: borrowing PrivateDirectory) throws(Failure) -> DaemonConnection? {
    let socket: FileDescriptor
    do {
      socket = try UnixSocket.connect(in: directory, name: name)
    } catch  where error.isNotFound || error.isConnectionRefused {
      // A socket file without a listener is left from a crash.
      return nil
    } catch {
      throw Failure(error, doing: "cannot connect to the daemon's socket \(path)")
    }
    return try DaemonConnection(over: socket)
  }
}
