internal import AgentSocket
internal import Platform
internal import Wire

/// Finds the user's daemon, and starts it if none runs.
enum DaemonLauncher {
  /// How long to wait for another command that is starting the daemon, and for the daemon to listen.
  static let patience = Duration.seconds(15)

  /// The exit status of an `agentd` if another one already serves the directory.
  private static let alreadyRunning = ProcessStatus.exited(75)

  /// A connection to the running daemon; nil if none runs.
  ///
  /// - Parameter console: Prints each step.
  static func connect(_ console: Console = .silent) throws(Failure) -> DaemonConnection? {
    try SocketPlace.connectToDaemon(within: console.timeoutSeconds) { step in console.detail(step()) }
  }

  /// A connection to the running daemon, otherwise to one started by this call.
  ///
  /// - Parameters:
  ///   - patience: The maximum length of each of two waits: for another command that starts the daemon, and for the
  ///     daemon to listen. A daemon already started continues to start afterwards.
  ///   - startsNamed: Whether to start a daemon at the socket named by `AGENT_SOCKET`. That may be the socket of a
  ///     lease that has ended, where no daemon may listen.
  /// - Throws: `daemon_unavailable` if none listens at the named socket.
  static func connectOrStart(
    _ console: Console = .silent, patience: Duration = DaemonLauncher.patience, startsNamed: Bool = false
  ) throws(Failure) -> DaemonConnection {
    try refuseForeignDirectories()
    if let connection = try connect(console) { return connection }
    let place = try SocketPlace.named()
    if let place, !startsNamed {
      do throws(DirectoryError) { _ = try PrivateDirectory(opening: place.directory, create: false) } catch {
        if case .untrusted(.notOwned, _) = error, place.otherUser == nil {
          throw Failure(
            .daemonUnavailable, Phrase("\(place.directory) belongs to another user"),
            hint: "if you trust that user's daemon: AGENT_SOCKET_USER=UID")
        }
      }
      throw Failure(
        .daemonUnavailable, Phrase("no daemon is listening at \(place.path) (AGENT_SOCKET)"),
        hint: "agent daemon start")
    }
    let places = place.map { [$0] } ?? SocketPlace.all
    var problem: Failure?
    var isServedElsewhere = false
    for place in places {
      if place.isServedElsewhere {
        isServedElsewhere = true
        continue
      }
      let directory: PrivateDirectory
      do {
        directory = try PrivateDirectory(opening: place.directory, create: true)
      } catch {
        problem = problem ?? Failure(error)
        console.detail("\(place.directory) cannot hold the socket")
        continue
      }
      return try start(in: directory, place, console, patience)
    }
    if isServedElsewhere {
      return try startPrivate(console, because: "the user's daemon is in another network or mount namespace")
    }
    guard var problem else {
      throw Failure(
        .invalidConfiguration,
        "no directory for the daemon's socket: neither XDG_RUNTIME_DIR nor HOME is set", hint: withoutHome)
    }
    // As for the user of a service or a container, whose home is "/" or does not exist.
    problem.advice = problem.advice ?? withoutHome
    throw problem
  }

  private static var withoutHome: Phrase {
    Phrase("set \("HOME") to a directory of your own, or store nothing: \("agent login --no-daemon --ephemeral")")
  }

  /// A connection to a private `agentd`, which ends with the connection.
  ///
  /// - Parameters:
  ///   - reason: The text printed after "because".
  ///   - needsHome: Whether it uses the user's files.
  static func startPrivate(
    _ console: Console = .silent, because reason: String = "of --no-daemon", needsHome: Bool = true
  ) throws(Failure) -> DaemonConnection {
    if needsHome {
      try refuseForeignDirectories()
      try requireHome()
    }
    let pair: SocketPair
    do { pair = try SocketPair() } catch { throw Failure(error, doing: "cannot start a private agentd") }
    let daemon = try DaemonProgram.daemon.start(
      arguments: ["--connection-fd", "\(DaemonProgram.inheritedNumber)"], inheriting: [pair.second.raw],
      needsHome: needsHome)
    console.detail("started a private agentd, process \(daemon.process), because \(reason)")
    Signals.endAfter(child: daemon.process, socket: pair.first.raw)
    return try DaemonConnection(over: pair.first, privateDaemon: daemon)
  }

