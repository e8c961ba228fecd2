internal import Encoding
internal import Platform
internal import Wire

/// An HTTP request to an MCP server through the daemon. Never blocks: the owner polls its descriptors.
final class MCPExchange {
  /// Progress of the response.
  enum Step {
    case head(ResponseHead)
    /// The next bytes of the body.
    case body([UInt8])
    /// The response has ended. `problem` explains an error status.
    case ended(ResponseHead, problem: Failure?)
    /// The exchange has failed, before or within the response.
    case failed(Failure)
  }

  /// Nil once closed.
  private var connection: DaemonConnection?
  /// Carries the response's body; nil for an inline request.
  private var pipe: SharedDescriptor?
  private let host: any MCPHost
  private var request: CallRequest
  private let content: [UInt8]?
  private var head: ResponseHead?
  /// Body bytes received so far.
  private var received = 0
  /// Inline content bytes sent so far.
  private var sent = 0
  /// Whether the user's environment variables were passed, at most once.
  private var variablesState = VariablesState.notRequested
  /// Nil until received from the daemon.
  private var result: (bodyBytes: Int, problem: Failure?)?
  /// Reported after the rest of the body in ``pipe``.
  private var failure: Failure?

  private enum VariablesState { case notRequested, sent, accepted }

  private static let pieceBytes = 256 << 10

  init(_ request: CallRequest, _ content: [UInt8]?, _ host: any MCPHost) throws(Failure) {
    self.host = host
    self.request = request
    self.content = content
    connection = .some(try host.connect())
    try send()
  }

  private func send() throws(Failure) {
    host.log(.call(request))
    guard !request.isInline else { return try connection?.send(host.envelope(.call(request))) ?? () }
    var passed: [SharedDescriptor] = []
    do throws(SystemError) {
      if let content { passed.append(SharedDescriptor(try FileDescriptor.inMemory(content.span))) }
      let pipe = try Pipe()
      passed.append(SharedDescriptor(pipe.writing))
      self.pipe = SharedDescriptor(pipe.reading)
    } catch {
      throw Failure(error, doing: "cannot make the request")
    }
    try connection?.send(host.envelope(.call(request)), passing: passed)
  }

  /// Nil once closed.
  var connectionDescriptor: Int32? { connection?.descriptor }
  /// To poll after the head; nil for an inline request.
  var pipeDescriptor: Int32? { pipe?.descriptor.raw }

  func close() {
    pipe = nil
    connection = nil
  }

  /// Handles the daemon's available lines.
  func readLines(_ report: (Step) -> Void) {
    do throws(Failure) {
      try connection?.readMore()
      while let reply = try connection?.takeReply() {
        switch reply {
        case .event(.response(let head)):
          self.head = head
          report(.head(head))
        case .event(.body(let bytes)):
          received += bytes.count
          report(.body(bytes))
        case .event(.bodyWanted): try sendNextPart()
        case .event(let event): host.show(event)
        case .failure(let failure) where failure.code == .descriptorMissing && !request.isInline: try repeatInline()
        case .failure(let failure) where head != nil: reportFailure(failure, report)
        case .failure(let failure): try passVariables(neededAfter: failure)
        case .result where variablesState == .sent:
          (variablesState, pipe, sent) = (.accepted, nil, 0)
          try send()
        case .result(let result):
          guard let bytes = result["body_bytes"]?.int else { throw Reply.unreadable }
          self.result = (bytes, result["problem"].flatMap { Failure(json: $0) })
          try readRest(report)
          reportEnd(report)
        }
      }
    } catch {
      connection = nil
      reportFailure(error, report)
    }
  }

  /// Reports the failure after the available part of the body.
  private func reportFailure(_ failure: Failure, _ report: (Step) -> Void) {
    guard head != nil, pipe != nil else { return report(.failed(failure)) }
    self.failure = failure
  }

  /// Passes the environment variables that the daemon lacks. Once it has accepted them, the request is repeated.
  private func passVariables(neededAfter failure: Failure) throws(Failure) {
    guard variablesState == .notRequested, let values = try connection?.variables(neededAfter: failure) else {
      throw failure
    }
    variablesState = .sent
    try connection?.send(host.envelope(values.request), passing: values.values)
  }

  /// Repeats the request with inline bodies, since the socket cannot pass descriptors.
  private func repeatInline() throws(Failure) {
    pipe = nil
    request.isInline = true
    if let content {
      if content.count <= CallRequest.maximumInlineBytes {
        request.inlineBody = Base64.encode(content)
      } else {
        request.sendsBodyInLines = true
      }
    }
    try send()
  }

  private func sendNextPart() throws(Failure) {
    guard let content else { return }
    let end = min(sent + ResourceBodyRequest.maximumBytes, content.count)
    let part = ResourceBodyRequest(bytes: Array(content[sent..<end]), isLast: end == content.count)
    sent = end
    try connection?.send(RequestEnvelope(.resourceBody(part)))
  }

  func readPipe(_ report: (Step) -> Void) {
    do throws(Failure) {
      guard try !readPart(report) else { return }
      pipe = nil
      if let failure { report(.failed(failure)) }
    } catch {
      report(.failed(error))
    }
  }

  private func readRest(_ report: (Step) -> Void) throws(Failure) {
    guard let total = result?.bodyBytes else { return }
    while received < total {
      guard pipe != nil, try readPart(report) else {
        throw Failure(.daemonUnavailable, "the daemon ended before the answer was complete")
      }
    }
  }

  /// Returns false at the end.
  private func readPart(_ report: (Step) -> Void) throws(Failure) -> Bool {
    var bytes: [UInt8] = []
    do { _ = try pipe?.descriptor.read(into: &bytes, upTo: Self.pieceBytes) } catch {
      throw Failure(error, doing: "cannot read the answer")
    }
    received += bytes.count
    if !bytes.isEmpty { report(.body(bytes)) }
    return !bytes.isEmpty
  }

  private func reportEnd(_ report: (Step) -> Void) {
    guard let head, let result else { return }
    report(.ended(head, problem: result.problem))
  }
}
