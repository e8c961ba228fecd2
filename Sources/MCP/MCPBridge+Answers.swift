internal import Encoding
internal import Wire

extension MCPBridge {
  /// Handles a server's message, received as a response to `running`.
  func handleServerMessage(_ text: [UInt8], _ running: RunningRequest) {
    guard let message = try? MCPMessage(text) else {
      return server.host.warn("ignored data from the server that is not a message")
    }
    switch running.purpose {
    case .message(let sending), .rest(let sending, _): deliver(message, to: sending, running.head)
    case .listening:
      guard !message.answers.isEmpty else { return output.write(message.bytes) }
      // It may answer a call whose own stream was interrupted.
      let owner = exchanges.values.compactMap(\.purpose.sending).first {
        $0.unanswered.contains { message.answers.contains($0) }
      }
      if let owner { deliver(message, to: owner, nil) }
    case .reopening:
      guard message.id == .string(Self.reopeningID) else { return }
      remove(running.key)
      handleReopened(message, running.head)
    case .tools(let request):
      guard message.id == request.message.id else { return }
      remove(running.key)
      handleToolList(message, for: request)
    case .reopened, .closing: break
    }
  }

  /// Writes a message, unless it answers anything but `sending`.
  private func deliver(_ message: MCPMessage, to sending: MCPSending, _ head: ResponseHead?) {
    guard message.answers.allSatisfy({ sending.unanswered.contains($0) }) else {
      return server.host.warn("ignored an answer from the server to an unknown request")
    }
    sending.unanswered.subtract(message.answers)
    if sending.message.hasMethod("initialize"), sending.message.kind == .request, let head {
      session.recordAcceptance(message, head)
    }
    output.write(recordTools(in: message, to: sending.message).bytes)
  }

  // MARK: Ends

  /// Handles the end of a complete response.
  func handleEnd(_ running: RunningRequest, _ head: ResponseHead, _ problem: Failure?) {
    switch running.purpose {
    case .message(let sending), .rest(let sending, _): handleEnd(sending, running, head, problem)
    case .listening: handleStreamEnd(head.status, problem, running.body)
    case .reopening:
      guard problem == nil, case .whole(let body) = running.body, let answer = try? MCPMessage(body) else {
        return handleFailure(
          .reopening, problem ?? Failure(.serverMisbehaved, "the server did not start a new session"))
      }
      handleReopened(answer, head)
    case .reopened:
      isReopening = false
      if let problem { note(problem) } else { startListening() }
    case .tools(let request):
      guard problem == nil, case .whole(let body) = running.body, let answer = try? MCPMessage(body) else {
        return deliver(request.refusal, to: request.call, nil)
      }
      handleToolList(answer, for: request)
    case .closing: break
    }
  }

  /// Handles the end of the response to a client's message.
  private func handleEnd(_ sending: MCPSending, _ running: RunningRequest, _ head: ResponseHead, _ problem: Failure?) {
    guard let problem else { return handleSuccess(sending, running, head) }
    if head.status == 404, !sending.isModern, sending.hadSessionID {
      return handleLostSession(sending)
    }
    if head.status == 401 || head.status == 403 || MCPProblem.needsPerson(problem) {
      return handleRefusal(sending, problem, status: head.status)
    }
    // The body describes the error, perhaps with an ID of the server's own.
    if case .whole(let body) = running.body, let answer = try? MCPMessage(body),
      let own = Self.error(answer, of: sending)
    {
      if let request = MCPToolsRequest(for: sending, refusedBy: own) {
        sending.isRepeated = true
        return list(request)
      }
      return deliver(own, to: sending, nil)
    }
    var told = problem
    // Servers of the first transport respond this way (revision 2025-11-25, backwards compatibility).
    if sending.message.hasMethod("initialize"), [400, 404, 405].contains(head.status) {
      told.advice = Phrase("check the URL; the transport of 2024-11-05 (HTTP with SSE) is not supported")
    }
    fail(sending, told, status: head.status)
  }

