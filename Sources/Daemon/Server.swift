internal import Crypto
internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Synchronization
internal import Wire

/// The loop: one thread that waits for peers, workers, timers and signals, and never blocks on any
/// of them.
final class Server: Loop {
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
    static let firstConnection: UInt64 = 16
  }

  /// Peers beyond this make the one that has been idle for longest go.
  private static let mostConnections = 256
  private static let housekeepingInterval = Duration.seconds(60)
  /// How long jobs may take to end after the daemon was told to stop: longer than one HTTP request.
  private static let stopPatience = Duration.seconds(45)

  private let poller: Poller
  private let inbox: Inbox
  private let timer: BootTimer
  private let signals: Signals.SignalReceiver
  private let listening: ListeningSocket?
  private let isPrivate: Bool
  private let time: any TimeSource
  private(set) var now: Instant
  private let userID = Machine.userID
  private let log: EventLog
  private var requests = RecentRequests()
  private var timers = Timers()
  private var connections: [UInt64: Connection] = [:]
  /// The peer whose request is being begun; most requests are answered at once.
  private var serving: Connection?
  private var nextConnection = Key.firstConnection
  /// There once a sign-in in the browser has begun.
  private var redirects: RedirectDesk?
  private var stopRequests: [Ticket] = []
  private var stopDeadline: Instant?
  /// No peer is out of time before this.
  private var calmUntil = Instant.distantFuture
  /// What the timer descriptor is set to.
  private var armed: Instant?
  private let housekeeping: @Sendable () -> Void
  private var hub: Hub!

  init(
    _ entrance: consuming Entrance, services: SessionServices, settingsFile: SettingsFile, changes: FileChanges?,
    log: EventLog,
    signals: consuming Signals.SignalReceiver, housekeeping: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    poller = try Poller()
    inbox = try Inbox()
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
    hub = Hub(
      services: services, settingsFile: settingsFile, changes: changes, facts: facts, log: log, loop: self
    ) { [inbox] in
      inbox.post($0)
    }
    try poller.add(inbox.raw, interest: .read, key: Key.wakeup)
    try poller.add(timer.raw, interest: .read, key: Key.timer)
    try poller.add(self.signals.raw, interest: .read, key: Key.signals)
    if let listener = listening?.raw { try poller.add(listener, interest: .read, key: Key.listener) }
    if let watch = listening?.watchRaw { try poller.add(watch, interest: .read, key: Key.directory) }
    if let descriptor = first.take() {
      try descriptor.setNonBlocking(true)
      try admit(descriptor)
    }
  }

  /// Serves until told to stop, until the socket is gone, or until the private peer leaves.
  func run() throws(SystemError) {
    log.note(.started)
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
    }
    for connection in connections.values { _ = connection.flush() }
  }

  private var isDone: Bool {
    if isPrivate, connections.isEmpty, stopDeadline == nil { beginStop() }
    guard let stopDeadline else { return false }
    guard hub.jobsInFlight == 0 || now >= stopDeadline else { return false }
    for ticket in stopRequests { send(.result(JSONObject([("pid", .int(Int(Machine.processID)))])), to: ticket) }
    return true
  }

  /// Wakes the loop at the earliest time that matters. A timer that is set too early only costs one
  /// round, so it is left alone then: most requests come and go without touching it.
  private func armTimer() throws(SystemError) {
    var due = min(timers.nextDue ?? .distantFuture, calmUntil)
    if let deadline = redirects?.nextDeadline { due = min(due, deadline) }
    if let armed, armed <= due { return }
    try timer.set(at: due)
    armed = due
  }

  private func dispatch(_ event: Poller.Event) {
    switch event.key {
    case Key.listener: acceptPeer()
    case Key.wakeup: for result in inbox.takeAll() { hub.ended(result) }
    case Key.timer:
      timer.drain()
      armed = nil
    case Key.signals: while signals.next() != nil { beginStop() }
    case Key.redirects: redirects?.serve(now) { [hub] login, query in hub!.redirectCame(login, query: query) }
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
      schedule(.housekeeping, at: now.advanced(by: Self.housekeepingInterval))
    default: hub.due(due)
    }
  }

  /// No new peers and requests; jobs in flight end, so that a rotated token is not lost.
  private func beginStop() {
    guard stopDeadline == nil else { return }
    stopDeadline = now.advanced(by: Self.stopPatience)
    schedule(.stopDeadline, at: stopDeadline!)
    hub.stop()
    if let raw = listening?.raw { try? poller.remove(raw) }
    listening?.close()
  }

  func stop(_ ticket: Ticket) {
    stopRequests.append(ticket)
    beginStop()
  }

  func schedule(_ event: TimerEvent, at due: Instant) { timers.schedule(event, at: due) }
}

