package import Platform

extension SocketLocation {
  /// Logs a step of the search. Calls `step` only if needed.
  package typealias StepLogger = (_ step: () -> String) -> Void

  /// Connects to the daemon, if running, at `AGENT_SOCKET` or a default location. Throws `too_busy` if the daemon is
  /// busy for `seconds`.
  package static func connectToDaemon(
    within seconds: Int = WireProtocol.defaultTimeoutSeconds, logging log: StepLogger = { _ in }
  ) throws(Failure) -> DaemonConnection? {
    if let location = try fromEnvironment() {
      log { "the socket is the one that AGENT_SOCKET names" }
      return try location.connect(within: seconds, logging: log)
    }
    let firstDefault = firstDefault
    if let firstDefault, let connection = try firstDefault.connect(within: seconds, logging: log) { return connection }
    for location in all where location != firstDefault {
      if let connection = try location.connect(within: seconds, logging: log) { return connection }
    }
    return nil
  }

  /// Nil if no daemon is running.
  package func connect(
    within seconds: Int = WireProtocol.defaultTimeoutSeconds, logging log: StepLogger = { _ in }
  ) throws(Failure) -> DaemonConnection? {
    if otherUser != nil {
      // Only the peer's user matters: the directory may be another user's.
      return try connection(logging: log) { () throws(SystemError) in
        try UnixSocket.connect(path: path, seconds: seconds)
      }
    }
    // Missing or not private: no daemon.
    guard let directory = try? PrivateDirectory(opening: directory, create: false) else {
      log { "no daemon at \(path): the directory is missing or open to other users" }
      return nil
    }
    if isForeign(directory) {
      log { "the daemon at \(path) is in another network or mount namespace" }
      return nil
    }
    return try connection(logging: log) { () throws(SystemError) in
      try UnixSocket.connect(in: directory, name: name, seconds: seconds)
    }
  }

  /// Nil if no daemon is running.
  package func connect(
    in directory: borrowing PrivateDirectory, within seconds: Int = WireProtocol.defaultTimeoutSeconds
  ) throws(Failure) -> DaemonConnection? {
    try connection { () throws(SystemError) in try UnixSocket.connect(in: directory, name: name, seconds: seconds) }
  }

  /// Nil if no daemon listens.
  private func connection(
    logging log: StepLogger = { _ in }, _ connect: () throws(SystemError) -> FileDescriptor
  ) throws(Failure) -> DaemonConnection? {
    let socket: FileDescriptor
    do {
      socket = try connect()
    } catch  where error.isNotFound || error.isConnectionRefused {
      // Left by a crash.
      log { "no daemon listens at \(path)" }
      return nil
    } catch  where error.wouldBlock {
      // The connection queue is full, since the daemon or machine is stopped.
      throw .queueFull
    } catch {
      throw Failure(error, doing: "cannot connect to the daemon's socket \(path)")
    }
    let connection = try DaemonConnection(over: socket, servedBy: otherUser)
    log { "found the daemon at \(path)" }
    return connection
  }
}