  /// The server's error, addressed to the request that caused it; nil for a batch or another response.
  private static func error(_ answer: MCPMessage, of sending: MCPSending) -> MCPMessage? {
    guard answer.kind == .answer, answer.value(["error"]) != nil, sending.message.kind == .request,
      let id = sending.message.id
    else { return nil }
    return try? answer.replacing(id: id)
  }

  /// Handles a response without an error status.
  private func handleSuccess(_ sending: MCPSending, _ running: RunningRequest, _ head: ResponseHead) {
    if (300..<400).contains(head.status), let location = head.field("Location") {
      return fail(sending, server.redirects(to: location), status: head.status)
    }
    switch running.body {
    case .stream(let reader):
      if !sending.unanswered.isEmpty { return resume(sending, reader, running.purpose) }
    case .whole(let body):
      guard !sending.unanswered.isEmpty else { break }
      guard let answer = try? MCPMessage(body), answer.kind == .answer || answer.kind == .batch else {
        return fail(
          sending, Failure(.serverMisbehaved, "the server's answer is not an MCP message"), status: head.status)
      }
      let isNameless = answer.id == nil || answer.id == .null
      deliver(isNameless ? Self.error(answer, of: sending) ?? answer : answer, to: sending, head)
      // Missing responses will never arrive.
      if !sending.unanswered.isEmpty {
        fail(sending, Failure(.serverMisbehaved, "the server's answer is not an MCP message"), status: head.status)
      }
    case .pending: break
    }
    if !sending.isModern, sending.message.hasMethod("notifications/initialized") { startListening() }
  }

  /// Handles an interrupted response.
  func handleInterruption(_ running: RunningRequest, _ failure: Failure) {
    if case .tools = running.purpose { return handleFailure(running.purpose, failure) }
    // Resume a stream after its last event. Never repeat the request.
    if case .stream(let reader) = running.body, let sending = running.purpose.sending {
      return resume(sending, reader, running.purpose)
    }
    if case .listening = running.purpose, case .stream = running.body {
      return handleStreamEnd(nil, nil, running.body)
    }
    handleFailure(running.purpose, failure)
  }

  /// Handles a request to the server that got no response.
  func handleFailure(_ purpose: Purpose, _ failure: Failure) {
    switch purpose {
    case .message(let sending): handleRefusal(sending, failure, status: nil)
    case .rest(let sending, _): fail(sending, failure, status: nil)
    case .tools(let request): deliver(request.refusal, to: request.call, nil)
    case .listening: handleStreamEnd(nil, failure, .pending)
    case .reopening, .reopened:
      isReopening = false
      session.recordEnd()
      failWaiting(failure)
    case .closing: break
    }
  }

  private func failWaiting(_ failure: Failure) {
    let sendings = waiting
    waiting = []
    for sending in sendings { handleRefusal(sending, failure, status: nil) }
  }

  /// Answers every open request of a message.
  func fail(_ sending: MCPSending, _ failure: Failure, status: Int?) {
    fail(sending, server.problem(failure, status: status))
  }

  func fail(_ sending: MCPSending, _ problem: MCPProblem) {
    if sending.message.requests.isEmpty { return server.host.note(Phrase(verbatim: problem.message)) }
    for id in sending.message.requests where sending.unanswered.remove(id) != nil { output.fail(id, problem) }
  }

  /// Prints a failure, which the client gets too.
  private func note(_ failure: Failure) { server.host.note(server.host.completingHint(of: failure).text) }

  // MARK: Interrupted streams

  /// The delay before reconnecting, unless the server sets one.
  private static let standardRetryMilliseconds = 1000
  private static let maximumRetryMilliseconds = 3_600_000
  /// The maximum number of requests for the rest of one response without a new event.
  private static let maximumRetries = 5

