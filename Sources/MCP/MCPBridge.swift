internal import Encoding
internal import Platform
package import Wire

/// Connects an MCP client on standard input and output to a Streamable HTTP server, through the daemon, which keeps the
/// token. Single-threaded.
package final class MCPBridge {
  let server: MCPServer
  let poller: Poller
  let output: MCPOutput
  var session = MCPSession()

  var unsentMessages: [MCPClientMessage] = []
  /// Running HTTP requests, by poller key.
  var exchanges: [UInt64: RunningRequest] = [:]
  var isRestartingSession = false
  var listener = MCPListener()
  var signIns: MCPSignIns
  private var input = MCPInput()
  private var timers: [(moment: Instant, act: () -> Void)] = []
  private var lastKey: UInt64 = PollerKey.firstExchange
  /// The deadline of running calls, set at the end of input.
  private var callDeadline: Instant?

  enum PollerKey {
    static let input: UInt64 = 0
    static let signals: UInt64 = 1
    static let firstExchange: UInt64 = 2
  }

  final class RunningRequest {
    let exchange: MCPExchange
    let purpose: Purpose
    let key: UInt64
    var head: ResponseHead?
    var body = Body.pending

    init(_ exchange: MCPExchange, _ purpose: Purpose, key: UInt64) {
      (self.exchange, self.purpose, self.key) = (exchange, purpose, key)
    }
  }

  /// Why an HTTP request is made.
  enum Purpose {
    case message(MCPClientMessage)
    /// Resumes an interrupted response after an event ID.
    case remainder(of: MCPClientMessage, afterEvent: String)
    case serverMessages
    case sessionRestart
    /// Sends `notifications/initialized` after a restart.
    case sessionConfirmation
    /// Lists the tools, to repeat a call refused for its header fields.
    case toolList(MCPToolsRequest)
    case sessionEnd

    var clientMessage: MCPClientMessage? {
      switch self {
      case .message(let clientMessage), .remainder(let clientMessage, _): clientMessage
      case .toolList(let request): request.call
      case .serverMessages, .sessionRestart, .sessionConfirmation, .sessionEnd: nil
      }
    }
  }

  /// The received part of a body; `pending` before the head.
  enum Body {
    case pending
    case whole([UInt8])
    case stream(EventStreamReader)
  }

  private static let maximumConcurrentMessages = 64
  /// Reading input pauses at this number.
  private static let maximumUnsentMessages = 1024
  /// Limits calls that run at the end of input.
  private static let drainTime = Duration.milliseconds(900)
  /// Limits the request that ends the session, since clients kill the program two seconds after the end of input.
  private static let closingTime = Duration.milliseconds(900)

  package init(_ server: MCPServer, signInPolicy: SignInPolicy?) throws(Failure) {
    self.server = server
    output = MCPOutput(server.host)
    signIns = MCPSignIns(signInPolicy)
    do { poller = try Poller() } catch { throw Failure(error, doing: "cannot set up the bridge") }
  }

  /// Runs until the client ends.
  package func run() throws(Failure) {
    do throws(SystemError) {
      let signals = try Signals.SignalReceiver([Signals.SIGHUP, Signals.SIGINT, Signals.SIGTERM])
      try poller.add(signals.raw, interest: .read, key: PollerKey.signals)
      try input.watch(poller, key: PollerKey.input)
      while !isFinished {
        let events = try poller.wait(until: input.isAlwaysReady && mayRead ? .now : nextTimerTime)
        if events.contains(where: { $0.key == PollerKey.signals }), signals.next() != nil { break }
        if mayRead, input.isAlwaysReady || events.contains(where: { $0.key == PollerKey.input }) { readInput() }
        for event in events where event.key >= PollerKey.firstExchange { handleReady(event.key) }
        fireTimers()
        sendUnsentMessages()
        try input.setPaused(!mayRead, poller, key: PollerKey.input)
      }
      try endSession()
    } catch {
      throw Failure(error, doing: "the bridge cannot continue")
    }
  }

  private var isFinished: Bool {
    if output.isClosed { return true }
    guard let callDeadline else { return false }
    return Instant.now >= callDeadline
      || (unsentMessages.isEmpty && !exchanges.values.contains { $0.purpose.clientMessage != nil })
  }

  private var mayRead: Bool { unsentMessages.count < Self.maximumUnsentMessages && !input.hasEnded }

  private func readInput() {
    input.read { line in
      switch line {
      case .message(let message): handle(message)
      case .invalid(let failure, let id):
        let code = failure.code == .malformedToken ? MCPProblem.parseError : MCPProblem.invalidRequest
        output.fail(id, MCPProblem(code, failure.message))
      }
    }
    if input.hasEnded { callDeadline = Instant.now.advanced(by: Self.drainTime) }
  }

  private func endSession() throws(SystemError) {
    for key in Array(exchanges.keys) { remove(key) }
    signIns.close()
    guard session.hasID else { return }
    sendRequest(.sessionEnd, "DELETE", session.fields)
    let end = Instant.now.advanced(by: Self.closingTime)
    while !exchanges.isEmpty, Instant.now < end {
      for event in try poller.wait(until: end) where event.key >= PollerKey.firstExchange { handleReady(event.key) }
    }
  }

  // MARK: Time

  private var nextTimerTime: Instant? { (timers.map(\.moment) + [callDeadline].compactMap { $0 }).min() }

  func schedule(after delay: Duration, _ act: @escaping () -> Void) {
    timers.append((Instant.now.advanced(by: delay), act))
  }

  private func fireTimers() {
    let now = Instant.now
    let due = timers.filter { $0.moment <= now }
    timers.removeAll { $0.moment <= now }
    for timer in due { timer.act() }
  }

  // MARK: From the client

  private func handle(_ message: MCPMessage) {
    session.recordRevision(of: message)
    if let id = message.id?.string, message.kind == .answer, id.utf8.starts(with: MCPSignIns.prefix.utf8) {
      return handleQuestionAnswer(id, message)
    }
    if message.hasMethod("notifications/cancelled"), let id = message.parameter("requestId"),
      handleCancellation(id, message)
    {
      return
    }
    let clientMessage = MCPClientMessage(message)
    if let state = message.parameter("requestState")?.string, state.utf8.starts(with: MCPSignIns.prefix.utf8) {
      return handleRepeatedCall(clientMessage, state)
    }
    unsentMessages.append(clientMessage)
  }

  /// Cancels a call. Returns false if the server must get the message.
  private func handleCancellation(_ id: JSON, _ message: MCPMessage) -> Bool {
    if let index = unsentMessages.firstIndex(where: { $0.unansweredIDs.contains(id) && $0.message.kind == .request }) {
      unsentMessages.remove(at: index)
      return true
    }
    if signIns.removeCancelledCall(id) { return true }
    let running = exchanges.first {
      $0.value.purpose.clientMessage.map { $0.isModern && $0.unansweredIDs.contains(id) } ?? false
    }
    if let running {
      remove(running.key)
      return true
    }
    return session.namedRevision != nil
  }

  private func sendUnsentMessages() {
    while let next = unsentMessages.first, maySend(next) {
      unsentMessages.removeFirst()
      if next.isBarrier, next.message.hasMethod("initialize") {
        session.recordRequest(with: next.message)
        stopListening()
      } else if !next.isModern, session.isMissing, session.initializeMessage != nil {
        // The client continues even if its session failed to start.
        unsentMessages.insert(next, at: 0)
        return restartSession()
      }
      (next.generation, next.hadSessionID) = (session.generation, session.hasID)
      sendRequest(.message(next), "POST", session.fields(of: next.message), next.message.bytes)
    }
  }

  private func maySend(_ clientMessage: MCPClientMessage) -> Bool {
    let running = exchanges.values.compactMap { running in
      if case .message(let clientMessage) = running.purpose { clientMessage } else { nil }
    }
    return !isRestartingSession && running.count < Self.maximumConcurrentMessages
      && !running.contains { $0.isBarrier && ($0.message.kind == .notification || !$0.unansweredIDs.isEmpty) }
  }

  // MARK: Exchanges

  func sendRequest(_ purpose: Purpose, _ method: String, _ fields: [String], _ body: [UInt8]? = nil) {
    do throws(Failure) {
      let exchange = try server.startRequest(method, fields, body)
      let running = RunningRequest(exchange, purpose, key: nextKey())
      exchanges[running.key] = running
      do {
        if let descriptor = exchange.connectionDescriptor {
          try poller.add(descriptor, interest: .read, key: running.key)
        }
      } catch {
        remove(running.key)
        throw Failure(error, doing: "cannot make the request")
      }
    } catch {
      handleFailure(purpose, error)
    }
  }

  /// Cancels the request unless it is complete.
  func remove(_ key: UInt64) { exchanges.removeValue(forKey: key)?.exchange.close() }

  /// Handles a ready connection or, for an odd key, pipe.
  private func handleReady(_ key: UInt64) {
    if signIns.isCurrentKey(key) { return signIns.current.map { $0.readLines(handleSignInStep) } ?? () }
    let connection = key & ~1
    guard let running = exchanges[connection] else { return }
    let report = { [self] (step: MCPExchange.Step) in
      guard exchanges[connection] === running else { return }
      handle(step, running, connection)
    }
    if key == connection { running.exchange.readLines(report) } else { running.exchange.readPipe(report) }
  }

  /// A new poller key; the next higher number is for its pipe.
  func nextKey() -> UInt64 {
    lastKey += 2
    return lastKey
  }

  private func handle(_ step: MCPExchange.Step, _ running: RunningRequest, _ key: UInt64) {
    switch step {
    case .head(let head):
      let isStream = head.isEventStream
      running.head = head
      running.body = isStream ? .stream(EventStreamReader()) : .whole([])
      if isStream, case .serverMessages = running.purpose { listener.isOpen = true }
      guard let pipe = running.exchange.pipeDescriptor else { return }
      do { try poller.add(pipe, interest: .read, key: key + 1) } catch {
        remove(key)
        handleFailure(running.purpose, Failure(error, doing: "cannot read the answer"))
      }
    case .body(let bytes):
      guard !addToBody(bytes, running) else { return }
      remove(key)
      handleFailure(running.purpose, Failure(.serverMisbehaved, "the server sent a message that is too large"))
    case .ended(let head, let problem):
      remove(key)
      handleEnd(running, head, problem)
    case .failed(let failure):
      remove(key)
      handleInterruption(running, failure)
    }
  }

  /// Returns false if the body is too long.
  private func addToBody(_ bytes: [UInt8], _ running: RunningRequest) -> Bool {
    switch running.body {
    case .pending: return true
    case .whole(var whole):
      running.body = .pending
      whole.append(contentsOf: bytes)
      running.body = .whole(whole)
      return whole.count <= MCPMessage.maximumBytes
    case .stream(var reader):
      running.body = .pending
      var messages: [[UInt8]] = []
      let isShort: Bool
      do {
        try reader.feed(bytes.span) { messages.append($0) }
        isShort = true
      } catch {
        isShort = false
      }
      running.body = .stream(reader)
      for message in messages { handleServerMessage(message, running) }
      return isShort
    }
  }
}
