internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// A request to a resource by way of the daemon: its answer's body comes through a pipe beside the socket.
struct ResourceConversation {
  private let client: DaemonClient

  init(_ client: DaemonClient) { self.client = client }

  /// The head of the answer, and the outcome of its body.
  struct Answer {
    var account: String
    var head: ResponseHead
    var bodyBytes: Int
    /// Why the answer is no success.
    var problem: Failure?
  }

  private static let pieceBytes = 65_536

  /// Sends the request and passes on what comes back: `head` once, then `body` piece by piece.
  func run(
    _ request: CallRequest, sending content: consuming FileDescriptor?,
    head tellHead: (ResponseHead) throws(Failure) -> Void, body tellBody: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) -> Answer {
    var connection = try client.connect()
    let result: Answer
    do {
      let pipe = try send(request, content, over: connection)
      let head = try waitForHead(request, &connection)
      try tellHead(head)
      result = try passBody(pipe, head, &connection, tellBody)
    } catch {
      connection.finish()
      throw error
    }
    connection.finish()
    return result
  }

  /// - Returns: The end of the pipe that the body comes out of.
  private func send(
    _ request: CallRequest, _ content: consuming FileDescriptor?, over connection: borrowing DaemonConnection
  ) throws(Failure) -> FileDescriptor {
    let pipe: Pipe
    do { pipe = try Pipe() } catch { throw Failure(error, doing: "the request could not be made") }
    _ = client.logRequest(.call(request))
    let envelope = client.envelope(.call(request))
    var passed: [SharedDescriptor] = []
    if let content { passed.append(SharedDescriptor(content)) }
    try connection.send(envelope, passing: passed + [SharedDescriptor(pipe.writing)])
    // The daemon's copy of the other end is the only one from now on.
    return pipe.reading
  }

  /// The daemon watches the time: it alone knows whether something still moves.
  private func waitForHead(_ request: CallRequest, _ connection: inout DaemonConnection) throws(Failure) -> ResponseHead
  {
    let patience = Patience(.call(request), client.console)
    let never = Instant.now.advanced(by: .seconds(10 * 365 * 86_400))
    while true {
      let reply = try connection.nextLine(before: never, waiting: patience.wait) { (line) throws(Failure) in
        try Reply(parsing: line)
      }
      switch reply {
      case .event(.response(let head)): return head
      case .event(let event): client.tell(event)
      case .failure(let failure): throw failure
      case .result: throw Reply.unreadable
      }
    }
  }

  private func passBody(
    _ pipe: consuming FileDescriptor, _ head: ResponseHead, _ connection: inout DaemonConnection,
    _ tellBody: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) -> Answer {
    var piece: [UInt8] = []
    var nothingTyped: TypedTokens?
    let result = try PipedAnswer(client, from: pipe).receive(
      over: &connection, total: { $0["body_bytes"]?.int }, beside: &nothingTyped
    ) { (pipe) throws(Failure) in
      piece.removeAll(keepingCapacity: true)
      let count = try PipedAnswer.reading { () throws(SystemError) in
        try pipe.read(into: &piece, upTo: Self.pieceBytes)
      }
      guard count > 0 else { return nil }
      try tellBody(piece.span)
      return count
    }
    guard let account = result["account"]?.string, let bytes = result["body_bytes"]?.int else {
      throw Reply.unreadable
    }
    let problem = result["problem"].flatMap { Failure(json: $0) }
    client.console.detail("the answer has status \(head.status) and \(bytes) bytes")
    return Answer(account: account, head: head, bodyBytes: bytes, problem: problem)
  }
}
