package import Platform
package import Wire

extension SocketPlace {
  /// Is told a step of the search, made into words only by those who want to know.
  package typealias Tell = (_ step: () -> String) -> Void

  /// A connection to this user's running daemon, wherever it is; nil when none runs.
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

  /// A connection to the daemon at this place; nil when none listens there.
  package func connect(telling tell: Tell = { _ in }) throws(Failure) -> DaemonConnection? {
    // A directory that is not there, or is not private, is not where the daemon is.
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

  /// The same in the directory, which is open already.
  package func connect(in directory: borrowing PrivateDirectory) throws(Failure) -> DaemonConnection? {
    let socket: FileDescriptor
    do {
      socket = try UnixSocket.connect(in: directory, name: name)
    } catch  where error.isNotFound || error.isConnectionRefused {
      // A socket file that nobody listens on was left behind by a crash.
      return nil
    } catch {
      throw Failure(error, doing: "the daemon's socket \(path) does not let us connect")
    }
    return try DaemonConnection(over: socket)
  }
}
