internal import Encoding
internal import Platform
internal import Sessions
internal import Wire

/// The loop: one thread that waits for peers, workers, timers and signals, and never blocks on any
/// of them.
final class Server: ReplySink {
  /// How the daemon was reached.
  enum Entrance: ~Copyable {
    /// A socket of our own, in a directory of our own.
    case listening(ListeningSocket)
    /// One connection, handed over by the program that started us; we end with it.
    case connection(FileDescriptor)
  }

  private enum Key {
    static let listener: UInt64 = 1
    static let wakeup: UInt64 = 2
    static let timer: UInt64 = 3
    static let signals: UInt64 = 4
    static let directory: UInt64 = 5
    static let redirects: UInt64 = 6
    static let commands: UInt64 = 7
    static let network: UInt64 = 8
    static let firstConnection: UInt64 = 16
  }

  private static let housekeepingInterval = Duration.seconds(60)
  /// Time for jobs to end after a stop request: longer than one HTTP request.
  private static let stopPatience = Duration.seconds(45)
  /// Time for event commands to end after a stop request, before they receive SIGTERM.
  private static let commandPatience = Duration.seconds(5)

  let poller: Poller
  private let inbox: Inbox
  private let jobs: Jobs
  private let timer: BootTimer
  private let signals: Signals.SignalReceiver
  let listening: ListeningSocket?
  let isPrivate: Bool
  private let time: any TimeSource
  private(set) var now: Instant
  let userID = Machine.userID
  let log: EventLog
  var requests = RecentRequests()
  private var timers = Timers()
  var connections: [UInt64: Connection] = [:]
  /// The peer whose request is being begun; most requests are answered at once.
  var serving: Connection?
  var nextConnection = Key.firstConnection
  /// There once a sign-in in the browser has begun.
  private var redirects: RedirectServer?
  /// There while something waits for the network.
  private var network: NetworkWatch?
  private let commands: EventCommandRunner
  private var stopRequests: [Ticket] = []
  private var stopDeadline: Instant?
  /// Time at which the loop stops waiting for event commands.
  private var commandsDeadline: Instant?
  /// No peer's deadline is earlier than this.
  var calmUntil = Instant.distantFuture
  /// Time that the timer descriptor is set to; nil if it is not set.
  private var armed: Instant?
  private let housekeeping: @Sendable () -> Void
  /// Set once, when the loop it answers through is there.
  private(set) var dispatcher: Dispatcher!
  private var parts: DaemonParts!

  init(
    _ entrance: consuming Entrance, services: SessionServices, settingsFile: SettingsFile, changes: FileChanges?,
    log: EventLog,
    signals: consuming Signals.SignalReceiver, housekeeping: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    poller = try Poller()
    inbox = try Inbox()
    jobs = Jobs(inbox)
    timer = try BootTimer()
    self.signals = signals
    self.housekeeping = housekeeping
    time = services.time
    now = time.now()
    self.log = log
    var socketPath: String?
    var first: FileDescriptor?
    switch consume entrance {
    case .listening(let socket):
      socketPath = socket.path
      listening = socket
      isPrivate = false
    case .connection(let descriptor):
      first = consume descriptor
      listening = nil
      isPrivate = true
    }
    let facts = DaemonFacts(startedAt: now, socketPath: socketPath)
    commands = try EventCommandRunner()
    let context = DaemonContext(
      services: services, settingsFile: settingsFile, changes: changes, facts: facts, log: log, replies: self,
      jobs: jobs)
    parts = DaemonParts(context, commands: commands)
    dispatcher = Dispatcher(context, parts)
    try poller.add(inbox.raw, interest: .read, key: Key.wakeup)
    try poller.add(timer.raw, interest: .read, key: Key.timer)
    try poller.add(self.signals.raw, interest: .read, key: Key.signals)
    try poller.add(commands.raw, interest: .read, key: Key.commands)
    if let listener = listening?.raw { try poller.add(listener, interest: .read, key: Key.listener) }
    if let watch = listening?.watchRaw { try poller.add(watch, interest: .read, key: Key.directory) }
    if let descriptor = first.take() {
      try descriptor.setNonBlocking(true)
      try admit(descriptor)
    }
  }

