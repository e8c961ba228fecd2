internal import Encoding
internal import Wire

extension MCPBridge {
  /// `text` is from the response to `running`.
  func handleServerMessage(_ text: [UInt8], _ running: RunningRequest) {
    guard let message = try? MCPMessage(text) else {
      return server.host.warn("ignored data from the server that is not a message")
    }
    switch running.purpose {
    case .message(let clientMessage), .remainder(let clientMessage, _):
      deliver(message, to: clientMessage, running.head)
    case .serverMessages:
      guard !message.answeredIDs.isEmpty else { return output.write(message.bytes) }
      // The message may answer a call whose own stream was interrupted.
      let owner = exchanges.values.compactMap(\.purpose.clientMessage).first {
        $0.unansweredIDs.contains { message.answeredIDs.contains($0) }
      }
      if let owner { deliver(message, to: owner, nil) }
    case .sessionRestart:
      guard message.id == .string(Self.restartRequestID) else { return }
      remove(running.key)
      handleSessionRestart(message, running.head)
    case .toolList(let request):
      guard message.id == request.message.id else { return }
      remove(running.key)
      handleToolList(message, for: request)
    case .sessionConfirmation, .sessionEnd: break
    }
  }

  /// Passes a message to the client, unless it answers a request other than `clientMessage`.
  private func deliver(_ message: MCPMessage, to clientMessage: MCPClientMessage, _ head: ResponseHead?) {
    guard message.answeredIDs.allSatisfy({ clientMessage.unansweredIDs.contains($0) }) else {
      return server.host.warn("ignored an answer from the server to an unknown request")
    }
    clientMessage.unansweredIDs.subtract(message.answeredIDs)
    if clientMessage.message.hasMethod("initialize"), clientMessage.message.kind == .request, let head {
      session.recordAcceptance(message, head)
    }
    output.write(recordTools(in: message, to: clientMessage.message).bytes)
  }

  // MARK: Ends

  func handleEnd(_ running: RunningRequest, _ head: ResponseHead, _ problem: Failure?) {
    switch running.purpose {
    case .message(let clientMessage), .remainder(let clientMessage, _): handleEnd(clientMessage, running, head, problem)
    case .serverMessages: handleStreamEnd(head.status, problem, running.body)
    case .sessionRestart:
      guard problem == nil, case .whole(let body) = running.body, let answer = try? MCPMessage(body) else {
        return handleFailure(
          .sessionRestart, problem ?? Failure(.serverMisbehaved, "the server did not start a new session"))
      }
      handleSessionRestart(answer, head)
    case .sessionConfirmation:
      isRestartingSession = false
      if let problem { note(problem) } else { startListening() }
    case .toolList(let request):
      guard problem == nil, case .whole(let body) = running.body, let answer = try? MCPMessage(body) else {
        return deliver(request.refusal, to: request.call, nil)
      }
      handleToolList(answer, for: request)
    case .sessionEnd: break
    }
  }

  private func handleEnd(
    _ clientMessage: MCPClientMessage, _ running: RunningRequest, _ head: ResponseHead, _ problem: Failure?
  ) {
    guard let problem else { return handleSuccess(clientMessage, running, head) }
    if head.status == 404, !clientMessage.isModern, clientMessage.hadSessionID {
      return handleLostSession(clientMessage)
    }
    if head.status == 401 || head.status == 403 || MCPProblem.needsUser(problem) {
      return handleRefusal(clientMessage, problem, status: head.status)
    }
    // The body describes the error, perhaps with an ID of the server's own.
    if case .whole(let body) = running.body, let answer = try? MCPMessage(body),
      let own = Self.error(answer, of: clientMessage)
    {
      if let request = MCPToolsRequest(for: clientMessage, refusedBy: own) {
        clientMessage.isRepeated = true
        return requestToolList(request)
      }
      return deliver(own, to: clientMessage, nil)
    }
    var told = problem
    // Servers of the first transport respond so (revision 2025-11-25, backwards compatibility).
    if clientMessage.message.hasMethod("initialize"), [400, 404, 405].contains(head.status) {
      told.advice = Phrase("check the URL; the transport of 2024-11-05 (HTTP with SSE) is not supported")
    }
    fail(clientMessage, told, status: head.status)
  }

  /// The server's error response with the request's ID; nil unless a single request got an error.
  private static func error(_ answer: MCPMessage, of clientMessage: MCPClientMessage) -> MCPMessage? {
    guard answer.kind == .answer, answer.value(["error"]) != nil, clientMessage.message.kind == .request,
      let id = clientMessage.message.id
    else { return nil }
    return try? answer.replacing(id: id)
  }

