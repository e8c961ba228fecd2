internal import Encoding
internal import Platform
internal import Wire

struct ResourceAnswer {
  var account: String
  var head: ResponseHead
  var bodyBytes: Int
  /// Why the request failed; nil on success.
  var problem: Failure?
}

extension DaemonClient {
  private static let pieceBytes = 65_536

  /// Sends a request to a resource, with any body in `content`. Calls `head` once, then `body` for each piece of the
  /// response.
  func request(
    _ request: CallRequest, sending content: SharedDescriptor?,
    head receiveHead: (ResponseHead) throws(Failure) -> Void, body receiveBody: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) -> ResourceAnswer {
    try converse { (connection) throws(Failure) in
      let pipe = try send(request, content, over: connection)
      let head: ResponseHead
      do throws(Failure) { head = try self.head(of: request, &connection) } catch {
        guard error.code == .descriptorMissing else { throw error }
        console.detail("no descriptor passes the socket, so the bodies go with the lines")
        do throws(Failure) { return try requestInline(request, content, &connection, receiveHead, receiveBody) } catch {
          var failure = error
          // The content was partly read, so the request cannot be repeated.
          if content != nil { failure.variables = [] }
          throw failure
        }
      }
      try receiveHead(head)
      return try passBody(pipe, head, &connection, receiveBody)
    }
  }

  /// Never passes: only the daemon sees progress, so it enforces the timeout.
  private static var farDeadline: Instant { .now.advanced(by: .seconds(10 * 365 * 86_400)) }

  private func head(
    of request: CallRequest, _ connection: inout DaemonConnection
  ) throws(Failure) -> ResponseHead {
    let wait = self.wait(DaemonWait(.call(request), console), while: responseCheck(of: connection))
    return try waitForEvent(over: &connection, before: Self.farDeadline, waiting: wait) { event in
      if case .response(let head) = event { head } else { nil }
    }
  }

  /// Sends a request over a socket that cannot pass descriptors, such as one forwarded by ssh.
  private func requestInline(
    _ request: CallRequest, _ content: SharedDescriptor?, _ connection: inout DaemonConnection,
    _ receiveHead: (ResponseHead) throws(Failure) -> Void, _ receiveBody: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) -> ResourceAnswer {
    var request = request
    request.isInline = true
    var body: [UInt8]?
    if let content {
      let start = try Self.readStart(of: content)
      if start.count <= CallRequest.maximumInlineBytes {
        request.inlineBody = Base64.encode(start)
      } else {
        request.sendsBodyInLines = true
        body = start
      }
    }
    _ = logRequest(.call(request))
    try connection.send(envelope(.call(request)))
    var head: ResponseHead?
    var isWanted = false
    let isWorking = responseCheck(of: connection)
    let wait = self.wait(.silent, while: isWorking)
    while true {
      var next = try connection.takeReply()
      if next == nil, isWanted, let content, let start = body,
        try start.isEmpty ? waitForContent(content, before: connection.descriptor, while: isWorking) : true
      {
        let part = try Self.nextPart(start, content)
        try connection.send(RequestEnvelope(.resourceBody(part.request)))
        (body, isWanted) = (part.rest, false)
        continue
      }
      if next == nil { next = try connection.nextReply(before: Self.farDeadline, waiting: wait) }
      switch next {
      case nil: throw Reply.unreadable
      case .event(.bodyWanted): isWanted = true
      case .event(.response(let found)):
        head = found
        try receiveHead(found)
      case .event(.body(let bytes)): try receiveBody(bytes.span)
      case .event(let event): console.report(event)
      case .failure(let failure): throw failure
      case .result(let result):
        guard let head else { throw Reply.unreadable }
        return try answer(result, head)
      }
    }
  }

  /// Waits for the content or the socket; true if only the content is readable.
  private func waitForContent(
    _ content: SharedDescriptor, before socket: Int32, while isWorking: () -> Bool
  ) throws(Failure) -> Bool {
    do throws(SystemError) {
      let poller = try Poller()
      try poller.add(socket, interest: .read, key: 0)
      // Regular files cannot be polled and are always readable.
      guard (try? poller.add(content.descriptor.raw, interest: .read, key: 1)) != nil else { return true }
      while true {
        let events = try poller.wait(until: nextCheck)
        if !events.isEmpty { return !events.contains { $0.key == 0 } }
        if !isWorking() { break }
      }
    } catch {
      throw Failure(error, doing: "cannot read the data")
    }
    throw .noAnswerInTime
  }

  /// Reads the content to its end, or until too long for the request line.
  private static func readStart(of content: SharedDescriptor) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    do throws(SystemError) {
      while bytes.count <= CallRequest.maximumInlineBytes {
        if try content.descriptor.read(into: &bytes, upTo: pieceBytes) == 0 { break }
      }
    } catch {
      throw Failure(error, doing: "cannot read the data")
    }
    return bytes
  }

  /// The request with the next part of `start`, or else of `content`; and the rest of `start`.
  private static func nextPart(
    _ start: [UInt8], _ content: SharedDescriptor
  ) throws(Failure) -> (request: ResourceBodyRequest, rest: [UInt8]) {
    guard start.isEmpty else {
      let count = min(start.count, ResourceBodyRequest.maximumBytes)
      return (ResourceBodyRequest(bytes: Array(start[..<count]), isLast: false), Array(start[count...]))
    }
    var bytes: [UInt8] = []
    do {
      let count = try content.descriptor.read(into: &bytes, upTo: ResourceBodyRequest.maximumBytes)
      return (ResourceBodyRequest(bytes: bytes, isLast: count == 0), [])
    } catch {
      throw Failure(error, doing: "cannot read the data")
    }
  }

  private func answer(_ result: JSONObject, _ head: ResponseHead) throws(Failure) -> ResourceAnswer {
    guard let account = result["account"]?.string, let bytes = result["body_bytes"]?.int else {
      throw Reply.unreadable
    }
    let problem = result["problem"].flatMap { Failure(json: $0) }
    console.detail("the answer has status \(head.status) and \(bytes) bytes")
    return ResourceAnswer(account: account, head: head, bodyBytes: bytes, problem: problem)
  }

  /// Returns the reading end of the pipe for the response's body.
  private func send(
    _ request: CallRequest, _ content: SharedDescriptor?, over connection: borrowing DaemonConnection
  ) throws(Failure) -> FileDescriptor {
    let pipe: Pipe
    do { pipe = try Pipe() } catch { throw Failure(error, doing: "cannot make the request") }
    _ = logRequest(.call(request))
    let passed = [content, SharedDescriptor(pipe.writing)].compactMap { $0 }
    try connection.send(envelope(.call(request)), passing: passed)
    // The daemon has the only copy of the writing end.
    return pipe.reading
  }

  private func passBody(
    _ pipe: consuming FileDescriptor, _ head: ResponseHead, _ connection: inout DaemonConnection,
    _ receiveBody: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) -> ResourceAnswer {
    var piece: [UInt8] = []
    var nothingTyped: TypedTokens?
    let result = try PipedAnswer(self, from: pipe).receive(
      over: &connection, total: { $0["body_bytes"]?.int }, sending: &nothingTyped
    ) { (pipe) throws(Failure) in
      piece.removeAll(keepingCapacity: true)
      let count = try PipedAnswer.convertingReadErrors { () throws(SystemError) in
        try pipe.read(into: &piece, upTo: Self.pieceBytes)
      }
      guard count > 0 else { return nil }
      try receiveBody(piece.span)
      return count
    }
    return try answer(result, head)
  }
}