  /// Serves until a stop request, until the socket is removed, or until the private peer disconnects.
  func run() throws(SystemError) {
    log.note(.started)
    parts.start(isPrivate: isPrivate)
    schedule(.housekeeping, at: now.advanced(by: Self.housekeepingInterval))
    var events: [Poller.Event] = []
    while !isDone {
      try armTimer()
      try poller.wait(into: &events)
      now = time.now()
      for event in events { dispatch(event) }
      while let due = timers.popDue(now) { handle(due, now) }
      if calmUntil <= now { expirePeers(now) }
      redirects?.expire(now)
      commands.expire(now)
    }
    commands.killAll()
    for connection in connections.values { _ = connection.flush() }
  }

  private var isDone: Bool {
    if isPrivate, connections.isEmpty, stopDeadline == nil { beginStop() }
    guard let stopDeadline else { return false }
    guard jobs.inFlight == 0 || now >= stopDeadline else { return false }
    guard commands.isIdle || now >= commandsDeadline! else { return false }
    for ticket in stopRequests { send(.result(JSONObject([("pid", .int(Int(Machine.processID)))])), to: ticket) }
    return true
  }

  /// Wakes the loop at the earliest time that matters. A timer that is set too early only costs one
  /// round, so it is left alone then: most requests come and go without touching it.
  private func armTimer() throws(SystemError) {
    var due = min(timers.nextDue ?? .distantFuture, calmUntil)
    if let deadline = redirects?.nextDeadline { due = min(due, deadline) }
    if let deadline = commands.nextDeadline { due = min(due, deadline) }
    if let armed, armed <= due { return }
    try timer.set(at: due)
    armed = due
  }

  private func dispatch(_ event: Poller.Event) {
    switch event.key {
    case Key.listener: acceptPeer()
    case Key.wakeup: for act in inbox.takeAll() { act() }
    case Key.timer:
      timer.drain()
      armed = nil
    case Key.signals: while signals.next() != nil { beginStop() }
    case Key.redirects:
      redirects?.serve(now) { [parts] login, query in parts!.redirectCame(login, query: query) }
    case Key.network: if network?.take() == true { parts.networkChanged() }
    case Key.commands: parts.serveCommands()
    case Key.directory: if listening?.isStillOurs() == false { beginStop() }
    default: handle(event)
    }
  }

  private func handle(_ due: TimerEvent, _ now: Instant) {
    switch due {
    case .stopDeadline: break
    case .housekeeping:
      if listening?.isStillOurs() == false { beginStop() }
      housekeeping()
      parts.housekeep()
      schedule(.housekeeping, at: now.advanced(by: Self.housekeepingInterval))
    default: parts.due(due)
    }
  }

  /// No new peers and requests; jobs in flight end, so that a rotated token is not lost.
  private func beginStop() {
    guard stopDeadline == nil else { return }
    stopDeadline = now.advanced(by: Self.stopPatience)
    schedule(.stopDeadline, at: stopDeadline!)
    commandsDeadline = commands.close(at: now.advanced(by: Self.commandPatience))
    schedule(.stopDeadline, at: commandsDeadline!)
    dispatcher.stop()
    if let raw = listening?.raw { try? poller.remove(raw) }
    listening?.close()
  }

  func stop(_ ticket: Ticket) {
    stopRequests.append(ticket)
    beginStop()
  }

  func tidyUp() { housekeeping() }

  func schedule(_ event: TimerEvent, at due: Instant) { timers.schedule(event, at: due) }
}

// MARK: - The network

extension Server {
  /// If the kernel does not report network changes, waiting requests are only retried periodically.
  func watchNetwork(_ isWanted: Bool) {
    guard isWanted != (network != nil) else { return }
    guard isWanted else {
      if let raw = network?.raw { try? poller.remove(raw) }
      network = nil
      return
    }
    guard let watch = try? NetworkWatch(), (try? poller.add(watch.raw, interest: .read, key: Key.network)) != nil else {
      return
    }
    network = consume watch
  }
}

// MARK: - Redirects

extension Server {
  func listen(_ listener: RedirectListener, for login: UInt64) throws(SystemError) {
    let desk: RedirectServer
    if let redirects {
      desk = redirects
    } else {
      desk = try RedirectServer()
      try poller.add(desk.raw, interest: .read, key: Key.redirects)
      redirects = desk
    }
    try desk.open(listener, for: login)
  }

  func stopListening(for login: UInt64) { redirects?.close(login) }
}