  private func handleSuccess(_ clientMessage: MCPClientMessage, _ running: RunningRequest, _ head: ResponseHead) {
    if (300..<400).contains(head.status), let location = head.field("Location") {
      return fail(clientMessage, server.redirectFailure(to: location), status: head.status)
    }
    switch running.body {
    case .stream(let reader):
      if !clientMessage.unansweredIDs.isEmpty { return resume(clientMessage, reader, running.purpose) }
    case .whole(let body):
      guard !clientMessage.unansweredIDs.isEmpty else { break }
      guard let answer = try? MCPMessage(body), answer.kind == .answer || answer.kind == .batch else {
        return fail(
          clientMessage, Failure(.serverMisbehaved, "the server's answer is not an MCP message"), status: head.status)
      }
      let isNameless = answer.id == nil || answer.id == .null
      deliver(isNameless ? Self.error(answer, of: clientMessage) ?? answer : answer, to: clientMessage, head)
      // Missing responses will never arrive.
      if !clientMessage.unansweredIDs.isEmpty {
        fail(
          clientMessage, Failure(.serverMisbehaved, "the server's answer is not an MCP message"), status: head.status)
      }
    case .pending: break
    }
    if !clientMessage.isModern, clientMessage.message.hasMethod("notifications/initialized") { startListening() }
  }

  func handleInterruption(_ running: RunningRequest, _ failure: Failure) {
    if case .toolList = running.purpose { return handleFailure(running.purpose, failure) }
    // Resume a stream after its last event. Never repeat the request.
    if case .stream(let reader) = running.body, let clientMessage = running.purpose.clientMessage {
      return resume(clientMessage, reader, running.purpose)
    }
    if case .serverMessages = running.purpose, case .stream = running.body {
      return handleStreamEnd(nil, nil, running.body)
    }
    handleFailure(running.purpose, failure)
  }

  /// Handles a request to the server that got no response.
  func handleFailure(_ purpose: Purpose, _ failure: Failure) {
    switch purpose {
    case .message(let clientMessage): handleRefusal(clientMessage, failure, status: nil)
    case .remainder(let clientMessage, _): fail(clientMessage, failure, status: nil)
    case .toolList(let request): deliver(request.refusal, to: request.call, nil)
    case .serverMessages: handleStreamEnd(nil, failure, .pending)
    case .sessionRestart, .sessionConfirmation:
      isRestartingSession = false
      session.recordEnd()
      failUnsentMessages(failure)
    case .sessionEnd: break
    }
  }

  private func failUnsentMessages(_ failure: Failure) {
    let messages = unsentMessages
    unsentMessages = []
    for clientMessage in messages { handleRefusal(clientMessage, failure, status: nil) }
  }

  /// Fails every open request of a message.
  func fail(_ clientMessage: MCPClientMessage, _ failure: Failure, status: Int?) {
    fail(clientMessage, server.problem(failure, status: status))
  }

  func fail(_ clientMessage: MCPClientMessage, _ problem: MCPProblem) {
    if clientMessage.message.requestIDs.isEmpty { return server.host.note(Phrase(verbatim: problem.message)) }
    for id in clientMessage.message.requestIDs where clientMessage.unansweredIDs.remove(id) != nil {
      output.fail(id, problem)
    }
  }

  /// Prints a failure that the client gets too.
  private func note(_ failure: Failure) { server.host.note(server.host.completingHint(of: failure).text) }

  // MARK: Interrupted streams

  /// The reconnect delay, unless the server sets one.
  private static let standardRetryMilliseconds = 1000
  private static let maximumRetryMilliseconds = 3_600_000
  /// Per response, without a new event.
  private static let maximumRetries = 5

  /// Requests the rest of an interrupted response, if its events have IDs.
  private func resume(_ clientMessage: MCPClientMessage, _ reader: EventStreamReader, _ purpose: Purpose) {
    var last = String(decoding: reader.lastID, as: UTF8.self)
    if !last.isEmpty {
      clientMessage.retries = 0
    } else if case .remainder(_, let before) = purpose {
      // Interrupted before the first event: resume from the previous ID.
      last = before
    }
    guard !clientMessage.unansweredIDs.isEmpty else { return }
    guard !clientMessage.isModern, !last.isEmpty, clientMessage.generation == session.generation else {
      return fail(
        clientMessage,
        Failure(
          .network, "the answer was interrupted; the call was not repeated, because it may have been carried out"),
        status: nil)
    }
    let isOver = clientMessage.retries >= Self.maximumRetries
    guard !isOver else {
      return fail(clientMessage, Failure(.network, "the answer was interrupted permanently"), status: nil)
    }
    clientMessage.retries += 1
    schedule(
      after: .milliseconds(
        min(reader.retryMilliseconds ?? Self.standardRetryMilliseconds, Self.maximumRetryMilliseconds))
    ) { [self] in
      guard !clientMessage.unansweredIDs.isEmpty else { return }
      sendRequest(.remainder(of: clientMessage, afterEvent: last), "GET", session.fields + ["Last-Event-ID: \(last)"])
    }
  }

  /// Opens the stream of the server's own messages, and keeps it open if supported.
  func startListening() {
    guard !listener.isWanted else { return }
    listener = MCPListener()
    listener.isWanted = true
    openListener()
  }