// MARK: - Redirects

extension Server {
  func listen(_ listener: RedirectListener, for login: UInt64) throws(SystemError) {
    let desk: RedirectDesk
    if let redirects {
      desk = redirects
    } else {
      desk = try RedirectDesk()
      try poller.add(desk.raw, interest: .read, key: Key.redirects)
      redirects = desk
    }
    try desk.open(listener, for: login)
  }

  func stopListening(for login: UInt64) { redirects?.close(login) }
}

// MARK: - Peers

extension Server {
  /// Takes in one peer. Others who wait are told of again.
  private func acceptPeer() {
    guard let descriptor = listening?.accept() else { return }
    guard (try? UnixSocket.peerUserID(descriptor)) == userID else { return log.note(.peerDropped(.otherUser)) }
    if connections.count >= Self.mostConnections { dropIdlest() }
    guard connections.count < Self.mostConnections else { return }
    try? admit(descriptor)
  }

  /// - Parameter descriptor: A non-blocking one.
  private func admit(_ descriptor: consuming FileDescriptor) throws(SystemError) {
    let connection = Connection(
      id: nextConnection, descriptor: descriptor, mayIdle: isPrivate, now: now)
    nextConnection += 1
    try poller.add(connection.descriptor.raw, interest: .read, key: connection.id)
    connections[connection.id] = connection
    mind(connection)
  }

  /// Sees to it that the loop wakes up when this peer is out of time.
  private func mind(_ connection: Connection) {
    if let deadline = connection.deadline { calmUntil = min(calmUntil, deadline) }
  }

  /// Looks at all peers; most have done something since the time was set.
  private func expirePeers(_ now: Instant) {
    calmUntil = .distantFuture
    for connection in connections.values where connection.deadline.map({ $0 <= now }) ?? false { expire(connection) }
    for connection in connections.values { mind(connection) }
  }

  private func dropIdlest() {
    let idle = connections.values.filter { $0.current == nil }
    if let idlest = idle.min(by: { $0.lastProgress < $1.lastProgress }) { drop(idlest, .crowded) }
  }

  private func handle(_ event: Poller.Event) {
    guard let connection = connections[event.key] else { return }
    if event.writable { flush(connection) }
    guard !connection.isDropped, event.readable || event.hungUp else { return }
    switch connection.read() {
    case .nothing: if event.hungUp { drop(connection) }
    case .end: drop(connection)
    case .tooLong: refuse(connection, Failure(.invalidRequest, "the request is longer than 1 MiB"))
    case .bytes:
      connection.lastProgress = now
      serveLines(connection)
      mind(connection)
    }
  }

  /// Serves one line after the other; the next one waits for the answer to the one before.
  private func serveLines(_ connection: Connection) {
    guard !connection.isServing else { return }
    connection.isServing = true
    let outer = serving
    serving = connection
    defer {
      serving = outer
      connection.isServing = false
    }
    serveBeside(connection)
    while !connection.isDropped, connection.current == nil, let request = takeRequest(connection) {
      let ticket = connection.nextTicket()
      let passed = connection.passed
      connection.passed = []
      do {
        hub.handle(try request.get(), ticket, passed: passed)
      } catch {
        send(.failure(error), to: ticket)
      }
    }
  }

