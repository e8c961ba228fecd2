internal import Platform
internal import Wire

/// Finds the user's daemon, and starts it where there is none.
enum DaemonLauncher {
  /// How long to wait for another command that is starting the daemon, and for the daemon to listen.
  private static let patience = Duration.seconds(15)

  /// What `agentd` exits with when another one serves the directory.
  private static let alreadyRunning = Platform.ExitStatus.exited(75)

  /// A connection to the running daemon; nil when none runs.
  static func connect() throws(Failure) -> DaemonConnection? {
    if let place = try SocketPlace.named(by: Environment.value("AGENT_SOCKET")) { return try connect(to: place) }
    if let best = SocketPlace.best, let connection = try connect(to: best) { return connection }
    return try connect(to: SocketPlace.all)
  }

  /// A connection to the running daemon, or else to one that this call starts.
  static func connectOrStart() throws(Failure) -> DaemonConnection {
    if let connection = try connect() { return connection }
    let place = try SocketPlace.named(by: Environment.value("AGENT_SOCKET"))
    let places = place.map { [$0] } ?? SocketPlace.all
    var problem: Failure?
    for place in places {
      let directory: PrivateDirectory
      do {
        directory = try PrivateDirectory(opening: place.directory, create: true)
      } catch {
        problem = problem ?? Failure(error)
        continue
      }
      return try start(in: directory, place)
    }
    throw problem
      ?? Failure(
        .invalidConfiguration, "there is no place for the daemon's socket: neither XDG_RUNTIME_DIR nor HOME is set")
  }

  /// Waits until a daemon that was told to stop has let go of the lock that it holds as long as it
  /// lives, or the next one would find the place taken.
  static func waitForLifetimeLock(_ patience: Duration) throws(Failure) {
    let places = try SocketPlace.named(by: Environment.value("AGENT_SOCKET")).map { [$0] } ?? SocketPlace.all
    for place in places {
      guard let directory = try? PrivateDirectory(opening: place.directory, create: false),
        directory.exists(WireProtocol.lifetimeLockName)
      else { continue }
      do {
        // Nobody starts a daemon meanwhile: it would find the lock taken, by us.
        let starting = try directory.lock(WireProtocol.startLockName, wait: patience)
        try directory.lock(WireProtocol.lifetimeLockName, wait: patience).release()
        starting.release()
      } catch {
        throw Failure(.daemonUnavailable, "the daemon was told to stop and has not ended yet")
      }
    }
  }

  /// A connection to an `agentd` of its own, which ends with the connection.
  static func startPrivate() throws(Failure) -> DaemonConnection {
    let pair: SocketPair
    do { pair = try SocketPair() } catch { throw Failure(error, doing: "a private agentd could not be started") }
    let daemon = try DaemonProgram.start(
      arguments: ["--connection-fd", "\(DaemonProgram.inheritedNumber)"], inheriting: pair.second)
    return try DaemonConnection(over: pair.first, privateDaemon: daemon)
  }

  private static func connect(to places: [SocketPlace]) throws(Failure) -> DaemonConnection? {
    for place in places {
      if let connection = try connect(to: place) { return connection }
    }
    return nil
  }

  private static func connect(to place: SocketPlace) throws(Failure) -> DaemonConnection? {
    // A directory that is not there, or is not private, is not where the daemon is.
    guard let directory = try? PrivateDirectory(opening: place.directory, create: false) else { return nil }
    return try connect(in: directory, place)
  }

  private static func connect(
    in directory: borrowing PrivateDirectory, _ place: SocketPlace
  ) throws(Failure) -> DaemonConnection? {
    let socket: FileDescriptor
    do {
      socket = try UnixSocket.connect(in: directory, name: place.name)
    } catch  where error.isNotFound || error.isConnectionRefused {
      // A socket file that nobody listens on was left behind by a crash.
      return nil
    } catch {
      throw Failure(error, doing: "the daemon's socket \(place.path) does not let us connect")
    }
    return try DaemonConnection(over: socket)
  }

  /// Starts the daemon; of several callers at a time one does and the others find it running.
  private static func start(
    in directory: borrowing PrivateDirectory, _ place: SocketPlace
  ) throws(Failure) -> DaemonConnection {
    let lock: FileLock
    do {
      lock = try directory.lock(WireProtocol.startLockName, wait: patience)
    } catch  where error.isAgain {
      throw Failure(.daemonUnavailable, "another command has been starting the daemon for too long")
    } catch {
      throw Failure(error, doing: "\(place.directory) cannot be used for the daemon's socket")
    }
    let connection: DaemonConnection
    do {
      connection = try startUnderLock(in: directory, place)
    } catch {
      lock.release()
      throw error
    }
    lock.release()
    return connection
  }

  private static let maximumLaunches = 3

  private static func startUnderLock(
    in directory: borrowing PrivateDirectory, _ place: SocketPlace
  ) throws(Failure) -> DaemonConnection {
    for _ in 0..<maximumLaunches {
      if let connection = try connect(in: directory, place) { return connection }
      if try launch(in: place) == .alreadyServed {
        // By one that is about to listen, or about to end; either is a matter of moments.
        try? directory.lock(WireProtocol.lifetimeLockName, wait: .seconds(1)).release()
      }
    }
    if let connection = try connect(in: directory, place) { return connection }
    throw Failure(.daemonUnavailable, "agentd was started and ended again")
  }

  private enum Launch { case listening, alreadyServed }

  /// Starts `agentd` and waits until it listens.
  private static func launch(in place: SocketPlace) throws(Failure) -> Launch {
    let readiness: Pipe
    do { readiness = try Pipe() } catch { throw Failure(error, doing: "agentd could not be started") }
    let daemon = try DaemonProgram.start(
      arguments: [
        "--directory", place.directory, "--socket-name", place.name, "--ready-fd", "\(DaemonProgram.inheritedNumber)",
      ],
      inheriting: readiness.writing)
    let reading = readiness.reading
    // Our copy of the other end goes, or the end of agentd would not be noticed.
    do { try readiness.writing.close() } catch { throw Failure(error, doing: "agentd could not be started") }
    switch isReady(reading) {
    case .some(true): return .listening
    case .none:
      throw Failure(.daemonUnavailable, "agentd was started and does not listen")
    case .some(false):
      let words = daemon.lastWords()
      if daemon.reap() == alreadyRunning { return .alreadyServed }
      throw Failure(.daemonUnavailable, "agentd could not start" + (words.map { ": \($0)" } ?? ""))
    }
  }

  /// Whether it said that it listens: false when it ended, nil when it does neither.
  private static func isReady(_ reading: borrowing FileDescriptor) -> Bool? {
    guard (try? reading.waitUntilReadable(timeout: patience)) == true else { return nil }
    var byte: [UInt8] = []
    return (try? reading.read(into: &byte, upTo: 1)) == 1
  }
}
