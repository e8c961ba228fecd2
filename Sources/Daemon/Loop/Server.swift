internal import Encoding
internal import Peers
internal import Platform
internal import Sessions
internal import Vocabulary
internal import Wire

/// The daemon: serves its socket, or one connection, until it is told to stop.
final class Server {
  /// How the daemon was reached.
  enum Entrance: ~Copyable {
    /// A socket of our own, in a directory of our own.
    case listening(ListeningSocket)
    /// One connection, handed over by the program that started us; we end with it.
    case connection(FileDescriptor)
  }

  /// Until when the daemon, which stops, waits for what is under way.
  private struct Ending {
    /// When those who asked for the stop are answered, and the next daemon may begin.
    let answer: Instant
    let waits: Instant
    let jobs: Instant
    let commands: Instant
    /// When the process ends, whatever is under way.
    let last: Instant
  }

  /// Time after which peers are accepted again when there was no descriptor for them: others than connections may have
  /// been closed.
  private static let acceptInterval = Duration.milliseconds(500)
  /// How long peers wait for a descriptor before they are told that there is none.
  private static let crowdedPatience = Duration.seconds(5)
  private static let housekeepingInterval = Duration.seconds(60)
  /// How long the answer to a stop request, and the answers to those who wait for a token, may wait for servers that have
  /// got what can be used only once. Everything else that waits for others is cancelled at once.
  private static let answerPatience = Duration.seconds(5)
  /// How long the process waits for these servers after it stopped serving, so that no new token is lost.
  private static let lastPatience = Duration.seconds(120)
  /// Time for what was cancelled to end.
  private static let endPatience = Duration.seconds(3)
  /// Time for work on files to end after a stop request.
  private static let stopPatience = Duration.seconds(45)
  /// Time for event commands to end after a stop request, before they receive SIGTERM.
  private static let commandPatience = Duration.seconds(5)

  private let loop: EventLoop
  private let jobs: Jobs
  private let connections: Connections
  private let context: DaemonContext
  private let parts: DaemonParts
  private let dispatcher: Dispatcher
  private let listening: ListeningSocket?
  /// The key of the listening socket in the loop.
  private var accepting: UInt64?
  /// Kept for telling peers that there is no descriptor for them; nil if there is none for that either.
  private var spare: SharedDescriptor?
  /// Since when there is no descriptor for peers; nil while there is.
  private var crowdedSince: Instant?
  /// How many connections there were when peers began to wait for a descriptor; nil if none waits.
  private var connectionsWhenFull: Int?
  private let signals: Signals.SignalReceiver
  /// Nil until the daemon stops.
  private var ending: Ending?
  /// Whether the stopping daemon has closed its connections and released its lock for the next one.
  private var hasLeft = false
  /// Until when refresh tokens that could not be stored are written once more or revoked, after everything else was done;
  /// nil before that.
  private var settling: Instant?
  /// Whether it can be seen that the program is replaced.
  private let knowsProgram = !Machine.isProgramReplaced

  init(
    _ entrance: consuming Entrance, services: SessionServices, settingsFile: SettingsFile, files: WatchedFiles,
    log: EventLog, signals: consuming Signals.SignalReceiver, housekeeping: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    var first: FileDescriptor?
    switch consume entrance {
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
      facts: DaemonFacts(startedAt: loop.now, socketPath: listening?.path), log: log, replies: connections,
      jobs: jobs, housekeeping: housekeeping)
    parts = try DaemonParts(context)
    dispatcher = Dispatcher(context, parts)
    connections.handler = dispatcher
    try loop.watch(self.signals.raw) { [unowned self] _ in
      while let signal = self.signals.next() { if signal == Signals.SIGHUP { context.reload() } else { beginStop() } }
    }
    if let listening {
      keepSpare()
      accepting = try loop.watch(listening.raw) { [unowned self] _ in accept(listening) }
      if let raw = listening.watchRaw { try loop.watch(raw) { [unowned self] _ in checkSocket() } }
    }
    if let descriptor = first.take() {
      try descriptor.setNonBlocking(true)
      try connections.admit(descriptor)
    }
  }

  /// Serves until a stop request, until the socket is removed, or until the private peer disconnects.
  func run() throws(SystemError) {
    context.log.note(.started)
    let isSocketUnwatched = listening.map { $0.watchRaw == nil } ?? false
    if context.files.isUnwatched || isSocketUnwatched { context.log.note(.watchUnavailable) }
    parts.tokenFiles.removeOrphans()
    parts.resources.leases.removeAbandonedSockets()
    parts.start(isPrivate: listening == nil)
    scheduleHousekeeping()
    try loop.run { isDone }
    parts.events.commands.killAll()
  }

