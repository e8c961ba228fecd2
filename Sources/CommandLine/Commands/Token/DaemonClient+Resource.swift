internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// The head of a resource's answer, and the outcome of its body.
struct ResourceAnswer {
  var account: String
  var head: ResponseHead
  var bodyBytes: Int
  /// Why the answer is no success.
  var problem: Failure?
}

extension DaemonClient {
  private static let pieceBytes = 65_536

  /// Makes a request to a resource by way of the daemon: the body of its answer comes through a pipe beside the socket.
  /// Passes on what comes back: `head` once, then `body` piece by piece.
  func request(
    _ request: CallRequest, sending content: SharedDescriptor?,
    head tellHead: (ResponseHead) throws(Failure) -> Void, body tellBody: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) -> ResourceAnswer {
    try connect().lent { (connection) throws(Failure) in
      let pipe = try send(request, content, over: connection)
      let head: ResponseHead
      do throws(Failure) { head = try self.head(of: request, &connection) } catch {
        guard error.code == .descriptorMissing else { throw error }
        console.detail("no descriptor passes the socket, so the bodies go with the lines")
        return try requestInline(request, content, &connection, tellHead, tellBody)
      }
      try tellHead(head)
      return try passBody(pipe, head, &connection, tellBody)
    }
  }

  /// The daemon watches the time: it alone knows whether something still moves.
  private static var never: Instant { .now.advanced(by: .seconds(10 * 365 * 86_400)) }

  private func head(
    of request: CallRequest, _ connection: inout DaemonConnection
  ) throws(Failure) -> ResponseHead {
    try event(over: &connection, before: Self.never, waitingFor: .call(request)) { event in
      if case .response(let head) = event { head } else { nil }
    }
  }

  /// The same over a socket that passes no descriptors, as one that is forwarded to another machine.
  private func requestInline(
    _ request: CallRequest, _ content: SharedDescriptor?, _ connection: inout DaemonConnection,
    _ tellHead: (ResponseHead) throws(Failure) -> Void, _ tellBody: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) -> ResourceAnswer {
    var request = request
    request.isInline = true
    request.inlineBody = try content.map { (content) throws(Failure) in Base64.encode(try Self.bytes(of: content)) }
    _ = logRequest(.call(request))
    try connection.send(envelope(.call(request)))
    let head = try head(of: request, &connection)
    try tellHead(head)
    while true {
      switch try connection.nextReply(before: Self.never) {
      case .event(.body(let bytes)): try tellBody(bytes.span)
      case .event(let event): console.tell(event)
      case .failure(let failure): throw failure
      case .result(let result): return try answer(result, head)
      }
    }
  }

  private static func bytes(of content: SharedDescriptor) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    do throws(SystemError) {
      while bytes.count <= CallRequest.mostInlineBytes {
        if try content.descriptor.read(into: &bytes, upTo: pieceBytes) == 0 { return bytes }
      }
    } catch {
      throw Failure(error, doing: "the data could not be read")
    }
    throw Failure(
      .invalidRequest,
      "the socket passes no descriptors, so no more than \(CallRequest.mostInlineBytes) bytes can be sent")
  }

  private func answer(_ result: JSONObject, _ head: ResponseHead) throws(Failure) -> ResourceAnswer {
    guard let account = result["account"]?.string, let bytes = result["body_bytes"]?.int else {
      throw Reply.unreadable
    }
    let problem = result["problem"].flatMap { Failure(json: $0) }
    console.detail("the answer has status \(head.status) and \(bytes) bytes")
    return ResourceAnswer(account: account, head: head, bodyBytes: bytes, problem: problem)
  }

  /// - Returns: The end of the pipe that the body comes out of.
  private func send(
    _ request: CallRequest, _ content: SharedDescriptor?, over connection: borrowing DaemonConnection
  ) throws(Failure) -> FileDescriptor {
    let pipe: Pipe
    do { pipe = try Pipe() } catch { throw Failure(error, doing: "the request could not be made") }
    _ = logRequest(.call(request))
    let passed = [content, SharedDescriptor(pipe.writing)].compactMap { $0 }
    try connection.send(envelope(.call(request)), passing: passed)
    // The daemon's copy of the other end is the only one from now on.
    return pipe.reading
  }

  private func passBody(
    _ pipe: consuming FileDescriptor, _ head: ResponseHead, _ connection: inout DaemonConnection,
    _ tellBody: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) -> ResourceAnswer {
    var piece: [UInt8] = []
    var nothingTyped: TypedTokens?
    let result = try PipedAnswer(console, from: pipe).receive(
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
    return try answer(result, head)
  }
}