  /// Requests the rest of an interrupted response, if its events have IDs.
  private func resume(_ sending: MCPSending, _ reader: EventStreamReader, _ purpose: Purpose) {
    var last = String(decoding: reader.lastID, as: UTF8.self)
    if !last.isEmpty {
      sending.retries = 0
    } else if case .rest(_, let before) = purpose {
      // Interrupted again before the first event: resume from the same ID.
      last = before
    }
    guard !sending.unanswered.isEmpty else { return }
    guard !sending.isModern, !last.isEmpty, sending.generation == session.generation else {
      return fail(
        sending,
        Failure(
          .network, "the answer was interrupted; the call was not repeated, because it may have been carried out"),
        status: nil)
    }
    let isOver = sending.retries >= Self.maximumRetries
    guard !isOver else {
      return fail(sending, Failure(.network, "the answer was interrupted permanently"), status: nil)
    }
    sending.retries += 1
    schedule(
      after: .milliseconds(
        min(reader.retryMilliseconds ?? Self.standardRetryMilliseconds, Self.maximumRetryMilliseconds))
    ) { [self] in
      guard !sending.unanswered.isEmpty else { return }
      sendRequest(.rest(of: sending, after: last), "GET", session.fields + ["Last-Event-ID: \(last)"])
    }
  }

  /// Opens the stream of the server's own messages.
  func startListening() {
    guard !listener.isWanted else { return }
    listener = MCPListener()
    listener.isWanted = true
    openListener()
  }

  private func openListener() {
    guard listener.isWanted else { return }
    let last = listener.lastID.isEmpty ? [] : ["Last-Event-ID: \(listener.lastID)"]
    sendRequest(.listening, "GET", session.fields + last)
  }

  /// Closes the stream of the server's own messages.
  func stopListening() {
    listener = MCPListener()
    for (key, running) in exchanges { if case .listening = running.purpose { remove(key) } }
  }

  /// Reopens the stream of the server's own messages, if supported.
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
      if status == 404, wasOpen { reopen() }
      return
    } else if let failure, MCPProblem.needsPerson(failure) {
      // The next successful call reopens the stream.
      return stopListening()
    } else if failure == nil {
      // Not a stream.
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

  /// Records the tools in a response. Removes those with an invalid description, with a warning.
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

  private func list(_ request: MCPToolsRequest) {
    sendRequest(.tools(request), "POST", session.fields(of: request.message), request.message.bytes)
  }

  /// Requests the next page of the list; after the last, repeats the refused call.
  private func handleToolList(_ answer: MCPMessage, for request: MCPToolsRequest) {
    let answer = recordTools(in: answer, to: request.message)
    guard answer.value(["result", "tools"]) != nil else { return deliver(request.refusal, to: request.call, nil) }
    if let next = request.next(after: answer) { return list(next) }
    waiting.insert(request.call, at: 0)
  }

  // MARK: Sessions

  /// Starts a new session for a message refused because the server forgot the old one.
  private func handleLostSession(_ sending: MCPSending) {
    guard session.initialize != nil, !sending.isRepeated, sending.message.kind == .request || sending.isBarrier else {
      return fail(sending, Failure(.serverRejected, "the server no longer knows the session"), status: 404)
    }
    sending.isRepeated = true
    waiting.insert(sending, at: 0)
    if sending.generation == session.generation { reopen() }
  }

  /// The ID of the bridge's own `initialize` request.
  private static let reopeningID = MCPSignIns.prefix + "initialize"

  /// Repeats the client's `initialize` message.
  func reopen() {
    guard !isReopening, let initialize = session.initialize else { return }
    isReopening = true
    stopListening()
    session.recordEnd()
    do throws(Failure) {
      let message = try initialize.replacing(id: .string(Self.reopeningID))
      sendRequest(.reopening, "POST", [], message.bytes)
    } catch {
      handleFailure(.reopening, error)
    }
  }

  private func handleReopened(_ answer: MCPMessage, _ head: ResponseHead?) {
    guard let head, answer.value(["result"]) != nil else {
      return handleFailure(.reopening, Failure(.serverMisbehaved, "the server did not start a new session"))
    }
    session.recordAcceptance(answer, head)
    let message = JSON.object(MCPMessage.notification("notifications/initialized")).serialized()
    sendRequest(.reopened, "POST", session.fields, message)
  }
}

/// The stream of the server's own messages.
final class MCPListener {
  /// Whether the stream is open or will be reopened.
  var isWanted = false
  var isOpen = false
  /// The ID of the last event, after which to resume.
  var lastID = ""
  /// Set by the server; nil for the default.
  var retryMilliseconds: Int?
  /// The failed attempts to open the stream since it was last open.
  var failedAttempts = 0
}