  /// The next whole line, read; nil when there is none.
  private func takeRequest(_ connection: Connection) -> Result<RequestEnvelope, Failure>? {
    connection.takeLine { line in
      do throws(Failure) { return .success(try requests.envelope(parsing: line)) } catch { return .failure(error) }
    }
  }

  /// Takes the lines that belong to the request being answered.
  private func serveBeside(_ connection: Connection) {
    var goesOn = true
    while goesOn, let ticket = connection.current, hub.awaitsMore(ticket) {
      goesOn = connection.takeLine(if: { line in
        guard let envelope = try? RequestEnvelope(parsing: line) else { return false }
        return hub.handleBeside(envelope.request, ticket)
      })
    }
  }

  private func refuse(_ connection: Connection, _ failure: Failure) {
    log.note(.peerDropped(.lineTooLong))
    connection.closesWhenSent = true
    enqueue(.plain(Reply.failure(failure).serialized()), connection)
  }

  /// - Parameter problem: Why, when it was not the peer who went.
  private func drop(_ connection: Connection, _ problem: LogEvent.PeerProblem? = nil) {
    if let problem { log.note(.peerDropped(problem)) }
    connections[connection.id] = nil
    connection.isDropped = true
    try? poller.remove(connection.descriptor.raw)
    if let ticket = connection.current { hub.abandon(ticket) }
  }

  /// A peer's time is up: its request's, or its own for asking or reading.
  private func expire(_ connection: Connection) {
    if connection.hasOutput { return drop(connection, .notReading) }
    guard let ticket = connection.current else { return drop(connection, .silent) }
    log.note(.requestTimedOut)
    hub.abandon(ticket)
    send(.failure(Failure(.timeout, "no answer in the time the request allowed", hint: "try again")), to: ticket)
  }
}

// MARK: - Answers

extension Server {
  func setDeadline(_ deadline: Instant, of ticket: Ticket) {
    guard let connection = connection(of: ticket) else { return }
    connection.setDeadline(deadline, of: ticket)
    mind(connection)
  }

  private func connection(of ticket: Ticket) -> Connection? {
    if let serving, serving.id == ticket.connection { return serving.isDropped ? nil : serving }
    return connections[ticket.connection]
  }

  func send(_ reply: Reply, to ticket: Ticket) {
    guard let connection = connection(of: ticket), connection.current == ticket else { return }
    if case .event = reply {
      enqueue(.plain(reply.serialized()), connection)
    } else {
      finish(ticket, .plain(reply.serialized()), connection)
    }
  }

  func send(_ line: SharedSecret, to ticket: Ticket) {
    guard let connection = connection(of: ticket), connection.current == ticket else { return }
    finish(ticket, .secret(line), connection)
  }

  /// Sends the last line of a request and goes on with the next.
  private func finish(_ ticket: Ticket, _ outgoing: Connection.Outgoing, _ connection: Connection) {
    hub.watches.end(ticket)
    connection.finishRequest()
    enqueue(outgoing, connection)
    serveLines(connection)
  }

  private func enqueue(_ outgoing: Connection.Outgoing, _ connection: Connection) {
    connection.lastProgress = now
    guard connection.enqueue(outgoing) else { return drop(connection, .notReading) }
    flush(connection)
    mind(connection)
  }

  private func flush(_ connection: Connection) {
    guard connection.flush() else { return drop(connection) }
    if !connection.hasOutput, connection.closesWhenSent { return drop(connection) }
    guard connection.hasOutput != connection.wantsWriting else { return }
    connection.wantsWriting = connection.hasOutput
    try? poller.modify(
      connection.descriptor.raw, interest: connection.wantsWriting ? .both : .read, key: connection.id)
  }
}
