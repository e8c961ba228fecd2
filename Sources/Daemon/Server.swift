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
  private let log: EventLog
  private var timers = Timers()
  private var connections: [UInt64: Connection] = [:]
  private var nextConnection = Key.firstConnection
  /// There once a sign-in in the browser has begun.
  private var redirects: RedirectDesk?
  private var stopRequests: [Ticket] = []
  private var stopDeadline: Instant?
  /// What the timer descriptor is set to.
  private var armed: Instant?
  private let housekeeping: @Sendable () -> Void
  private var hub: Hub!

  init(
    _ entrance: consuming Entrance, services: SessionServices, settingsFile: SettingsFile, log: EventLog,
    signals: consuming Signals.SignalReceiver, housekeeping: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    poller = try Poller()
    inbox = try Inbox()
    timer = try BootTimer()
    self.signals = signals
    self.housekeeping = housekeeping
    time = services.time
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
    let facts = DaemonFacts(startedAt: time.now(), socketPath: socketPath)
    hub = Hub(services: services, settingsFile: settingsFile, facts: facts, log: log, loop: self) { [inbox] in
      inbox.post($0)
    }
    try poller.add(inbox.raw, interest: .read, key: Key.wakeup)
    try poller.add(timer.raw, interest: .read, key: Key.timer)
    try poller.add(self.signals.raw, interest: .read, key: Key.signals)
    if let listener = listening?.raw { try poller.add(listener, interest: .read, key: Key.listener) }
    if let watch = listening?.watchRaw { try poller.add(watch, interest: .read, key: Key.directory) }
    if let descriptor = first.take() { try admit(descriptor) }
  }

  /// Serves until told to stop, until the socket is gone, or until the private peer leaves.
  func run() throws(SystemError) {
    log.note(.started)
    schedule(.housekeeping, at: time.now().advanced(by: Self.housekeepingInterval))
    while !isDone {
      try armTimer()
      for event in try poller.wait(timeoutMilliseconds: -1) { dispatch(event) }
      let now = time.now()
      while let due = timers.popDue(now) { handle(due, now) }
      for connection in connections.values where connection.deadline.map({ $0 <= now }) ?? false { expire(connection) }
      redirects?.expire(now)
    }
    for connection in connections.values { _ = connection.flush() }
  }

  private var isDone: Bool {
    if isPrivate, connections.isEmpty, stopDeadline == nil { beginStop() }
    guard let stopDeadline else { return false }
    guard hub.jobsInFlight == 0 || time.now() >= stopDeadline else { return false }
    for ticket in stopRequests { send(.result(JSONObject([("pid", .int(Int(Machine.processID)))])), to: ticket) }
    return true
  }

  /// Wakes the loop at the earliest time that matters. A timer that is set too early only costs one
  /// round, so it is left alone then: most requests come and go without touching it.
  private func armTimer() throws(SystemError) {
    var due = timers.nextDue
    for connection in connections.values {
      guard let deadline = connection.deadline else { continue }
      due = due.map { min($0, deadline) } ?? deadline
    }
    if let deadline = redirects?.nextDeadline { due = due.map { min($0, deadline) } ?? deadline }
    guard let due else { return }
    if let armed, armed <= due { return }
    try timer.set(at: due)
    armed = due
  }

  private func dispatch(_ event: Poller.Event) {
    switch event.key {
    case Key.listener: acceptAll()
    case Key.wakeup: for result in inbox.takeAll() { hub.ended(result) }
    case Key.timer:
      timer.drain()
      armed = nil
    case Key.signals: while signals.next() != nil { beginStop() }
    case Key.redirects: redirects?.serve(time.now()) { [hub] login, query in hub!.redirectCame(login, query: query) }
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
    stopDeadline = time.now().advanced(by: Self.stopPatience)
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
  private func acceptAll() {
    while let descriptor = listening?.accept() {
      guard (try? UnixSocket.peerUserID(descriptor)) == Machine.userID else {
        log.note(.peerDropped(.otherUser))
        continue
      }
      if connections.count >= Self.mostConnections { dropIdlest() }
      guard connections.count < Self.mostConnections else { continue }
      try? admit(descriptor)
    }
  }

  private func admit(_ descriptor: consuming FileDescriptor) throws(SystemError) {
    try descriptor.setNonBlocking(true)
    let connection = Connection(
      id: nextConnection, descriptor: descriptor, mayIdle: isPrivate, now: time.now())
    nextConnection += 1
    try poller.add(connection.descriptor.raw, interest: .read, key: connection.id)
    connections[connection.id] = connection
  }

  private func dropIdlest() {
    let idle = connections.values.filter { $0.current == nil }
    if let idlest = idle.min(by: { $0.lastProgress < $1.lastProgress }) { drop(idlest, .crowded) }
  }

  private func handle(_ event: Poller.Event) {
    guard let connection = connections[event.key] else { return }
    if event.writable { flush(connection) }
    guard connections[event.key] != nil, event.readable || event.hungUp else { return }
    switch connection.read() {
    case .nothing: if event.hungUp { drop(connection) }
    case .end: drop(connection)
    case .tooLong: refuse(connection, Failure(.invalidRequest, "the request is longer than 1 MiB"))
    case .bytes:
      connection.lastProgress = time.now()
      serveLines(connection)
    }
  }

  /// Serves one line after the other; the next one waits for the answer to the one before.
  private func serveLines(_ connection: Connection) {
    guard !connection.isServing else { return }
    connection.isServing = true
    defer { connection.isServing = false }
    serveBeside(connection)
    while connections[connection.id] != nil, connection.current == nil, let line = connection.takeLine() {
      let ticket = connection.nextTicket()
      let passed = connection.passed
      connection.passed = []
      do {
        hub.handle(try RequestEnvelope(parsing: line.span), ticket, passed: passed)
      } catch {
        send(.failure(error), to: ticket)
      }
    }
  }

  /// Takes the lines that belong to the request being answered.
  private func serveBeside(_ connection: Connection) {
    while let ticket = connection.current, hub.awaitsMore(ticket), let line = connection.nextLine(),
      let envelope = try? RequestEnvelope(parsing: line.span), hub.handleBeside(envelope.request, ticket)
    {
      _ = connection.takeLine()
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
    connections[ticket.connection]?.setDeadline(deadline, of: ticket)
  }

  func send(_ reply: Reply, to ticket: Ticket) {
    guard let connection = connections[ticket.connection], connection.current == ticket else { return }
    if case .event = reply {
      enqueue(.plain(reply.serialized()), connection)
    } else {
      finish(ticket, .plain(reply.serialized()), connection)
    }
  }

  func sendToken(
    _ description: TokenDescription, _ grant: AccessGrant, _ extras: TokenRequest.Extras, proof: String?,
    to ticket: Ticket
  ) {
    guard let connection = connections[ticket.connection], connection.current == ticket else { return }
    let idToken = extras.idToken ? grant.idToken : nil
    let claims = extras.claims && !grant.claims.isEmpty ? grant.claims : nil
    var line = SecretBuffer(capacity: grant.accessToken.bytes.count + (idToken?.bytes.count ?? 0) + 1024)
    grant.accessToken.bytes.withBytes { accessToken in
      guard let idToken else {
        return description.appendAnswer(accessToken: accessToken, claims: claims, proof: proof, to: &line)
      }
      idToken.bytes.withBytes {
        description.appendAnswer(accessToken: accessToken, idToken: $0, claims: claims, proof: proof, to: &line)
      }
    }
    do {
      finish(ticket, .secret(SharedSecret(try line.finish())), connection)
    } catch {
      send(.failure(Failure(.memory, account: description.account)), to: ticket)
    }
  }

  /// Sends the last line of a request and goes on with the next.
  private func finish(_ ticket: Ticket, _ outgoing: Connection.Outgoing, _ connection: Connection) {
    hub.watches.end(ticket)
    connection.finishRequest()
    enqueue(outgoing, connection)
    serveLines(connection)
  }

  private func enqueue(_ outgoing: Connection.Outgoing, _ connection: Connection) {
    connection.lastProgress = time.now()
    guard connection.enqueue(outgoing) else { return drop(connection, .notReading) }
    flush(connection)
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
