internal import Encoding
internal import Platform
internal import Wire

enum DaemonLauncher {
  /// Limits the wait for another starting command, then for the daemon to listen.
  static let timeout = Duration.seconds(15)

  /// If another daemon serves the directory.
  private static let alreadyRunningStatus = ProcessStatus.exited(75)

  /// Connects to the running daemon, logging the steps to `console`. Nil if none runs.
  static func connect(_ console: Console = .silent) throws(Failure) -> DaemonConnection? {
    try SocketLocation.connectToDaemon(within: console.timeoutSeconds) { step in console.detail(step()) }
  }

  /// Connects to the running daemon, or starts one. `timeout` limits the wait for another starting command, then for
  /// the daemon to listen. `startsAtNamedSocket` permits a start at `AGENT_SOCKET`, which may be an ended lease's
  /// socket.
  static func connectOrStart(
    _ console: Console = .silent, timeout: Duration = DaemonLauncher.timeout, startsAtNamedSocket: Bool = false
  ) throws(Failure) -> DaemonConnection {
    try refuseForeignDirectories()
    if let connection = try connect(console) { return connection }
    return try start(console, timeout, startsAtNamedSocket: startsAtNamedSocket)
  }

  /// Uses the first usable directory. Not inlined, so that finding a running daemon needs less stack.
  @inline(never)
  private static func start(
    _ console: Console, _ timeout: Duration, startsAtNamedSocket: Bool
  ) throws(Failure) -> DaemonConnection {
    let location = try SocketLocation.fromEnvironment()
    if let location {
      do throws(DirectoryError) { _ = try PrivateDirectory(opening: location.directory, create: false) } catch {
        switch error {
        case .untrusted(.notOwned, _) where !startsAtNamedSocket && location.otherUser == nil:
          throw Failure(
            .daemonUnavailable, Phrase("\(location.directory) belongs to another user"),
            hint: "if you trust that user's daemon: AGENT_SOCKET_USER=UID")
        case .system(let problem, _)
        where problem.isNotFound && !isBesideDefault(location.directory):
          // Not created, because the path may be mistyped.
          throw Failure(
            .daemonUnavailable, Phrase("the directory \(location.directory) does not exist (AGENT_SOCKET)"),
            hint: .command("mkdir -p -m 700 \(ShellWord.quoted(location.directory))"))
        default: break
        }
      }
      if !startsAtNamedSocket {
        throw Failure(
          .daemonUnavailable, Phrase("no daemon is listening at \(location.path) (AGENT_SOCKET)"),
          hint: "agent daemon start")
      }
    }
    let locations = location.map { [$0] } ?? SocketLocation.all
    var problem: Failure?
    var isServedElsewhere = false
    for location in locations {
      if location.isServedElsewhere {
        isServedElsewhere = true
        continue
      }
      let directory: PrivateDirectory
      do {
        directory = try PrivateDirectory(opening: location.directory, create: true)
      } catch {
        problem = problem ?? Failure(error)
        console.detail("\(location.directory) cannot hold the socket")
        continue
      }
      return try start(in: directory, location, console, timeout)
    }
    if isServedElsewhere {
      return try startPrivate(console, because: "the user's daemon is in another network or mount namespace")
    }
    guard var problem else {
      throw homeFailure
    }
    // For example a container user without a home directory.
    problem.advice = problem.advice ?? homeHint
    throw problem
  }

  /// Whether the parent of a default socket directory contains `directory`.
  private static func isBesideDefault(_ directory: String) -> Bool {
    UserDirectories.runtimeCandidates().contains { candidate in
      let parent = candidate.prefix(through: candidate.lastIndex(of: "/") ?? candidate.startIndex)
      return directory.utf8.starts(with: parent.utf8)
    }
  }

  private static var homeHint: Phrase {
    Phrase("set \("HOME") to a directory of your own, or store nothing: \("agent login --no-daemon --ephemeral")")
  }