  private func openListener() {
    guard listener.isWanted else { return }
    let last = listener.lastID.isEmpty ? [] : ["Last-Event-ID: \(listener.lastID)"]
    sendRequest(.serverMessages, "GET", session.fields + last)
  }

  func stopListening() {
    listener = MCPListener()
    for (key, running) in exchanges { if case .serverMessages = running.purpose { remove(key) } }
  }

  /// Reopens the stream, if supported.
  private func handleStreamEnd(_ status: Int?, _ failure: Failure?, _ body: Body) {
    guard listener.isWanted else { return }
    if case .stream(let reader) = body {
      listener.lastID = String(decoding: reader.lastID, as: UTF8.self)
      listener.retryMilliseconds = reader.retryMilliseconds
      listener.failedAttempts = 0
    } else if let status, (400..<500).contains(status), status != 408, status != 429 {
      let wasOpen = listener.isOpen
      stopListening()
      // 405: the server has no such stream. 404: it forgot the session.
      if status == 404, wasOpen { restartSession() }
      return
    } else if let failure, MCPProblem.needsUser(failure) {
      // The next successful call reopens the stream.
      return stopListening()
    } else if failure == nil {
      return stopListening()
    } else {
      listener.failedAttempts += 1
    }
    let base = min(listener.retryMilliseconds ?? Self.standardRetryMilliseconds, Self.maximumRetryMilliseconds)
    let delay = min(base << min(listener.failedAttempts, 6), max(base, 60_000))
    schedule(after: .milliseconds(max(delay, 100))) { [self, listener] in
      if self.listener === listener { openListener() }
    }
  }

  // MARK: Tools

  /// Records the tools in a response. Removes invalid ones, with a warning.
  private func recordTools(in answer: MCPMessage, to request: MCPMessage) -> MCPMessage {
    let (answer, omitted) = session.recordTools(in: answer, to: request)
    if !omitted.isEmpty {
      let names = omitted.prefix(8).map { TerminalText.clean($0, limit: 64) } + (omitted.count > 8 ? ["…"] : [])
      server.host.warn(
        "the server describes these tools with an invalid x-mcp-header, so they are left out: \(names.joined(separator: ", "))"
      )
    }
    return answer
  }

  private func requestToolList(_ request: MCPToolsRequest) {
    sendRequest(.toolList(request), "POST", session.fields(of: request.message), request.message.bytes)
  }

  /// Requests the list's next page or, after the final page, repeats the refused call.
  private func handleToolList(_ answer: MCPMessage, for request: MCPToolsRequest) {
    let answer = recordTools(in: answer, to: request.message)
    guard answer.value(["result", "tools"]) != nil else { return deliver(request.refusal, to: request.call, nil) }
    if let next = request.next(after: answer) { return requestToolList(next) }
    unsentMessages.insert(request.call, at: 0)
  }

  // MARK: Sessions

  /// Starts a new session, since the server forgot the message's.
  private func handleLostSession(_ clientMessage: MCPClientMessage) {
    guard session.initializeMessage != nil, !clientMessage.isRepeated,
      clientMessage.message.kind == .request || clientMessage.isBarrier
    else {
      return fail(clientMessage, Failure(.serverRejected, "the server no longer knows the session"), status: 404)
    }
    clientMessage.isRepeated = true
    unsentMessages.insert(clientMessage, at: 0)
    if clientMessage.generation == session.generation { restartSession() }
  }

  /// The ID of the bridge's own `initialize` request.
  private static let restartRequestID = MCPSignIns.prefix + "initialize"

  /// Repeats the client's `initialize` message.
  func restartSession() {
    guard !isRestartingSession, let initialize = session.initializeMessage else { return }
    isRestartingSession = true
    stopListening()
    session.recordEnd()
    do throws(Failure) {
      let message = try initialize.replacing(id: .string(Self.restartRequestID))
      sendRequest(.sessionRestart, "POST", [], message.bytes)
    } catch {
      handleFailure(.sessionRestart, error)
    }
  }

  private func handleSessionRestart(_ answer: MCPMessage, _ head: ResponseHead?) {
    guard let head, answer.value(["result"]) != nil else {
      return handleFailure(.sessionRestart, Failure(.serverMisbehaved, "the server did not start a new session"))
    }
    session.recordAcceptance(answer, head)
    let message = JSON.object(MCPMessage.notification("notifications/initialized")).serialized()
    sendRequest(.sessionConfirmation, "POST", session.fields, message)
  }
}

/// The stream of the server's own messages.
final class MCPListener {
  /// Whether the stream is open or will be reopened.
  var isWanted = false
  var isOpen = false
  /// The latest event's ID, after which to resume.
  var lastID = ""
  /// The server's delay before reconnecting; nil for the default.
  var retryMilliseconds: Int?
  /// Failed attempts to open the stream since the latest success.
  var failedAttempts = 0
}