  /// Root must not create files in a user's directories.
  ///
  /// - Throws: `invalid_configuration`, which names the variable.
  static func refuseForeignDirectories() throws(Failure) {
    guard let foreign = UserDirectories.foreign else { return }
    throw Failure(
      .invalidConfiguration,
      "\(foreign.variable) is \(foreign.path), which does not belong to root: nothing was started or written",
      hint: foreignHint(foreign))
  }

  /// A new daemon must know the location of the user's files.
  ///
  /// - Throws: `invalid_configuration`.
  private static func requireHome() throws(Failure) {
    do {
      _ = try (UserDirectories.configHome, UserDirectories.stateHome, UserDirectories.cacheHome)
    } catch {
      throw Failure(
        .invalidConfiguration,
        "HOME is not set to an absolute path in UTF-8, so there is no directory for your files",
        hint: "set HOME; or XDG_CONFIG_HOME, XDG_STATE_HOME and XDG_CACHE_HOME")
    }
  }

  /// How to use root's own directories.
  static func foreignHint(_ foreign: UserDirectories.Foreign) -> Phrase {
    if foreign.variable == "HOME" { return Phrase("run without sudo, or use sudo -H") }
    return Phrase("unset \(foreign.variable)")
  }

  /// Starts the daemon. Of several concurrent callers one does; the others find it running.
  private static func start(
    in directory: borrowing PrivateDirectory, _ place: SocketPlace, _ console: Console, _ patience: Duration
  ) throws(Failure) -> DaemonConnection {
    let lock: FileLock
    do {
      lock = try directory.lock(WireProtocol.startLockName, wait: patience)
    } catch  where error.isAgain {
      throw Failure(.daemonUnavailable, "another command is taking too long to start the daemon")
    } catch {
      throw Failure(error, doing: "cannot use \(place.directory) for the daemon's socket")
    }
    let connection = try startUnderLock(in: directory, place, console, patience)
    lock.release()
    return connection
  }

  private static let maximumLaunches = 3

  private static func startUnderLock(
    in directory: borrowing PrivateDirectory, _ place: SocketPlace, _ console: Console, _ patience: Duration
  ) throws(Failure) -> DaemonConnection {
    for _ in 0..<maximumLaunches {
      if let connection = try place.connect(in: directory, within: console.timeoutSeconds) { return connection }
      if try launch(in: place, console, patience) == .alreadyServed {
        console.detail("another agentd has the place already")
        // The other `agentd` is about to listen or to end; either takes only moments.
        try? directory.lock(WireProtocol.lifetimeLockName, wait: .seconds(1)).release()
      }
    }
    if let connection = try place.connect(in: directory, within: console.timeoutSeconds) { return connection }
    throw Failure(.daemonUnavailable, "agentd ended right after it started")
  }

  private enum Launch { case listening, alreadyServed }

  /// Starts `agentd` and waits until it listens.
  private static func launch(
    in place: SocketPlace, _ console: Console, _ patience: Duration
  ) throws(Failure) -> Launch {
    try requireHome()
    let begin = Instant.now
    let readiness: Pipe
    do { readiness = try Pipe() } catch { throw Failure(error, doing: "cannot start agentd") }
    let daemon = try DaemonProgram.daemon.start(
      arguments: [
        "--directory", place.directory, "--socket-name", place.name, "--ready-fd",
        "\(DaemonProgram.inheritedNumber)",
      ],
      inheriting: [readiness.writing.raw])
    let reading = readiness.reading
    // Closes our copy of the writing end, because otherwise the end of agentd would go unnoticed.
    do { try readiness.writing.close() } catch { throw Failure(error, doing: "cannot start agentd") }
    switch isReady(reading, patience) {
    case .some(true):
      console.detail(
        "started agentd, process \(daemon.process), which listens at \(place.path) after"
          + " \(RelativeTime.precise(begin.duration(to: .now)))")
      return .listening
    case .none:
      throw Failure(.daemonUnavailable, "agentd started but is not listening")
    case .some(false):
      let words = daemon.lastWords()
      if daemon.reap() == alreadyRunning { return .alreadyServed }
      throw Failure(
        .daemonUnavailable,
        words.map { Phrase("agentd failed to start: \($0)") } ?? Phrase("agentd failed to start"))
    }
  }

  /// Whether it has reported that it listens: false if it ended, nil if neither happens in time.
  private static func isReady(_ reading: borrowing FileDescriptor, _ patience: Duration) -> Bool? {
    guard (try? reading.waitUntilReadable(timeout: patience)) == true else { return nil }
    var byte: [UInt8] = []
    return (try? reading.read(into: &byte, upTo: 1)) == 1
  }
}