  private var isDone: Bool {
    if let connectionsWhenFull, connections.count < connectionsWhenFull { resumeAccepting() }
    if let isForGood = dispatcher.stopsForGood { beginStop(isForGood: isForGood) }
    if connections.isEmpty, listening == nil || isOutdated { beginStop() }
    guard let ending else { return false }
    guard isIdle(ending) else {
      if loop.now >= ending.answer { leave() }
      return false
    }
    if settling == nil, context.services.isUnsettled {
      let end = loop.now.advanced(by: Self.stopPatience)
      settling = end
      loop.schedule(at: end) {}
      jobs.run({ [services = context.services] in
        services.settleAll()
        services.revokeUnsettled()
      }) { _ in }
    }
    if let settling, loop.now < settling, jobs.localInFlight > 0 {
      if loop.now >= ending.answer { leave() }
      return false
    }
    leave()
    return true
  }

  /// Whether nothing is under way that the process, which stops, must wait for.
  private func isIdle(_ ending: Ending) -> Bool {
    if loop.now >= ending.last { return true }
    return (jobs.localInFlight == 0 || loop.now >= ending.jobs)
      && (jobs.waitsInFlight == 0 || loop.now >= ending.waits && !jobs.isSpending)
      && (parts.events.commands.isIdle || loop.now >= ending.commands)
  }

  /// Answers the stop requests, closes all connections, and releases the lock for the next daemon. An exchange that is
  /// spending a token keeps the lock of its account until it ends.
  private func leave() {
    guard !hasLeft else { return }
    hasLeft = true
    var result = JSONObject([("pid", .int(Int(Machine.processID)))])
    func add(_ accounts: [AccountName], as name: String) {
      if !accounts.isEmpty { result[name] = .array(accounts.map { .string($0.text) }) }
    }
    add(context.services.unsettled, as: "unstored")
    add(jobs.spendingAccounts, as: "finishing")
    for ticket in dispatcher.stopRequests { connections.send(.result(result), to: ticket) }
    connections.closeAll(saying: parts.broker.stopping)
    listening?.release()
  }

  /// Takes the next peer; the poller reports further waiting ones again. Without a descriptor for it the idlest
  /// connection goes, and if none is idle the peers wait until one has gone, or are told after a while.
  private func accept(_ listening: ListeningSocket) {
    do {
      guard let descriptor = try listening.accept() else { return }
      crowdedSince = nil
      connections.accept(descriptor)
    } catch {
      guard !connections.dropIdlest(), let accepting else { return }
      let since = crowdedSince ?? loop.now
      crowdedSince = since
      if since.duration(to: loop.now) >= Self.crowdedPatience { while refuseNext(listening) {} }
      connectionsWhenFull = connections.count
      loop.setInterest(.none, of: accepting)
      loop.schedule(at: loop.now.advanced(by: Self.acceptInterval)) { [self] in resumeAccepting() }
    }
  }

  private func keepSpare() {
    spare = try? SharedDescriptor(FileDescriptor(opening: "/dev/null", for: .reading))
  }

  /// Tells the next peer that there is no descriptor for it (every refusal is told).
  ///
  /// - Returns: False if no peer waits, or no descriptor is left for the reply.
  private func refuseNext(_ listening: ListeningSocket) -> Bool {
    guard spare != nil else { return false }
    spare = nil
    defer { keepSpare() }
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
    if let accepting, ending == nil { loop.setInterest(.read, of: accepting) }
  }

  /// Whether the program was replaced, and nothing is lost when the daemon ends: the next client starts the new one.
  private var isOutdated: Bool {
    knowsProgram && ending == nil && jobs.localInFlight == 0 && jobs.waitsInFlight == 0
      && parts.events.commands.isIdle && parts.signIns.logins.isEmpty
      && !parts.broker.holdsUnrenewable && Machine.isProgramReplaced
  }

  private func scheduleHousekeeping() {
    loop.schedule(at: loop.now.advanced(by: Self.housekeepingInterval)) { [self] in
      // The watch tells by itself when the socket goes.
      if listening?.watchRaw == nil { checkSocket() }
      context.housekeeping()
      parts.housekeep()
      scheduleHousekeeping()
    }
  }

  private func checkSocket() {
    guard let listening else { return }
    listening.drainWatch()
    jobs.run({ [place = listening.place] in place.isStillOurs() }) { [self] isOurs in
      if !isOurs.get() { beginStop() }
    }
  }

  /// No new peers and requests; jobs in flight end, so that a rotated token is not lost.
  ///
  /// - Parameter isForGood: The user wants no other daemon.
  private func beginStop(isForGood: Bool = false) {
    guard ending == nil else { return }
    let answer = loop.now.advanced(by: Self.answerPatience)
    let ending = Ending(
      answer: answer, waits: answer.advanced(by: Self.endPatience), jobs: loop.now.advanced(by: Self.stopPatience),
      commands: parts.events.commands.close(at: loop.now.advanced(by: Self.commandPatience)),
      last: loop.now.advanced(by: Self.lastPatience))
    self.ending = ending
    // The loop asks whether it is done after each round.
    for deadline in [ending.answer, ending.waits, ending.jobs, ending.commands, ending.last] {
      loop.schedule(at: deadline) {}
    }
    dispatcher.stop(isForGood: isForGood)
    if let accepting { loop.unwatch(accepting) }
    listening?.close()
  }
}
