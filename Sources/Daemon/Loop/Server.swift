internal import Encoding
internal import Platform
internal import Sessions
internal import Wire

/// The daemon: serves its socket or one connection until stopped.
final class Server {
  enum ServedSocket: ~Copyable {
    case listening(ListeningSocket)
    /// A connection from the starting program. When it closes, the daemon ends.
    case connection(FileDescriptor)
  }

  private struct StopDeadlines {
    /// When to answer stop requests and let the next daemon start.
    let reply: Instant
    /// When to stop waiting for cancelled work.
    let waits: Instant
    let fileWork: Instant
    let commands: Instant
    /// When the process exits, even with work in progress.
    let exit: Instant
  }

  /// The pause between attempts to accept a peer without a free descriptor.
  private static let acceptInterval = Duration.milliseconds(500)
  /// How long peers wait for a descriptor.
  private static let descriptorTimeout = Duration.seconds(5)
  private static let housekeepingInterval = Duration.seconds(60)
  /// How long a stop request waits for work that is spending a single-use token or code.
  private static let replyTimeout = Duration.seconds(5)
  /// The limit for a shutdown, even while a token or code is being spent.
  private static let exitTimeout = Duration.seconds(120)
  private static let cancelledWorkTimeout = Duration.seconds(3)
  private static let fileWorkTimeout = Duration.seconds(45)
  private static let eventCommandTimeout = Duration.seconds(5)

  private let loop: EventLoop
  private let jobs: Jobs
  private let connections: Connections
  private let context: DaemonContext
  private let parts: DaemonParts
  private let dispatcher: Dispatcher
  /// Nil for a daemon with one connection.
  private let listening: ListeningSocket?
  private var acceptKey: UInt64?
  /// Closed when no descriptor is free, to accept and refuse a peer. Nil if it could not be opened.
  private var spareDescriptor: SharedDescriptor?
  /// When peers began to wait for a descriptor. Nil if none waits.
  private var peersWaitingSince: Instant?
  /// The number of connections when peers began to wait.
  private var connectionsWhenFull: Int?
  private let signals: Signals.SignalReceiver
  private var stopDeadlines: StopDeadlines?
  /// Whether ``releaseToNextDaemon()`` was called.
  private var hasReleased = false
  /// The deadline of the final attempt to store or revoke unstored refresh tokens. Nil before.
  private var unstoredTokensDeadline: Instant?
  /// Whether the program file was intact at the start.
  private let canDetectReplacement = !Machine.isProgramReplaced

  init(
    _ servedSocket: consuming ServedSocket, services: SessionServices, settingsFile: SettingsFile, files: WatchedFiles,
    log: EventLog, signals: consuming Signals.SignalReceiver, housekeeping: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    var first: FileDescriptor?
    switch consume servedSocket {
    case .listening(let socket): listening = socket
    case .connection(let descriptor):
      first = consume descriptor
      listening = nil
    }
    self.signals = signals
    loop = try EventLoop(services.time)
    jobs = try Jobs(loop.inbox, files)
    connections = Connections(loop, mayIdle: listening == nil)
    context = DaemonContext(
      services: services, settingsFile: settingsFile,
      status: DaemonStatus(startedAt: loop.now, socketPath: listening?.path, loop: loop), log: log, loop: connections,
      jobs: jobs, housekeeping: housekeeping)
    parts = try DaemonParts(context)
    dispatcher = Dispatcher(context, parts)
    connections.handler = dispatcher
    try loop.watch(self.signals.raw) { [unowned self] _ in
      while let signal = self.signals.next() { if signal == Signals.SIGHUP { context.reload() } else { beginStop() } }
    }
    if let listening {
      openSpareDescriptor()
      acceptKey = try loop.watch(listening.raw) { [unowned self] _ in accept(listening) }
      if let raw = listening.watchRaw { try loop.watch(raw) { [unowned self] _ in checkSocket() } }
    }
    if let descriptor = first.take() {
      try descriptor.setNonBlocking(true)
      try connections.admit(descriptor)
    }
  }

  /// Serves until stopped or unreachable.
  func run() throws(SystemError) {
    context.log.note(.started)
    let isSocketUnwatched = listening.map { $0.watchRaw == nil } ?? false
    if context.files.isUnwatched || isSocketUnwatched { context.log.note(.watchUnavailable) }
    parts.tokenFiles.removeOrphans()
    parts.resources.leases.removeAbandonedSockets()
    parts.start(isPrivate: listening == nil)
    scheduleHousekeeping()
    try loop.run { advanceShutdown() }
    parts.events.commands.killAll()
  }

  /// Begins a shutdown if needed, and continues it. Returns whether the process may exit.
  private func advanceShutdown() -> Bool {
    if let connectionsWhenFull, connections.count < connectionsWhenFull { resumeAccepting() }
    if let isPermanent = dispatcher.isStopPermanent { beginStop(isPermanent: isPermanent) }
    if connections.isEmpty, listening == nil || isOutdated { beginStop() }
    guard let stopDeadlines else { return false }
    guard isWorkDone(by: stopDeadlines) else {
      if loop.now >= stopDeadlines.reply { releaseToNextDaemon() }
      return false
    }
    if unstoredTokensDeadline == nil, context.services.hasUnwritten {
      let end = loop.now.advanced(by: Self.fileWorkTimeout)
      unstoredTokensDeadline = end
      loop.schedule(at: end) {}
      jobs.run({ [services = context.services] in
        services.retryWrites()
        services.revokeUnwritten()
      }) { _ in }
    }
    if let unstoredTokensDeadline, loop.now < unstoredTokensDeadline, jobs.localJobCount > 0 {
      if loop.now >= stopDeadlines.reply { releaseToNextDaemon() }
      return false
    }
    releaseToNextDaemon()
    return true
  }