  /// Starts a private `agentd` that ends with the connection. Logs `reason` after "because". `needsHome`: whether it
  /// needs the user's files.
  @inline(never)
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
      arguments: ["--connection-fd", "\(DaemonProgram.firstInheritedDescriptor)"], inheriting: [pair.second.raw],
      needsHome: needsHome)
    console.detail("started a private agentd, process \(daemon.processID), because \(reason)")
    Signals.delayEnd(untilExitOf: daemon.processID, socket: pair.first.raw)
    return try DaemonConnection(over: pair.first, privateDaemon: daemon)
  }

  /// Throws `invalid_configuration` if root would create files in another user's directory.
  static func refuseForeignDirectories() throws(Failure) {
    guard let foreign = UserDirectories.foreign else { return }
    throw Failure(
      .invalidConfiguration,
      "\(foreign.variable) is \(foreign.path), which does not belong to root: nothing was started or written",
      hint: foreignHint(foreign))
  }

  private static func requireHome() throws(Failure) {
    do {
      _ = try (UserDirectories.configHome, UserDirectories.stateHome, UserDirectories.cacheHome)
    } catch {
      throw homeFailure
    }
  }

  private static var homeFailure: Failure {
    Failure(
      .invalidConfiguration,
      "HOME is not set to an absolute path in UTF-8, so there is no directory for your files",
      hint: "set HOME; or XDG_CONFIG_HOME, XDG_STATE_HOME and XDG_CACHE_HOME")
  }

  static func foreignHint(_ foreign: UserDirectories.ForeignDirectory) -> Phrase {
    if foreign.variable == "HOME" { return Phrase("run without sudo, or use sudo -H") }
    return Phrase("unset \(foreign.variable)")
  }

  /// Uses a lock, since several commands may try at once.
  private static func start(
    in directory: borrowing PrivateDirectory, _ location: SocketLocation, _ console: Console, _ timeout: Duration
  ) throws(Failure) -> DaemonConnection {
    let lock: FileLock
    do {
      lock = try directory.lock(WireProtocol.startLockName, wait: timeout)
    } catch  where error.wouldBlock {
      throw Failure(.daemonUnavailable, "another command is taking too long to start the daemon")
    } catch {
      throw Failure(error, doing: "cannot use \(location.directory) for the daemon's socket")
    }
    let connection = try startUnderLock(in: directory, location, console, timeout)
    lock.release()
    return connection
  }

  private static let maximumLaunches = 3

  private static func startUnderLock(
    in directory: borrowing PrivateDirectory, _ location: SocketLocation, _ console: Console, _ timeout: Duration
  ) throws(Failure) -> DaemonConnection {
    for _ in 0..<maximumLaunches {
      if let connection = try location.connect(in: directory, within: console.timeoutSeconds) { return connection }
      if try launch(in: location, console, timeout) == .alreadyServed {
        console.detail("another agentd is already running there")
        // The other is starting or ending, which is quick.
        try? directory.lock(WireProtocol.lifetimeLockName, wait: .seconds(1)).release()
      }
    }
    if let connection = try location.connect(in: directory, within: console.timeoutSeconds) { return connection }
    throw Failure(.daemonUnavailable, "agentd ended right after it started")
  }

  private enum LaunchResult { case listening, alreadyServed }

  private static func launch(
    in location: SocketLocation, _ console: Console, _ timeout: Duration
  ) throws(Failure) -> LaunchResult {
    try requireHome()
    let begin = Instant.now
    let readiness: Pipe
    do { readiness = try Pipe() } catch { throw Failure(error, doing: "cannot start agentd") }
    let daemon = try DaemonProgram.daemon.start(
      arguments: [
        "--directory", location.directory, "--socket-name", location.name, "--ready-fd",
        "\(DaemonProgram.firstInheritedDescriptor)",
      ],
      inheriting: [readiness.writing.raw])
    let reading = readiness.reading
    // Close our copy of the writing end, to notice the end of agentd.
    do { try readiness.writing.close() } catch { throw Failure(error, doing: "cannot start agentd") }
    switch waitUntilListening(reading, timeout) {
    case .some(true):
      console.detail(
        "started agentd, process \(daemon.processID), which listens at \(location.path) after"
          + " \(RelativeTime.precise(begin.duration(to: .now)))")
      return .listening
    case .none:
      throw Failure(.daemonUnavailable, "agentd started but is not listening")
    case .some(false):
      let words = daemon.lastErrorLine()
      if daemon.reap() == alreadyRunningStatus { return .alreadyServed }
      throw Failure(
        .daemonUnavailable,
        words.map { Phrase("agentd failed to start: \($0)") } ?? Phrase("agentd failed to start"))
    }
  }

  /// True if `agentd` listens, false if it ended, nil after the timeout.
  private static func waitUntilListening(_ reading: borrowing FileDescriptor, _ timeout: Duration) -> Bool? {
    guard (try? reading.waitUntilReadable(timeout: timeout)) == true else { return nil }
    var byte: [UInt8] = []
    return (try? reading.read(into: &byte, upTo: 1)) == 1
  }
}
