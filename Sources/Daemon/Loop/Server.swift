internal import Encoding
internal import Platform
internal import Sessions
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
    let jobs: Instant
    let commands: Instant
  }

  private static let housekeepingInterval = Duration.seconds(60)
  /// Time for jobs to end after a stop request: longer than one HTTP request.
  private static let stopPatience = Duration.seconds(45)
  /// Time for event commands to end after a stop request, before they receive SIGTERM.
  private static let commandPatience = Duration.seconds(5)

  private let loop: EventLoop
  private let connections: Connections
  private let context: DaemonContext
  private let parts: DaemonParts
  private let dispatcher: Dispatcher
  private let listening: ListeningSocket?
  /// The key of the listening socket in the loop.
  private var accepting: UInt64?
  private let signals: Signals.SignalReceiver
  private var stopRequests: [Ticket] = []
  /// Nil until the daemon stops.
  private var ending: Ending?
  /// Whether it can be seen that the program is replaced.
  private let knowsProgram = !Machine.isProgramReplaced

  init(
    _ entrance: consuming Entrance, services: SessionServices, settingsFile: SettingsFile, changes: FileChanges?,
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
    connections = Connections(loop, log, mayIdle: listening == nil)
    context = DaemonContext(
      services: services, settingsFile: settingsFile, changes: changes,
      facts: DaemonFacts(startedAt: loop.now, socketPath: listening?.path), log: log, replies: connections,
      jobs: loop.jobs, housekeeping: housekeeping)
    parts = try DaemonParts(context)
    dispatcher = Dispatcher(context, parts)
    connections.handler = dispatcher
    dispatcher.onStop = { [unowned self] ticket in
      stopRequests.append(ticket)
      beginStop()
    }
    try loop.watch(self.signals.raw) { [unowned self] _ in while self.signals.next() != nil { beginStop() } }
    if let listening {
      accepting = try loop.watch(listening.raw) { [connections] _ in
        // The poller reports further waiting ones again.
        if let descriptor = listening.accept() { connections.accept(descriptor) }
      }
      try loop.watch(listening.watchRaw) { [unowned self] _ in checkSocket() }
    }
    if let descriptor = first.take() {
      try descriptor.setNonBlocking(true)
      try connections.admit(descriptor)
    }
  }

  /// Serves until a stop request, until the socket is removed, or until the private peer disconnects.
  func run() throws(SystemError) {
    context.log.note(.started)
    parts.start(isPrivate: listening == nil)
    scheduleHousekeeping()
    try loop.run { isDone }
    parts.commands.killAll()
    connections.flushAll()
  }

  private var isDone: Bool {
    if connections.isEmpty, listening == nil || isOutdated { beginStop() }
    guard let ending, loop.jobs.inFlight == 0 || loop.now >= ending.jobs,
      parts.commands.isIdle || loop.now >= ending.commands
    else { return false }
    let result = JSONObject([("pid", .int(Int(Machine.processID)))])
    for ticket in stopRequests { connections.send(.result(result), to: ticket) }
    return true
  }

  /// Whether the program was replaced, and nothing is lost when the daemon ends: the next client starts the new one.
  private var isOutdated: Bool {
    knowsProgram && ending == nil && loop.jobs.inFlight == 0 && parts.commands.isIdle && parts.signIns.logins.isEmpty
      && !parts.broker.holdsUnrenewable && Machine.isProgramReplaced
  }

  private func scheduleHousekeeping() {
    loop.schedule(at: loop.now.advanced(by: Self.housekeepingInterval)) { [self] in
      checkSocket()
      context.housekeeping()
      parts.housekeep()
      scheduleHousekeeping()
    }
  }

  private func checkSocket() {
    if listening?.isStillOurs() == false { beginStop() }
  }

  /// No new peers and requests; jobs in flight end, so that a rotated token is not lost.
  private func beginStop() {
    guard ending == nil else { return }
    let ending = Ending(
      jobs: loop.now.advanced(by: Self.stopPatience),
      commands: parts.commands.close(at: loop.now.advanced(by: Self.commandPatience)))
    self.ending = ending
    // The loop asks whether it is done after each round.
    for deadline in [ending.jobs, ending.commands] { loop.schedule(at: deadline) {} }
    dispatcher.stop()
    if let accepting { loop.unwatch(accepting) }
    listening?.close()
  }
}