  private func isWorkDone(by stopDeadlines: StopDeadlines) -> Bool {
    if loop.now >= stopDeadlines.exit { return true }
    return (jobs.localJobCount == 0 || loop.now >= stopDeadlines.fileWork)
      && (jobs.waitCount == 0 || loop.now >= stopDeadlines.waits && !jobs.isSpending)
      && (parts.events.commands.isIdle || loop.now >= stopDeadlines.commands)
  }

  /// Answers stop requests, closes all connections and lets the next daemon start.
  private func releaseToNextDaemon() {
    guard !hasReleased else { return }
    hasReleased = true
    var result = JSONObject([("pid", .int(Int(Machine.processID)))])
    func add(_ accounts: [AccountName], as name: String) {
      if !accounts.isEmpty { result[name] = .array(accounts.map { .string($0.text) }) }
    }
    add(context.services.accountsWithUnwrittenToken, as: "unstored")
    add(jobs.spendingAccounts, as: "finishing")
    for ticket in dispatcher.stopRequests { connections.send(.result(result), to: ticket) }
    connections.closeAll(with: parts.broker.stopFailure)
    listening?.release()
  }

  /// Without a free descriptor, closes the longest idle connection or lets peers wait.
  private func accept(_ listening: ListeningSocket) {
    do {
      guard let descriptor = try listening.accept() else { return }
      peersWaitingSince = nil
      connections.accept(descriptor)
    } catch {
      guard !connections.dropLongestIdle(), let acceptKey else { return }
      let since = peersWaitingSince ?? loop.now
      peersWaitingSince = since
      if since.duration(to: loop.now) >= Self.descriptorTimeout { while refuseNext(listening) {} }
      connectionsWhenFull = connections.count
      loop.setInterest(.none, of: acceptKey)
      loop.schedule(at: loop.now.advanced(by: Self.acceptInterval)) { [self] in resumeAccepting() }
    }
  }

  private func openSpareDescriptor() {
    spareDescriptor = try? SharedDescriptor(FileDescriptor(opening: "/dev/null", for: .reading))
  }

  /// Accepts and refuses a peer when no descriptor is free. Returns false if impossible.
  private func refuseNext(_ listening: ListeningSocket) -> Bool {
    guard spareDescriptor != nil else { return false }
    spareDescriptor = nil
    defer { openSpareDescriptor() }
    do throws(SystemError) {
      guard let descriptor = try listening.accept() else { return false }
      connections.refuse(descriptor)
      return true
    } catch {
      return false
    }
  }

  private func resumeAccepting() {
    connectionsWhenFull = nil
    if let acceptKey, stopDeadlines == nil { loop.setInterest(.read, of: acceptKey) }
  }

  /// Whether the program file was replaced and the daemon can exit without losing anything.
  private var isOutdated: Bool {
    canDetectReplacement && stopDeadlines == nil && jobs.localJobCount == 0 && jobs.waitCount == 0
      && parts.events.commands.isIdle && parts.signIns.logins.isEmpty && !parts.tokenFiles.keepsStandingFiles
      && !parts.broker.hasUnrenewableSession && Machine.isProgramReplaced
  }

  private func scheduleHousekeeping() {
    loop.schedule(at: loop.now.advanced(by: Self.housekeepingInterval)) { [self] in
      if listening?.watchRaw == nil { checkSocket() }
      context.housekeeping()
      parts.housekeep()
      scheduleHousekeeping()
    }
  }

  /// Ends the daemon if its socket was removed or replaced.
  private func checkSocket() {
    guard let listening else { return }
    listening.drainWatch()
    jobs.run({ [file = listening.file] in file.isStillOurs() }) { [self] isOurs in
      if !isOurs.get() { beginStop() }
    }
  }

  /// Jobs in progress may store their results.
  private func beginStop(isPermanent: Bool = false) {
    guard stopDeadlines == nil else { return }
    let reply = loop.now.advanced(by: Self.replyTimeout)
    let stopDeadlines = StopDeadlines(
      reply: reply, waits: reply.advanced(by: Self.cancelledWorkTimeout),
      fileWork: loop.now.advanced(by: Self.fileWorkTimeout),
      commands: parts.events.commands.close(at: loop.now.advanced(by: Self.eventCommandTimeout)),
      exit: loop.now.advanced(by: Self.exitTimeout))
    self.stopDeadlines = stopDeadlines
    for deadline in [
      stopDeadlines.reply, stopDeadlines.waits, stopDeadlines.fileWork, stopDeadlines.commands, stopDeadlines.exit,
    ] {
      loop.schedule(at: deadline) {}
    }
    dispatcher.stop(isPermanent: isPermanent)
    if let acceptKey { loop.unwatch(acceptKey) }
    listening?.close()
  }
}
